package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
	"gophe/phe/live/source"
	"gophe/phe/records"
)

// stopped does a job up to a record and returns it, ready to go on.
func stopped(t *testing.T, j job, record int) job {
	t.Helper()
	if j.Folder == "" {
		j.Folder = filetest.Folder(t)
	}
	j.Every, j.stop = time.Hour, int64(record)
	_, err := j.run()
	filetest.True(t, errors.Is(err, context.Canceled), "a job that is stopped returns %v", err)
	j.stop = 0
	return j
}

// mustRun does the job to its end.
func (j job) mustRun(t *testing.T) *Driver {
	t.Helper()
	return filetest.Must(j.run())(t)
}

// lines splits a table into its lines. The first one is the header.
func lines(table []byte) [][]byte { return bytes.SplitAfter(table, []byte("\n")) }

// TestCorrect stops at a bad record and corrects its line. The bytes must then be the same as for an input that was never wrong.
func TestCorrect(t *testing.T) {
	alone(t)
	t.Parallel()
	const rows = 3000 // more than 64 KiB
	right, folder := generate(rows, "number"), t.TempDir()
	path := write(t, folder, "table.csv", right)
	want := undisturbed(t, job{Input: path, Target: "number"}, nil, rows)
	for _, c := range []struct {
		name   string
		record int // number of the bad record, from 1
		bad    string
		words  []string
	}{
		{"a shorter label in the first 64 KiB", 1000, "u1,x,1,?\n", []string{"record 1000 (line 1001)", `column "label"`, "no number"}},
		{"a longer label in the first 64 KiB", 1000, "u1,x,1," + strings.Repeat("?", 50) + "\n", []string{"record 1000 (line 1001)"}},
		{"a shorter label beyond 64 KiB", 2900, "u1,x,1,?\n", []string{"record 2900 (line 2901)"}},
		{"a longer label beyond 64 KiB", 2900, "u1,x,1," + strings.Repeat("?", 50) + "\n", []string{"record 2900 (line 2901)"}},
		{"a field is missing", 2900, "u1,x,1\n", []string{"expected 4 fields, found 3"}},
		{"a stray quote", 1000, "u1,x\"y,1,0\n", []string{"a quote stands inside a field"}},
		{"the first record", 1, "u1,x,1,?\n", []string{"record 1 (line 2)"}},
		{"the last record", rows, "u1,x,1,?\n", []string{"record 3000 (line 3001)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			parts := lines(bytes.Clone(right))
			parts[c.record] = []byte(c.bad)
			write(t, folder, "table.csv", bytes.Join(parts, nil))
			j := job{Input: path, Folder: filetest.Folder(t), Target: "number", Every: time.Hour}
			for range 2 { // the second start finds the record again
				filetest.WantError(t, filetest.Failure(j.run()), c.words...)
			}
			now, good := j.state(t), int64(c.record-1)
			filetest.Want(t, [2]int64{now.Records(), now.Rows}, [2]int64{good, good}, "records and rows of the checkpoint")
			write(t, folder, "table.csv", right)
			j.mustRun(t)
			same(t, j, want)
		})
	}
}

// TestChange changes the input of a stopped program. A change in the part that was learned must be noticed.
func TestChange(t *testing.T) {
	alone(t)
	t.Parallel()
	const rows, learned = 3500, 3000 // both are beyond the first 64 KiB
	content := generate(rows, "number")
	parts := lines(content)
	without := func(n int) []byte {
		return bytes.Join(append(append([][]byte(nil), parts[:n]...), parts[n+1:]...), nil)
	}
	altered := func(at int) []byte {
		b := bytes.Clone(content)
		b[at] ^= 1
		return b
	}
	consumed := len(bytes.Join(parts[:learned+2], nil)) // the record that is under way at the stop is learned too
	folder := t.TempDir()
	interrupted := stopped(t, job{Input: write(t, folder, "table.csv", content), Target: "number"}, learned)
	before := interrupted.state(t)
	const changed = "has changed in the part that was learned, its first 3,001 records"
	for _, c := range []struct {
		name  string
		now   []byte
		words string // of the error
	}{
		{"the header", altered(0), changed + ": bytes 0 to 65535 differ"},
		{"the first record", altered(len(header)), changed},
		{"the first 64 KiB", altered(disk.HeadBytes - 1), changed},
		{"the last record that was learned", altered(consumed - 2), changed},
		{"the last 4 KiB that were learned", altered(consumed - disk.TailBytes), changed},
		{"the middle", altered(consumed - disk.TailBytes - 1), changed + ": bytes 65536 to"},
		{"a line before the position is gone", without(learned - 500), changed},
		{"a line of the beginning is gone", without(1), changed},
		{"a byte of the part that was learned is gone", content[:consumed-1], changed + ": it ends at byte"},
		{"without records", []byte(header), changed},
		{"all new", bytes.Replace(content, []byte("\nu"), []byte("\nv"), -1), changed},
		{"cut at the position", content[:consumed], ""},
		{"the first record that was not learned", altered(consumed), ""},
		{"untouched", content, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := interrupted.copied(t)
			write(t, folder, "table.csv", c.now)
			f, err := j.run()
			if c.words == "" {
				filetest.Check(t, err)
				filetest.Want(t, f.State.Bad, 0, "bad records")
				filetest.Want(t, f.State.Rows, int64(bytes.Count(c.now, []byte("\n"))-1), "rows")
				return
			}
			filetest.WantError(t, err, c.words, j.Input, "remedy: learn again")
			filetest.Want(t, j.state(t), before, "the checkpoint's state")
			if c.name != "all new" {
				return
			}
			j.Again = true
			f = j.mustRun(t)
			got := []int64{f.State.Rows, f.Learner.Rows(), int64(len(f.State.Earlier))}
			filetest.Want(t, got, []int64{rows, learned + 1 + rows, 1}, "rows with again, all rows, and earlier inputs")
		})
	}
}

// meddling is a source during whose reading something happens, perhaps to the files.
type meddling struct {
	source.Source
	at    int64 // record
	do    func()
	fails error // before that record

	ends func(records int64) // at the end of the source; may be nil
}

// Drains says that what interrupts a program takes effect at once, even if a pipe has more.
func (m *meddling) Drains() bool { return false }

// Read reads the source, and meddles.
func (m *meddling) Read(ctx context.Context, from source.Position) iter.Seq2[source.Entry, error] {
	return func(yield func(source.Entry, error) bool) {
		var at records.Position
		_ = json.Unmarshal(from, &at) // nil is the beginning
		meddle := func() bool {
			if at.Record == m.at && m.do != nil {
				m.do()
				m.do = nil
			}
			return at.Record == m.at && m.fails != nil && !yield(source.Entry{}, m.fails)
		}
		if meddle() {
			return
		}
		for e, err := range m.Source.Read(ctx, from) {
			if !yield(e, err) {
				return
			}
			if !e.Waits {
				at.Record++
			}
			if meddle() {
				return
			}
		}
		if m.ends != nil {
			m.ends(at.Record)
		}
	}
}

// meddle makes something happen when the job reads a record, after it has saved its first checkpoint.
func (j *job) meddle(at int64, do func()) {
	var once sync.Once
	saved := make(chan struct{})
	j.progress = func(State) { once.Do(func() { close(saved) }) }
	j.wrap = func(s source.Source) source.Source { return &meddling{Source: s, at: at, do: func() { <-saved; do() }} }
}

// TestChangeUnderWay changes files while a feed uses them.
func TestChangeUnderWay(t *testing.T) {
	alone(t)
	t.Parallel()
	const rows = 300
	content := generate(rows, "number")
	other := bytes.Replace(content, []byte("u"), []byte("v"), -1)
	const changed = "table.csv has changed in the part that was learned"
	for _, c := range []struct {
		name    string
		do      func(j job) error
		words   string // of the error
		resumes bool   // the program goes on with the input's new name, input.old
	}{
		{"nothing", func(job) error { return nil }, "", false},
		{"the input is written again", func(j job) error { return os.WriteFile(j.Input, other, 0o644) }, changed, false},
		{"the input is cut", func(j job) error { return os.Truncate(j.Input, 100) }, changed, false},
		{"the output is cut", func(j job) error { return os.Truncate(j.output(), 100) },
			"was cut or replaced while forecasts were written", false},
		{"another input takes the name", func(j job) error {
			if err := os.Rename(j.Input, j.Input+".old"); err != nil {
				return err
			}
			return os.WriteFile(j.Input, other, 0o644)
		}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := stopped(t, job{Input: write(t, t.TempDir(), "table.csv", content), Target: "number"}, rows/3)
			kept := j.state(t)
			changing := j
			changing.meddle(rows/2, func() { filetest.Want(t, c.do(j), nil, "the error of the change") })
			_, err := changing.run()
			if c.words != "" {
				filetest.WantError(t, err, c.words)
				now := j.state(t)
				filetest.Want(t, string(now.Position), string(kept.Position), "the checkpoint's position")
				filetest.Want(t, now.Output, kept.Output, "the checkpoint's length of the output")
				return
			}
			filetest.Check(t, err)
			if c.resumes {
				_, err = j.run()
				filetest.WantError(t, err, "table.csv was learned to its end, and that part has changed: bytes 0 to")
				j.Input += ".old"
				f := j.mustRun(t)
				filetest.Want(t, f.State.Rows, rows, "rows with the new name")
				filetest.Want(t, string(f.State.Input.Name), j.Input, "the input's name")
			}
			same(t, j, undisturbed(t, j, nil, rows))
		})
	}
}

// TestEditUnderWay edits a row that was read a moment ago. The fingerprint must be of the row that was learned.
func TestEditUnderWay(t *testing.T) {
	content, folder := generate(5000, "number"), t.TempDir()
	j := job{Input: write(t, folder, "table.csv", content), Folder: filetest.Folder(t), Target: "number", Every: time.Hour}
	edited := bytes.Clone(content)
	edited[70_000] ^= 1
	j.meddle(4000, func() { write(t, folder, "table.csv", edited) })
	j.mustRun(t)
	_, err := j.run()
	filetest.WantError(t, err, "bytes 65536 to 131071 differ")
}

// TestInputs feeds one input after the other. One of them is left before its end, while its labels are late.
func TestInputs(t *testing.T) {
	alone(t)
	t.Parallel()
	folder := t.TempDir()
	first, second := generate(400, "number"), generate(300, "two classes")
	second = bytes.ReplaceAll(bytes.ReplaceAll(second, []byte("yes"), []byte("1")), []byte("no"), []byte("0"))
	j := job{Input: write(t, folder, "first.csv", first), Target: "number", Delay: 500}
	next := write(t, folder, "second.csv", second)
	j = stopped(t, j, 199)
	filetest.Want(t, j.state(t).Rows, 200, "rows of the first input")
	j.Input = next
	filetest.WantError(t, filetest.Failure(j.run()), "200 records of", "first.csv were learned, and the rest was not")
	j.Again = true
	f := j.mustRun(t)
	filetest.Want(t, []int64{f.Learner.Rows(), f.State.Rows}, []int64{500, 300}, "all rows, and new ones")
	filetest.Want(t, f.State.Earlier[0].Rows, 200, "rows of the earlier input")
	filetest.Want(t, bytes.Count(filetest.Must(os.ReadFile(j.output()))(t), []byte("\n")), 301, "lines of the output, which begins anew")
	j.Again = false
	j.Input = filepath.Join(folder, "first.csv")
	filetest.WantError(t, filetest.Failure(j.run()), "was learned before: 200 rows")
	j.Input = next
	filetest.Want(t, j.mustRun(t).Learner.Rows(), 500, "rows learned after a run of an input that has not grown")
	write(t, folder, "second.csv", append(bytes.Clone(second), "u1,x,3,1\nu2,x,4,0\n"...))
	s := stopped(t, j, 300).state(t)
	filetest.True(t, !s.Ended && s.Rows == 301, "an input that has grown was stopped before its end: %+v", s)
	f = j.mustRun(t)
	filetest.Want(t, [2]int64{f.Learner.Rows(), f.State.Rows}, [2]int64{502, 302}, "all rows, and new ones, with two appended")
	filetest.True(t, f.State.Ended, "the input has not ended")
}

// TestEmptyInput reads an input without records. It must not be taken for every other file.
func TestEmptyInput(t *testing.T) {
	alone(t)
	t.Parallel()
	folder := t.TempDir()
	j := job{Input: write(t, folder, "empty.csv", []byte(header)), Folder: filetest.Folder(t), Target: "number"}
	j.mustRun(t)
	j.Input = write(t, folder, "table.csv", generate(50, "number"))
	filetest.Want(t, len(j.mustRun(t).State.Earlier), 0, "earlier inputs")
	same(t, j, undisturbed(t, j, nil, 50))
}
