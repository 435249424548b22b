package log_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/pkg/errors"

	"gophe/data/records"
	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/log"
	"gophe/phe/live/log/logtest"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
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
func opening(args ...string) func(t *testing.T) log.Log {
	return func(t *testing.T) log.Log {
		files := filetest.Must(log.Expand(args))(t)
		in := filetest.Must(log.Open(files[0], "", records.Options{}, files[1:]...))(t)
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
	for name, open := range map[string]func(t *testing.T) log.Log{
		"file":    opening(put(t, folder, "file.csv", visitColumns, text)),
		"gzip":    opening(put(t, folder, "file.csv.gz", zipped(visitColumns, text))),
		"folder":  opening(parts),
		"pattern": opening(filepath.Join(parts, "*.csv*")),
		"parquet": opening(put(t, folder, "file.parquet", parqueted(t, rows))),
	} {
		t.Run(name, func(t *testing.T) { logtest.Contract(t, rows, open) })
	}
	t.Run("bad", func(t *testing.T) { logtest.Contract(t, bad, opening(put(t, folder, "bad.csv", withBad...))) })
	t.Run("bad gzip", func(t *testing.T) { logtest.Contract(t, bad, opening(put(t, folder, "bad.gz", zipped(withBad...)))) })
	t.Run("pipe", func(t *testing.T) {
		logtest.Contract(t, rows, func(t *testing.T) log.Log {
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
			return filetest.Must(log.Open("-", "", records.Options{Format: records.CSV, Comma: ',', Header: records.HeaderYes}))(t)
		})
	})
}

// learnAll learns files into a model and returns the learner's bytes.
func learnAll(t *testing.T, model string, every int, args ...string) (bits []byte, s log.State, err error) {
	t.Helper()
	store := filetest.Must(checkpoint.Open(disk.System, model))(t)
	defer store.Close()
	files, err := log.Expand(args)
	if err != nil {
		return nil, s, err
	}
	o := records.Options{Growing: true}
	in, err := log.Open(files[0], "", o, files[1:]...)
	if err != nil {
		return nil, s, err
	}
	defer in.Close()
	in.Path = strings.Join(args, " ")
	var l *stream.Learner
	if loaded, none := checkpoint.Peek(model); none == nil {
		l, s, err = log.Load(loaded)
	} else {
		l = filetest.Must(stream.New(filetest.Must(in.Infer(schema.Hints{Target: "bought"}))(t), stream.Options{Memory: 8 << 10}))(t)
	}
	filetest.Check(t, err)
	if err := s.Choose(in, log.Options{}); err != nil {
		return nil, s, err
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	s, _, err = log.Run(ctx, l, s, store, in, log.Options{Delay: 7, Keep: func([]string) bool {
		if n++; n == every {
			cancel()
		}
		return true
	}})
	var b bytes.Buffer
	filetest.Check(t, l.Write(&b))
	return b.Bytes(), s, err
}

// TestSeveral learns the files of a folder, in pieces, as one, with the bits of one file. A new file continues the stream, and a file
// that has changed is named.
func TestSeveral(t *testing.T) {
	folder := t.TempDir()
	parts := filepath.Join(folder, "parts")
	filetest.Check(t, os.Mkdir(parts, 0o700))
	lines, _ := visits(300)
	one := put(t, folder, "one.csv", visitColumns, strings.Join(lines, ""))
	want, _, err := learnAll(t, filepath.Join(filetest.Folder(t), "m"), 0, one)
	filetest.Check(t, err)
	model := filepath.Join(filetest.Folder(t), "m")
	a := put(t, parts, "a.csv", visitColumns, strings.Join(lines[:100], ""))
	put(t, parts, "b.csv.gz", zipped(visitColumns, strings.Join(lines[100:150], "")))
	var bits []byte
	s := log.State{}
	for starts := 0; s.Rows < 300; starts++ {
		if starts == 3 { // the last file of a moment ago is no longer the last
			put(t, parts, "c.csv", visitColumns, strings.Join(lines[150:299], ""), lines[299][:1])
		}
		if starts == 6 {
			put(t, parts, "c.csv", visitColumns, strings.Join(lines[150:], ""))
		}
		every := 40
		if starts >= 3 {
			every = 0
		}
		if bits, s, err = learnAll(t, model, every, parts); err != nil && (starts >= 3 || !errors.Is(err, context.Canceled)) || starts > 9 {
			t.Fatalf("start %d: %v, %+v", starts, err, s)
		}
	}
	filetest.True(t, bytes.Equal(bits, want), "the bits differ from those of one file")
	filetest.Want(t, string(s.Several), parts, "the files as they were given")
	filetest.Want(t, string(s.Input.Name), filepath.Join(parts, "c.csv"), "the last file")
	filetest.True(t, s.Ended, "the last file has not ended")
	const changed = " was learned before the files after it, and has changed or is gone"
	for name, c := range map[string]struct{ file, content, words string }{
		"earlier name": {"aa.csv", visitColumns + lines[0],
			"aa.csv comes before " + parts + "/b.csv.gz, which was learned; give it a name that comes after"},
		"changed":       {"a.csv", visitColumns + strings.Join(lines[1:100], ""), "a.csv" + changed},
		"grown":         {"a.csv", visitColumns + strings.Join(lines[:101], ""), "a.csv" + changed},
		"gone":          {"b.csv.gz", "", "b.csv.gz" + changed},
		"other columns": {"d.csv", "customer,thing,bought\n" + lines[0], `d.csv has no column "item"`},
		"more columns":  {"d.csv", "customer,item,bought,price\nc1,2,no,5\n", `d.csv has a column "price", which ` + a + " has not"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(parts, c.file)
			before, none := os.ReadFile(path)
			if put(t, parts, c.file, c.content); c.content == "" {
				filetest.Check(t, os.Remove(path))
			}
			_, _, err := learnAll(t, model, 0, parts)
			filetest.WantError(t, err, c.words)
			if put(t, parts, c.file, string(before)); none != nil {
				filetest.Check(t, os.Remove(path))
			}
		})
	}
	_, _, err = learnAll(t, model, 0, parts, a)
	filetest.WantError(t, err, "is given twice")
	again, s, err := learnAll(t, model, 0, parts)
	filetest.Check(t, err)
	filetest.Want(t, s.Rows, 300, "rows of the same folder")
	filetest.True(t, bytes.Equal(again, bits), "the same folder changes the bits")
}
