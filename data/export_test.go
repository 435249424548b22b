package data_test

import (
	"bytes"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/data"
	"gophe/data/files"
	"gophe/phe/disk/filetest"
	"gophe/phe/records"
)

// exported returns the header and the rows of an export, as package records reads them.
func exported(t *testing.T, name string) (header []string, rows [][]string) {
	t.Helper()
	var b bytes.Buffer
	told := filetest.Must(data.Export(&b, name, files.Options{}))(t)
	r := filetest.Must(records.New(&b, name+".csv", records.Options{}))(t)
	for {
		fields, err := r.Read()
		if err == io.EOF {
			break
		}
		filetest.Check(t, err)
		rows = append(rows, slices.Clone(fields))
	}
	if told != len(rows) {
		t.Errorf("%s: %d rows said, %d read", name, told, len(rows))
	}
	return r.Columns(), rows
}

// A UCI file is exported as declared, incomplete rows included.
func TestExportTable(t *testing.T) {
	header, rows := exported(t, "mushroom")
	if len(header) != 23 || header[0] != "label" || len(rows) != 8416 || rows[0][0] != "EDIBLE" {
		t.Errorf("%q, %d rows, the first %q", header, len(rows), rows[0])
	}
	header, rows = exported(t, "adult")
	if header[14] != "income" || len(rows) != 48842 || strings.Join(rows[1][:4], ",") != "50,Self-emp-not-inc,83311,Bachelors" {
		t.Errorf("%q, %d rows, the second %q", header, len(rows), rows[1])
	}
}

// The made-up orders are the same bytes on every machine. A product keeps its price, and a customer the country.
func TestExportOrders(t *testing.T) {
	sum := crc32.NewIEEE()
	filetest.Must(data.Export(sum, "orders", files.Options{}))(t)
	filetest.Want(t, sum.Sum32(), uint32(0x41e3fc47), "checksum")
	header, rows := exported(t, "orders")
	filetest.Want(t, strings.Join(header, ","), "order,time,customer,country,product,category,device,quantity,price,bought", "columns")
	filetest.Want(t, len(rows), 20_000, "rows")
	of := map[string]string{}
	for _, r := range rows {
		for name, value := range map[string]string{r[2]: r[3], r[4]: r[5] + r[8]} {
			filetest.True(t, of[name] == "" || of[name] == value, "row %s: %s is %s, and was %s", r[0], name, value, of[name])
			of[name] = value
		}
	}
}

// Ratings are exported in the order of time with their films. Titles with commas stay whole.
func TestExportGivenRatings(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{
		"ml-latest-small-ratings.csv": "userId,movieId,rating,timestamp\n1,5,3.5,86400\n2,5,0.5,0\n1,7,4.0,86400\n",
		"ml-latest-small-movies.csv":  "movieId,title,genres\n5,\"One, Two (1961)\",Comedy|War\n7,No Year,(no genres listed)\n",
	} {
		filetest.Check(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
	t.Setenv(files.PathVariable, folder)
	var b bytes.Buffer
	if _, err := data.Export(&b, "ml-latest-small", files.Options{}); err == nil || !strings.Contains(err.Error(), "altered") {
		t.Errorf("altered files: %v", err)
	}
	b.Reset()
	rows, err := data.Export(&b, "ml-latest-small", files.Options{AllowAltered: true})
	want := "userId,movieId,title,year,genres,timestamp,rating\n" +
		"2,5,\"One, Two (1961)\",1961,Comedy|War,1970-01-01 00:00:00,0.5\n" +
		"1,5,\"One, Two (1961)\",1961,Comedy|War,1970-01-02 00:00:00,3.5\n" +
		"1,7,No Year,,(no genres listed),1970-01-02 00:00:00,4.0\n"
	if err != nil || rows != 3 || b.String() != want {
		t.Errorf("%d rows, %v\n%s", rows, err, b.String())
	}
}

func TestExportUnknown(t *testing.T) {
	if _, err := data.Export(io.Discard, "adlut", files.Options{}); err == nil || !strings.Contains(err.Error(), "can be exported: adult") {
		t.Error(err)
	}
}
