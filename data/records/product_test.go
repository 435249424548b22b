package records

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
)

// TestParquetProduct reads tables that three programs have written in many ways. Each cell equals the cell of the table's CSV, which
// testdata/product.py makes without these programs. With GOPHE_TEST_PYTHON it writes all ways, and the test says how many were equal.
func TestParquetProduct(t *testing.T) {
	folder, python := filepath.Join("testdata", "product"), os.Getenv("GOPHE_TEST_PYTHON")
	if python != "" {
		folder = t.TempDir()
		script := exec.Command(python, filepath.Join("testdata", "product.py"), folder)
		script.Stderr = os.Stderr
		filetest.Check(t, script.Run())
	}
	counts, tables := map[string]int{}, map[string][][]string{}
	for _, path := range filetest.Must(filepath.Glob(filepath.Join(folder, "*.parquet")))(t) {
		parts := strings.Split(filepath.Base(path), "-")
		writer, table := parts[0], parts[1]
		if tables[table] == nil && table != "interval" {
			text := filetest.Must(os.ReadFile(filepath.Join(folder, table+".csv")))(t)
			tables[table] = filetest.Must(csv.NewReader(bytes.NewReader(text)).ReadAll())(t)
		}
		columns, err := equalColumns(path, tables[table])
		switch {
		case table == "interval":
			filetest.WantError(t, err, "column x: type INTERVAL is not read; write the table without this column")
			counts[writer+": tables refused by name"]++
		case err != nil:
			t.Errorf("%s: %v", filepath.Base(path), err)
			counts[writer+": tables different"]++
		default:
			counts[writer+": tables equal"]++
			counts[writer+": columns equal"] += columns
		}
	}
	t.Log(counts)
	for _, writer := range []string{"pyarrow", "polars", "duck"} {
		filetest.True(t, counts[writer+": columns equal"] >= 72, "%s wrote %d columns", writer, counts[writer+": columns equal"])
	}
}

// equalColumns returns the number of a file's columns, or an error if one differs from the column of its name in a table.
func equalColumns(path string, table [][]string) (int, error) {
	r, err := Open(path, Options{})
	if err != nil {
		return 0, err
	}
	defer r.Close()
	var places []int
	for _, name := range r.Columns() {
		places = append(places, slices.Index(table[0], name))
	}
	for row := 1; ; row++ {
		fields, err := r.Read()
		if err == io.EOF && row == len(table) {
			return len(r.Columns()), nil
		} else if err != nil || row >= len(table) {
			return 0, errors.Errorf("row %d of %d: %v", row, len(table)-1, err)
		}
		for i, name := range r.Columns() {
			if want := table[row][places[i]]; fields[i] != want {
				return 0, errors.Errorf("row %d of column %s is %q, not %q", row, name, fields[i], want)
			}
		}
	}
}
