package source_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gophe/phe/live/source"

	"github.com/parquet-go/parquet-go"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/source/sourcetest"
	"gophe/phe/records"
)

// visits returns lines of a table without its header, and its records.
func visits(n int) (lines []string, rows [][]string) {
	for i := range n {
		row := []string{fmt.Sprint("c", i%7), fmt.Sprint(i % 5), []string{"no", "yes"}[(i%7+i%5)%2]}
		lines, rows = append(lines, strings.Join(row, ",")+"\n"), append(rows, row)
	}
	return lines, rows
}

const visitColumns = "customer,item,bought\n"

// put writes a file and returns its path.
func put(t *testing.T, folder, name string, text ...string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	filetest.Check(t, os.WriteFile(path, []byte(strings.Join(text, "")), 0o600))
	return path
}

func zipped(text ...string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, strings.Join(text, ""))
	w.Close()
	return b.String()
}

// parqueted returns rows as Parquet in several groups.
func parqueted(t *testing.T, rows [][]string) string {
	t.Helper()
	type visit struct {
		Customer string `parquet:"customer"`
		Item     string `parquet:"item"`
		Bought   string `parquet:"bought"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[visit](&b, parquet.MaxRowsPerRowGroup(7))
	for _, r := range rows {
		filetest.Must(w.Write([]visit{{r[0], r[1], r[2]}}))(t)
	}
	filetest.Check(t, w.Close())
	return b.String()
}

// opening returns a function that opens the files that arguments name.
func opening(args ...string) func(t *testing.T) source.Source {
	return func(t *testing.T) source.Source {
		in := filetest.Must(source.Open(t.Context(), source.Options{}, args...))(t)
		t.Cleanup(func() { in.Close() })
		return in
	}
}

// TestContract tests every log of files: any position is a way in.
func TestContract(t *testing.T) {
	folder := t.TempDir()
	lines, rows := visits(30)
	text := strings.Join(lines, "")
	bad := append(append(rows[:10:10], nil), rows[10:]...)
	withBad := []string{visitColumns, strings.Join(lines[:10], ""), "c1,x\n", strings.Join(lines[10:], "")}
	parts := filepath.Join(folder, "parts")
	filetest.Check(t, os.Mkdir(parts, 0o700))
	put(t, parts, "1.csv", visitColumns, strings.Join(lines[:8], ""), "\n")
	put(t, parts, "2.csv.gz", zipped(visitColumns, strings.Join(lines[8:9], "")))
	put(t, parts, "3.csv", visitColumns)
	put(t, parts, "4.csv", visitColumns, strings.TrimSuffix(strings.Join(lines[9:], ""), "\n"))
	for name, open := range map[string]func(t *testing.T) source.Source{
		"file":    opening(put(t, folder, "file.csv", visitColumns, text)),
		"gzip":    opening(put(t, folder, "file.csv.gz", zipped(visitColumns, text))),
		"folder":  opening(parts),
		"pattern": opening(filepath.Join(parts, "*.csv*")),
		"parquet": opening(put(t, folder, "file.parquet", parqueted(t, rows))),
	} {
		t.Run(name, func(t *testing.T) { sourcetest.Contract(t, rows, open) })
	}
	t.Run("bad", func(t *testing.T) { sourcetest.Contract(t, bad, opening(put(t, folder, "bad.csv", withBad...))) })
	t.Run("bad gzip", func(t *testing.T) { sourcetest.Contract(t, bad, opening(put(t, folder, "bad.gz", zipped(withBad...)))) })
	t.Run("pipe", func(t *testing.T) {
		sourcetest.Contract(t, rows, func(t *testing.T) source.Source {
			from, to, err := os.Pipe()
			filetest.Check(t, err)
			stdin := os.Stdin
			os.Stdin = from
			t.Cleanup(func() { os.Stdin = stdin })
			go func() {
				for i, line := range append([]string{visitColumns}, lines...) { // each is a read of its own
					if i%15 == 14 { // the log has read all before it, at least in some of the thirty openings
						time.Sleep(2 * time.Millisecond)
					}
					_, _ = io.WriteString(to, line)
				}
				to.Close()
			}()
			o := source.Options{Options: records.Options{Format: records.CSV, Comma: ',', Header: records.HeaderYes}}
			return filetest.Must(source.Open(t.Context(), o, "-"))(t)
		})
	})
}
