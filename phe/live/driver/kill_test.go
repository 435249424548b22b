package driver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/checkpoint"
)

// killing kills the children of a job at random moments.
type killing struct {
	job    job
	in     []byte // content of a pipe
	random *rand.Rand
	before func() (complete bool) // makes the input grow before a start

	starts, kills int
	saving        int // kills in the middle of a save
}

// run kills children until one reaches the end of the input. After a number of kills it waits for the end.
func (k *killing) run(t *testing.T, most int) {
	t.Helper()
	for {
		complete := k.before == nil || k.before()
		k.job.Every = time.Duration(2+k.random.IntN(99)) * time.Millisecond
		var pipe io.Reader
		if k.in != nil {
			pipe = struct{ io.Reader }{bytes.NewReader(k.in)} // hidden in a struct, so that exec makes a pipe
		}
		c := filetest.Start(t, "feed", string(filetest.Must(json.Marshal(k.job))(t)), pipe)
		k.starts++
		if k.kills < most {
			if k.random.IntN(5) > 0 { // else kill it as it starts
				c.Lines.Scan()
			}
			time.Sleep(time.Duration(k.random.IntN(100)) * time.Millisecond)
			if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
		}
		err := c.Wait()
		switch {
		case err == nil && complete:
			return
		case c.Errors.Len() > 0: // a child that is killed says nothing
			t.Fatalf("start %d, after %d kills: %s", k.starts, k.kills, &c.Errors)
		case err != nil:
			k.kills++
			for _, name := range checkpoint.Files(k.job.model())[2:4] { // they exist only during a save
				if _, err := os.Stat(name); err == nil {
					k.saving++
					break
				}
			}
		}
	}
}

// undisturbed returns the result of a job that runs in another folder without a stop, and with another time between its
// checkpoints. The learner must then have learned all rows.
func undisturbed(t *testing.T, j job, in []byte, rows int) result {
	t.Helper()
	j.Folder, j.Every, j.Slow = filetest.Folder(t), 300*time.Millisecond, true
	if in != nil {
		j.pipe = bytes.NewReader(in)
	}
	f := j.mustRun(t)
	filetest.Want(t, f.Learner.Rows(), int64(rows), "rows learned")
	filetest.True(t, f.State.Ended, "the input has not ended")
	r := filetest.Must(j.result())(t)
	filetest.Want(t, bytes.Count(r.output, []byte("\n")), 1+rows, "lines of forecasts")
	filetest.Want(t, int64(len(r.output)), f.State.Output, "bytes of forecasts")
	return r
}

// same checks that a job has left the same bytes as an undisturbed job. The checkpoint has the number of learned rows.
func same(t *testing.T, j job, want result) {
	t.Helper()
	got := filetest.Must(j.result())(t)
	sameBytes(t, "forecasts", got.output, want.output)
	sameBytes(t, "the checkpoint", got.payload, want.payload)
}

// sameBytes says where the bytes of a job differ from those without a stop.
func sameBytes(t *testing.T, what string, got, want []byte) {
	t.Helper()
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	filetest.True(t, bytes.Equal(got, want), "%s: %d bytes, and %d without a stop; from byte %d on %.99q, and %.99q without a stop",
		what, len(got), len(want), at, got[at:], want[at:])
}

// TestKill kills a program until a number of kills is reached. Each time the program ends, its checkpoint and its forecasts must be
// the bytes of a program that was never stopped, and the program begins anew.
func TestKill(t *testing.T) {
	for _, c := range []struct {
		name        string
		target      string
		delay       int
		pipe        bool
		rows, kills int
	}{
		{"folder", "number", 500, false, size(9_000, 100_000, 2_000), size(4, 100, 1)},
		{"number", "number", 0, false, size(30_000, 100_000, 2_000), size(10, 300, 2)},
		{"labels from a second log", "number", 0, false, size(4_000, 30_000, 0), size(3, 30, 0)},
		{"late labels", "number", 500, false, size(12_000, 100_000, 0), size(4, 60, 0)},
		{"pipe", "number", 0, true, size(12_000, 100_000, 2_000), size(4, 60, 2)},
		{"two classes, waking", "waking", 0, false, size(8_000, 50_000, 0), size(3, 30, 0)},
		{"several classes", "several classes", 0, false, size(8_000, 50_000, 0), size(3, 30, 0)},
		{"count", "count", 0, false, size(8_000, 50_000, 0), size(3, 30, 0)},
		{"late counts of a pipe", "count", 500, true, size(8_000, 50_000, 1_000), size(3, 30, 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.rows == 0 {
				t.Skip(nothingConcurrent)
			}
			t.Parallel()
			content := generate(c.rows, c.target)
			k := killing{random: rand.New(rand.NewPCG(1, uint64(len(c.name)))), job: job{Target: c.target, Delay: c.delay}}
			if k.job.Input = "-"; c.pipe {
				k.in = content
			} else {
				k.job.Input = write(t, t.TempDir(), "table.csv", content)
			}
			if c.name == "labels from a second log" {
				rows, labels := apart(content)
				k.job.Input, k.job.Labels = write(t, t.TempDir(), "rows.csv", rows), write(t, t.TempDir(), "labels.csv", labels)
			}
			one := undisturbed(t, k.job, k.in, c.rows)
			if c.name == "folder" {
				k.job.Input = split(t, lines(content))
			}
			want := undisturbed(t, k.job, k.in, c.rows)
			filetest.True(t, withoutState(one.payload) == withoutState(want.payload), "a folder leaves another learner than one file")
			filetest.True(t, bytes.Equal(one.output, want.output), "a folder leaves other forecasts than one file")
			for rounds := 1; ; rounds++ {
				k.job.Folder = filetest.Folder(t)
				k.run(t, c.kills)
				same(t, k.job, want)
				if k.kills >= c.kills || t.Failed() {
					t.Logf("%d rows, %d kills, %d of them during a save, %d starts, %d times to the end; %d bytes of forecasts, %d saved",
						c.rows, k.kills, k.saving, k.starts, rounds, len(want.output), len(want.payload))
					return
				}
			}
		})
	}
}

// TestKillWhileInputGrows appends to the input before each start, often in the middle of a line.
func TestKillWhileInputGrows(t *testing.T) {
	alone(t)
	t.Parallel()
	rows, kills := size(20_000, 100_000, 0), size(5, 60, 0)
	content := generate(rows, "number")
	folder := t.TempDir()
	j := job{Input: write(t, folder, "growing.csv", content[:len(header)]), Target: "number", Folder: filetest.Folder(t)}
	k := killing{random: rand.New(rand.NewPCG(2, 3)), job: j}
	file := filetest.Must(os.OpenFile(k.job.Input, os.O_WRONLY|os.O_APPEND, 0))(t)
	defer file.Close()
	left := content[len(header):]
	k.before = func() bool {
		n := min(len(left), k.random.IntN(2*len(content)/kills))
		filetest.Must(file.Write(left[:n]))(t)
		left = left[n:]
		return len(left) == 0
	}
	k.run(t, kills)
	same(t, k.job, undisturbed(t, k.job, nil, rows))
	t.Logf("%d rows, %d kills, %d of them during a save, %d starts", rows, k.kills, k.saving, k.starts)
}

// TestKillWhileLogRotates writes a log while programs read it and while none does, and renames it, often in the middle of a line.
func TestKillWhileLogRotates(t *testing.T) {
	alone(t)
	t.Parallel()
	rows, kills := size(6_000, 100_000, 0), size(4, 100, 0)
	content, log := generate(rows, "number"), filepath.Join(t.TempDir(), "log.csv")
	left, turns, wrote := lines(content)[1:1+rows], 0, make(chan bool, 1)
	random, folder := rand.New(rand.NewPCG(6, 7)), filetest.Folder(t)
	begin := func() *os.File {
		file := filetest.Must(os.Create(log))(t)
		filetest.Must(file.WriteString(header))(t)
		return file
	}
	file := begin()
	grow := func(n int) {
		for ; n > 0 && len(left) > 0; n, left = n-1, left[1:] {
			half := random.IntN(len(left[0]))
			filetest.Must(file.Write(left[0][:half]))(t)
			_, early := os.Stat(job{Folder: folder}.model()) // learning has not begun in the first file
			if early != nil || random.IntN(rows/40) > 0 {
				filetest.Must(file.Write(left[0][half:]))(t)
				continue
			}
			long := time.Now().Add(-time.Hour) // a file that has not changed since then is left at once
			for k := turns; k > 0; k-- {
				filetest.Check(t, os.Rename(fmt.Sprint(log, ".", k), fmt.Sprint(log, ".", k+1)))
				filetest.Check(t, os.Chtimes(fmt.Sprint(log, ".", k+1), long, long))
			}
			filetest.Check(t, os.Rename(log, log+".1"))
			time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
			filetest.Must(file.Write(bytes.TrimSuffix(left[0][half:], []byte("\n\n")[random.IntN(2):])))(t)
			if random.IntN(4) > 0 {
				filetest.Check(t, os.Chtimes(log+".1", long, long))
			}
			filetest.Check(t, file.Close())
			file, turns = begin(), turns+1
		}
		wrote <- true
	}
	grow(10)
	k := killing{random: rand.New(rand.NewPCG(4, 5)), job: job{Input: log, Target: "number", Folder: folder, Follow: true,
		Rows: int64(rows)}}
	k.before = func() (complete bool) {
		if <-wrote; k.kills < kills {
			go grow(random.IntN(2 * rows / kills))
			return false
		}
		grow(rows)
		return true
	}
	k.run(t, kills)
	filetest.Check(t, file.Close())
	one := k.job
	one.Input, one.Follow, one.Rows = write(t, t.TempDir(), "one.csv", content), false, 0
	want, got := undisturbed(t, one, nil, rows), filetest.Must(k.job.result())(t)
	sameBytes(t, "forecasts", got.output, want.output)
	filetest.True(t, withoutState(got.payload) == withoutState(want.payload), "the learner has other bits than of one file")
	t.Logf("%d rows, %d turns of the log, %d kills, %d of them during a save, %d starts", rows, turns, k.kills, k.saving, k.starts)
}

func TestMain(m *testing.M) {
	filetest.Main(m, func(_, argument string) error {
		j := job{pipe: os.Stdin}
		if err := json.Unmarshal([]byte(argument), &j); err != nil {
			return err
		}
		var once sync.Once // for its first checkpoint
		j.progress = func(State) { once.Do(func() { fmt.Println("begun") }) }
		_, err := j.run()
		return err
	})
}

// size returns a size for the short form of a test, for its long form, and for the race detector.
func size(short, thorough, race int) int {
	switch {
	case raceEnabled:
		return race
	case filetest.Long():
		return thorough
	}
	return short
}

// nothingConcurrent is why the race detector skips some tests.
const nothingConcurrent = "one goroutine does it all, and the race detector is ten times as slow"

// alone skips a test of one goroutine under the race detector.
func alone(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip(nothingConcurrent)
	}
}

// write writes a file into a folder and returns its path.
func write(t testing.TB, folder, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(folder, name)
	filetest.Check(t, os.WriteFile(path, content, 0o644))
	return path
}
