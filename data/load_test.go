package data

import (
	"bytes"
	"compress/gzip"
	"path/filepath"
	"strings"
	"testing"
)

// loadAdult reads the committed file, whatever PHE_DATA says.
func loadAdult(t testing.TB) *Table {
	t.Helper()
	t.Setenv(PathVariable, "")
	table, err := Load("adult", Options{})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func compress(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error lacks %q: %v", part, err)
		}
	}
}

func TestLoadUnknownName(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"", "unknown"}, {"Adult", "unknown"}, {"../adult", "unknown"}, {"retail", "LoadSales"}, {"covertype-50000", "unknown"},
	} {
		_, err := Load(c.name, Options{})
		wantError(t, err, c.want, "can be loaded: adult, bank, mushroom, mushroom-8124, covertype, covertype-49999")
	}
}

func TestLoadUnreadableFile(t *testing.T) {
	good := compress(t, adultHeader+adultRow)
	long := compress(t, adultHeader+strings.Repeat(adultRow, 20000))
	for _, c := range []struct{ name, file, content, want string }{
		{"empty", "adult.csv", "", "empty"},
		{"empty, compressed", "adult.csv.gz", "", "empty"},
		{"nothing compressed", "adult.csv.gz", compress(t, ""), "empty"},
		{"not gzip", "adult.csv.gz", adultHeader + adultRow, "not a gzip file"},
		{"header of gzip only", "adult.csv.gz", good[:5], "not a gzip file"},
		{"cut off", "adult.csv.gz", long[:len(long)/2], "cut off after line"},
		{"checksum of gzip cut off", "adult.csv.gz", good[:len(good)-3], "cut off after line 2"},
		{"damaged", "adult.csv.gz", good[:len(good)-8] + "12345678", "damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv(PathVariable, folder)
			path := write(t, filepath.Join(folder, c.file), c.content)
			_, err := Load("adult", Options{AllowAltered: true})
			wantError(t, err, path, c.want)
		})
	}
}

func TestLoadAltered(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(PathVariable, folder)
	path := write(t, filepath.Join(folder, "adult.csv.gz"), compress(t, adultHeader+adultRow))
	_, err := Load("adult", Options{})
	wantError(t, err, path, "altered", "declared 6f8f2bab", "1 complete rows, declared 45222", "data/uci/adult.csv.gz", "--allow-altered")

	table, err := Load("adult", Options{AllowAltered: true})
	if err != nil {
		t.Fatal(err)
	}
	if table.Verified || table.NumRows() != 1 || table.Path != path || len(table.SHA256) != 64 {
		t.Errorf("got %+v", table)
	}

	t.Setenv(PathVariable, filepath.Join(folder, "uci"))
	path = write(t, filepath.Join(folder, "uci", "adult.csv.gz"), compress(t, adultHeader+adultRow))
	_, err = Load("adult", Options{})
	wantError(t, err, "git checkout -- "+path)
}

func TestLoadParseErrorBeforeChecksum(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(PathVariable, folder)
	path := write(t, filepath.Join(folder, "adult.csv"), adultHeader+adultRow+"x"+adultRow)
	_, err := Load("adult", Options{})
	wantError(t, err, path+":3:1:", `"age"`)
	if strings.Contains(err.Error(), "altered") {
		t.Error(err)
	}
}

func BenchmarkLoadAdult(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		loadAdult(b)
	}
}
