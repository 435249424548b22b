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
// testdata/product.py makes without these programs. With GOPHE_TEST_PYTHON it writes all ways.
func TestParquetProduct(t *testing.T) {
	folder, want := filepath.Join("testdata", "product"), map[string]int{"pyarrow equal": 5, "polars equal": 2, "duck equal": 2}
	if python := os.Getenv("GOPHE_TEST_PYTHON"); python != "" {
		folder, want = t.TempDir(), map[string]int{"pyarrow equal": 216, "polars equal": 54, "duck equal": 126}
		script := exec.Command(python, filepath.Join("testdata", "product.py"), folder)
		script.Stderr = os.Stderr
		filetest.Check(t, script.Run())
	}
	tables := map[string][][]string{"interval": {{"x"}}}
	for _, path := range filetest.Must(filepath.Glob(filepath.Join(folder, "*.csv")))(t) {
		text := filetest.Must(os.ReadFile(path))(t)
		tables[strings.TrimSuffix(filepath.Base(path), ".csv")] = filetest.Must(csv.NewReader(bytes.NewReader(text)).ReadAll())(t)
	}
	got := map[string]int{}
	for _, path := range filetest.Must(filepath.Glob(filepath.Join(folder, "*.parquet")))(t) {
		parts := strings.Split(filepath.Base(path), "-")
		if err := wantTable(path, tables[parts[1]]); parts[1] == "interval" {
			filetest.WantError(t, err, "column x: type INTERVAL is not read; write the table without this column")
		} else if filetest.True(t, err == nil, "%s: %v", filepath.Base(path), err); err == nil {
			got[parts[0]+" equal"]++
		}
	}
	filetest.Want(t, got, want, "the number of tables by writer")
}

// wantTable returns an error if a column of a file differs from the column of its name in a table.
func wantTable(path string, table [][]string) error {
	r, err := Open(path, Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	for row := 1; ; row++ {
		fields, err := r.Read()
		if err == io.EOF && row == len(table) {
			return nil
		} else if err != nil || row >= len(table) {
			return errors.Errorf("row %d of %d: %v", row, len(table)-1, err)
		}
		for i, name := range r.Columns() {
			if at := slices.Index(table[0], name); fields[i] != table[row][at] {
				return errors.Errorf("row %d of column %s is %q, not %q", row, name, fields[i], table[row][at])
			}
		}
	}
}
