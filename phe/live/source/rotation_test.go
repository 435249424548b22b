package source_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/source"
	"gophe/phe/live/source/sourcetest"
)

// turning is a log whose writer takes a step each time the reader waits.
type turning struct {
	source.Source
	steps *[]func()
}

func (l turning) Read(ctx context.Context, from source.Position) iter.Seq2[source.Entry, error] {
	return func(yield func(source.Entry, error) bool) {
		for e, err := range l.Source.Read(ctx, from) {
			if e.Waits && len(*l.steps) > 0 {
				(*l.steps)[0]()
				*l.steps, e.AtEnd = (*l.steps)[1:], false
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// writer writes a log that rotates.
type writer struct {
	t      *testing.T
	folder string
	old    bool // a file that was renamed looks as if it had been silent for long
}

func (w writer) path(name string) string { return filepath.Join(w.folder, name) }

func (w writer) add(name string, text ...string) {
	w.t.Helper()
	file := filetest.Must(os.OpenFile(w.path(name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600))(w.t)
	filetest.Must(file.WriteString(strings.Join(text, "")))(w.t)
	filetest.Check(w.t, file.Close())
}

// rename renames a file whose writer writes the rest of a line afterwards.
func (w writer) rename(from, to, rest string) {
	w.t.Helper()
	filetest.Check(w.t, os.Rename(w.path(from), w.path(to)))
	w.add(to, rest)
	if long := time.Now().Add(-time.Hour); w.old {
		filetest.Check(w.t, os.Chtimes(w.path(to), long, long))
	}
}

// open follows the log.
func (w writer) open(t *testing.T, say func(string)) *source.Files {
	t.Helper()
	in := filetest.Must(source.Open(t.Context(), source.Options{Options: columns("customer", "item", "bought"), Follow: true, Say: say},
		w.path("log.csv")))(t)
	t.Cleanup(func() { in.Close() })
	return in
}

// TestRotationContract rotates a log while it is read: in the middle of a line, without a new file, twice at once, and without a last line
// end. Any position is a way in then.
func TestRotationContract(t *testing.T) {
	t.Parallel()
	lines, rows := visits(30)
	text := func(from, to int) string { return strings.Join(lines[from:to], "") }
	for scheme, turn := range map[string]func(w writer, k int) (to string){
		"number": func(w writer, k int) string {
			for ; k > 1; k-- {
				w.rename(fmt.Sprint("log.csv.", k-1), fmt.Sprint("log.csv.", k), "")
			}
			return "log.csv.1"
		},
		"date":      func(_ writer, k int) string { return fmt.Sprint("log.csv-2026112", k) },
		"extension": func(_ writer, k int) string { return fmt.Sprintf("log-2026-11-29T0%d.csv", k) },
	} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			w := writer{t, t.TempDir(), true}
			first, turn := turn(w, 1), func(k int) { w.rename("log.csv", turn(w, k), "") }
			w.add("log.csv", visitColumns, text(0, 6))
			w.add("log-other.csv", visitColumns, "none,of,these\n")
			steps := []func(){
				func() { w.add("log.csv", text(6, 10), lines[10][:3]) },
				func() { filetest.Check(t, os.Rename(w.path("log.csv"), w.path(first))) },
				func() { w.add("log.csv", visitColumns[:4]) },
				func() { w.rename(first, first, lines[10][3:]) }, // less than a second after it got this name
				func() { w.add("log.csv", visitColumns[4:], text(11, 12)) },
				func() {
					w.add("log.csv", text(12, 14))
					turn(2)
					w.add("log.csv", visitColumns, strings.TrimSuffix(text(14, 20), "\n"))
					turn(3)
					w.add("log.csv")
					turn(4)
					w.add("log.csv", text(20, 25)) // without a header
				},
				func() { w.add("log.csv", text(25, 30)) },
			}
			sourcetest.Contract(t, rows, func(t *testing.T) source.Source { return turning{w.open(t, nil), &steps} })
			filetest.Want(t, len(steps), 0, "steps that are left")
		})
	}
}

// TestRotationFaults names the file that is missing, and says that copytruncate may have lost rows.
func TestRotationFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		turn func(w writer)
		want []string // words of the error, or of the line that is said
		rows string   // that are read
	}{
		"deleted": {func(w writer) {
			filetest.Check(t, os.Remove(w.path("log.csv")))
			w.add("log.csv", visitColumns, "7,8,9\n")
		}, []string{"log.csv, of which 2 records were learned, was cut, deleted or moved", "not compressed"}, ""},
		"two alike": {func(w writer) {
			w.add("log.csv.1", visitColumns, "1,2,3\n4,5,6\n")
			w.add("log.csv.2", visitColumns, "1,2,3\n4,5,6\n")
			filetest.Check(t, os.Remove(w.path("log.csv")))
			w.add("log.csv", visitColumns, "7,8,9\n")
		}, []string{"log.csv.1 alone has them"}, ""},
		"gap": {func(w writer) {
			w.rename("log.csv", "log.csv.3", "5,5,5\n")
			w.add("log.csv.1", visitColumns, "6,6,6\n")
			w.add("log.csv", visitColumns, "7,8,9\n")
		}, []string{"of the files from", "log.csv.3 to", "log.csv.1, one is compressed or missing"}, "5,5,5"},
		"packed": {func(w writer) {
			w.rename("log.csv", "log.csv-20261128", "")
			w.add("log.csv-20261129.gz", "packed")
			w.add("log.csv", visitColumns, "7,8,9\n")
		}, []string{"log.csv-20261129.gz, one is compressed or missing"}, ""},
		"order": {func(w writer) {
			w.add("log.csv.2", visitColumns, "6,6,6\n")
			w.rename("log.csv", "log.csv.1", "")
			filetest.Check(t, os.Chtimes(w.path("log.csv.1"), time.Unix(1e9, 0), time.Unix(1e9, 0)))
			w.add("log.csv", visitColumns, "7,8,9\n")
		}, []string{"log.csv.2 and", "log.csv.1 have one order by their names, and another by their times"}, ""},
		"compressing": {func(w writer) {
			w.rename("log.csv", "log.csv.2", "")
			w.add("log.csv.1", visitColumns, "6,6,6\n")
			w.add("log.csv.1.gz", "pack")
			w.add("log.csv", visitColumns, "7,8,9\n")
		}, nil, "6,6,6 7,8,9"},
		"alike": {func(w writer) {
			w.rename("log.csv", "log.csv-20261129", "")
			w.add("log.csv", visitColumns, "1,2,3\n4,5,6\n7,8,9\n")
		}, nil, "1,2,3 4,5,6 7,8,9"},
		"copytruncate": {func(w writer) {
			w.add("log.csv.1", visitColumns, "1,2,3\n4,5,6\n5,5,5\n")
			filetest.Check(t, os.Truncate(w.path("log.csv"), 0))
			w.add("log.csv", visitColumns, "7,8,9\n")
		}, []string{"log.csv was cut (copytruncate), and learning goes on in its copy", "log.csv.1"}, "5,5,5 7,8,9"},
	} {
		for _, live := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", live), func(t *testing.T) {
				t.Parallel()
				w := writer{t, t.TempDir(), true}
				w.add("log.csv", visitColumns, "1,2,3\n4,5,6\n")
				ctx, stop := context.WithCancel(t.Context())
				said := ""
				say := func(line string) { said += line }
				steps := []func(){func() { c.turn(w) }}
				var rows []string
				var at source.Position
				read := func(in source.Source) error {
					for e, err := range in.Read(ctx, at) {
						if err != nil || e.AtEnd {
							return err
						}
						if !e.Waits {
							rows, at = append(rows, strings.Join(e.Record, ",")), e.After.Position()
						}
					}
					return nil
				}
				if !live {
					steps = steps[:0]
				}
				err := read(turning{w.open(t, say), &steps})
				if !live {
					filetest.Check(t, err)
					c.turn(w)
					err = read(w.open(t, say))
				}
				stop()
				filetest.WantWords(t, fmt.Sprint(said, err), c.want...)
				filetest.Want(t, strings.TrimPrefix(strings.Join(rows, " "), "1,2,3 4,5,6"), strings.TrimSuffix(" "+c.rows, " "),
					"more rows")
			})
		}
	}
}

// TestRotationUnread: a next file that cannot be read, such as one of another user, is an error, and no silence.
func TestRotationUnread(t *testing.T) {
	t.Parallel()
	w := writer{t, t.TempDir(), true}
	w.add("log.csv", visitColumns, "1,2,3\n4,5,6\n")
	steps := []func(){func() {
		w.rename("log.csv", "log.csv.1", "")
		filetest.Check(t, os.Mkdir(w.path("log.csv"), 0o700)) // root may read everything else
		w.add("log.csv/log.csv")
	}}
	rows, failed, at := 0, error(nil), source.Position{}
	for e, err := range (turning{w.open(t, nil), &steps}).Read(t.Context(), nil) {
		if failed = err; err == nil && !e.Waits {
			rows, at = rows+1, e.After.Position()
		}
	}
	filetest.Want(t, rows, 2, "rows of the file before")
	filetest.WantError(t, failed, "log.csv is a folder")
	filetest.Check(t, os.RemoveAll(w.path("log.csv")))
	w.rename("log.csv.1", "log.csv", "")
	in := w.open(t, nil) // the file that was read cannot be read any more
	filetest.Check(t, os.Remove(w.path("log.csv")))
	filetest.Check(t, os.Mkdir(w.path("log.csv"), 0o700))
	_, _, failed = sourcetest.Rows(t.Context(), in, at)
	filetest.WantError(t, failed, "log.csv is a folder")
}

// TestBegunFile begins in the file that had the name when learning began, though it was renamed before a row was saved.
func TestBegunFile(t *testing.T) {
	w, past := writer{t, t.TempDir(), true}, source.Past{}
	w.add("log.csv", visitColumns, "1,2,3\n")
	for _, want := range []bool{true, false} {
		in := w.open(t, nil)
		filetest.Want(t, filetest.Must(in.Choose(&past, source.Choice{}))(t), want, "learning begins")
		for e, err := range in.Read(t.Context(), past.Position) {
			filetest.Check(t, err)
			filetest.Want(t, e.Record[0], "1", "the first record")
			break
		}
		w.rename("log.csv", map[bool]string{true: "log.csv-20261128", false: "log.csv-20261129"}[want], "")
		w.add("log.csv", visitColumns, "7,8,9\n")
	}
}

// TestNotFollowed refuses what does not rotate.
func TestNotFollowed(t *testing.T) {
	folder := t.TempDir()
	one, two := put(t, folder, "one.csv", visitColumns, "a,b,c\n"), put(t, folder, "two.csv", visitColumns, "a,b,c\n")
	for want, args := range map[string][]string{
		"cannot be followed: give one plain file":           {one, two},
		folder + " cannot be followed: give one plain file": {folder},
		"- cannot be followed: give one plain file":         {"-"},
		"is compressed and cannot be followed":              {put(t, folder, "three.csv", zipped(visitColumns, "a,b,c\n"))},
	} {
		_, err := source.Open(t.Context(), source.Options{Follow: true}, args...)
		filetest.WantError(t, err, want)
	}
}
