package driver

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/disk/filetest"
	outputs "gophe/phe/disk/outfile"
	"gophe/phe/live/checkpoint"
	"gophe/phe/live/source"
	"gophe/phe/live/store"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// TestOutputChanged changes the file of forecasts while the program is stopped.
func TestOutputChanged(t *testing.T) {
	alone(t)
	t.Parallel()
	const rows = 3000 // their forecasts take more than 64 KiB
	content := generate(rows, "number")
	j := stopped(t, job{Input: write(t, t.TempDir(), "table.csv", content), Target: "number"}, 2500)
	want := undisturbed(t, j, nil, rows)
	forecasts := filetest.Must(os.ReadFile(j.output()))(t)
	filetest.True(t, len(forecasts) > disk.HeadBytes+disk.TailBytes, "%d bytes of forecasts", len(forecasts))
	altered := func(at int) []byte {
		b := bytes.Clone(forecasts)
		b[at] ^= 1
		return b
	}
	replaced := "does not begin with the"
	for _, c := range []struct {
		name  string
		now   []byte
		words string // of the error
	}{
		{"a byte is missing", forecasts[:len(forecasts)-1], "was cut or replaced"},
		{"empty", nil, "was cut or replaced"},
		{"another beginning", altered(0), "holds something other than forecasts"},
		{"another end", altered(len(forecasts) - 1), replaced},
		{"a line after the end", append(bytes.Clone(forecasts), "2502,1,0,2,3\n"...), "lines of another program after byte"},
		{"as it was", forecasts, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := j.copied(t)
			write(t, j.Folder, "forecasts.csv", c.now)
			_, err := j.run()
			if c.words == "" {
				filetest.Check(t, err)
				same(t, j, want)
				return
			}
			filetest.WantError(t, err, c.words, j.output(), "remedy: ", "forecasts")
			filetest.True(t, bytes.Equal(filetest.Must(os.ReadFile(j.output()))(t), c.now), "the file was changed")
		})
	}
	t.Run("missing", func(t *testing.T) {
		j := j.copied(t)
		filetest.Check(t, os.Remove(j.output()))
		filetest.WantError(t, filetest.Failure(j.run()), "forecasts.csv is missing", "remedy: new forecasts")
		filetest.True(t, filetest.Failure(os.Stat(j.output())) != nil, "an empty file was made in the place of the missing one")
	})
	t.Run("left out for a while", func(t *testing.T) {
		j := j.copied(t)
		j.Silent = true
		quiet := stopped(t, j, 2700)
		quiet.Silent = false
		quiet.mustRun(t)
		b := filetest.Must(os.ReadFile(j.output()))(t)
		filetest.True(t, bytes.HasPrefix(b, forecasts), "the forecasts of before are gone")
		filetest.True(t, bytes.Contains(b[len(forecasts):], []byte("\n3000,")), "the last forecast is not there")
		filetest.Want(t, bytes.Count(b, []byte("\n")), 1+2501+299, "lines of forecasts")
	})
}

// TestOutputAfterKill changes forecasts after a kill. The program goes on, or begins them anew, if the checkpoint's bytes and
// forecasts of the next records are there. It stops, and changes no file, if anything else is there.
func TestOutputAfterKill(t *testing.T) {
	alone(t)
	t.Parallel()
	const rows, kill = 60, 50
	j := job{Input: write(t, t.TempDir(), "table.csv", generate(rows, "number")), Folder: filetest.Folder(t), Target: "number",
		Every: time.Hour, Slow: true}
	whole := undisturbed(t, j, nil, rows)
	at := func(line int) int { return len(bytes.Join(lines(whole.output)[:line], nil)) }
	for _, safe := range []int{0, 20} { // records in the last checkpoint
		killed := j
		killed.Folder = filetest.Folder(t)
		if safe > 0 {
			killed = stopped(t, killed, safe-1)
		}
		taken := job{Folder: filetest.Folder(t)}
		killed.meddle(int64(safe)+1, func() { write(t, taken.Folder, "model", filetest.Must(os.ReadFile(killed.model()))(t)) })
		killed.mustRun(t)
		begin, out := at(safe), whole.output[:at(kill)]
		if safe > 0 {
			begin = at(safe + 1)
		}
		cleared := bytes.Clone(whole.output[:at(kill)])
		from := (begin/512 + 1) * 512
		clear(cleared[from : from+512])
		_, state, err := Load(filetest.Must(checkpoint.Peek(taken.model()))(t))
		filetest.Check(t, err)
		all, half := string(out), string(out[:len(out)-7])
		left := map[string]bool{ // and whether it is ours
			all: true, string(out[:begin]): true, half: true, string(out[:at(kill-1)+1]): true,
			all + strings.Repeat("\x00", 99): true, string(cleared): true, half + "a note\n": false,
		}
		for _, more := range []string{"a note\n", "half a no", "\n", "1,1,0,2,3\n", "99,1,0,2,3\n", "50,1,2\n", "50,1,0,2,3\r\n", "49,1,0",
			"50,x", "\x00\x00a note\n", "\"50\",1,0,2,3\n"} {
			left[all+more] = false
		}
		for content, ours := range left {
			path := write(t, taken.Folder, "forecasts.csv", []byte(content))
			anew := State{last: state.output()} // as --force and another input begin
			for what, s := range map[string]*State{"go on": &state, "begin anew": &anew} {
				o, err := openOutput(s, schemaOf("number"), Options{Output: path, Disk: disk.System}, false)
				filetest.True(t, (err == nil) == ours, "%d records safe, %s after %q: %v", safe, what, content, err)
				if err == nil {
					o.close()
				}
			}
		}
		taken.Input, taken.Target = killed.Input, killed.Target
		write(t, taken.Folder, "forecasts.csv", out)
		taken.mustRun(t)
		same(t, taken, whole)
	}
}

// TestKind: only a whole first line tells the kind of a file.
func TestKind(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]bool{"record,p(yes),novelty\n1,": true,
		"record,\"a,\n\"\"b\",forecast,low,high,novelty\n": true,
		"records of a shop": false, "record,a\n1,novelty\n": false, "\x00\x00": false} {
		at := outputs.Place{Path: write(t, t.TempDir(), "f.csv", []byte(content)), Overwrite: true, Kind: Kind}
		err := at.Check()
		filetest.True(t, (err == nil) == want, "%q: %v", content, err)
	}
}

// TestOutputPlace names files for the forecasts that must not be written over.
func TestOutputPlace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	content := generate(10, "number")
	input := write(t, folder, "table.csv", content)
	if err := os.Symlink(input, filepath.Join(folder, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	for _, c := range []struct{ output, words string }{
		{"table.csv", "the output would be written over " + input},
		{"link", "the output would be written over " + input},
		{"model", "the output would be written over " + filepath.Join(folder, "model")},
		{"model.old", "the output would be written over " + filepath.Join(folder, "model.old")},
		{"model.saving", "the output would be written over"},
		{".", "is a folder"},
		{"missing/forecasts.csv", "opening the file for forecasts"},
	} {
		j := job{Input: input, Folder: folder, Target: "number", Output: filepath.Join(folder, c.output)}
		filetest.WantError(t, filetest.Failure(j.run()), c.words, "remedy: other output")
		for _, name := range []string{"model", "model.old"} {
			filetest.True(t, filetest.Failure(os.Stat(filepath.Join(folder, name))) != nil, "%s: there is a %s now", c.output, name)
		}
	}
	filetest.True(t, bytes.Equal(filetest.Must(os.ReadFile(input))(t), content), "the input was changed")
}

// TestFirstCheckpoint looks at the moment before the first record is read. The checkpoint must then have the new input, so that a
// kill does not begin with another schema. If it cannot be saved, the forecasts for the last input must stay.
func TestFirstCheckpoint(t *testing.T) {
	alone(t)
	t.Parallel()
	folder := t.TempDir()
	j := job{Input: write(t, folder, "first.csv", generate(20, "number")), Folder: filetest.Folder(t), Target: "number"}
	j.mustRun(t)
	before := filetest.Must(os.ReadFile(j.output()))(t)
	j.Input = write(t, folder, "second.csv", generate(10, "count"))
	file := filetest.Must(store.OpenFile(j.model()))(t)
	l, s, err := j.load(file.Store)
	filetest.Check(t, err)
	d := &Driver{Learner: l, State: s, store: file}
	in := filetest.Must(j.open(t.Context(), d))(t)
	defer in.Close()
	filetest.Check(t, file.Close())
	filetest.WantError(t, d.Run(t.Context(), j.options()), "store is closed")
	filetest.True(t, bytes.Equal(filetest.Must(os.ReadFile(j.output()))(t), before), "the forecasts changed before the checkpoint failed")
	j.wrap = func(s source.Source) source.Source {
		return &meddling{Source: s, do: func() {
			s := j.state(t)
			filetest.Want(t, string(s.Input.Name), j.Input, "the input before the first record")
			filetest.Want(t, []int64{s.Rows, s.Output, int64(len(s.Earlier))}, []int64{0, 0, 1}, "rows, bytes and earlier inputs")
			filetest.Want(t, filetest.Must(os.Stat(j.output()))(t).Size(), 0, "bytes of the forecasts for the last input")
		}}
	}
	j.mustRun(t)
}

// TestFailedOutput lets a write fail. No later sync may succeed, since the bytes in between are lost.
func TestFailedOutput(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "forecasts.csv")
	o := filetest.Must(openOutput(&State{}, schemaOf("number"), Options{Output: path, Disk: disk.System}, false))(t)
	defer o.close()
	filetest.Check(t, o.write(1, nil, stream.Forecast{}))
	good, closed := o.file, filetest.Must(os.Create(path+"2"))(t)
	filetest.Check(t, closed.Close())
	o.file = closed
	_, first := o.sync()
	filetest.True(t, errors.Is(first, os.ErrClosed), "a sync of a closed file: %v", first)
	o.file = good
	_, second := o.sync()
	filetest.Want(t, second, first, "the next sync")
	filetest.Want(t, o.write(2, nil, stream.Forecast{}), first, "the next write")
}

// An interval far from 0 has as many digits as its width needs, and a wider one in the next row has six.
func TestNarrowInterval(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	write, r := Forecasts(&b, schemaOf("number")), schema.Record{"x", "1", "2"}
	filetest.Check(t, write(7, r, stream.Forecast{Value: 1e9 + 2.25, Low: 1e9 + 1.5, High: 1e9 + 3}))
	filetest.Check(t, write(8, r, stream.Forecast{Value: 1. / 3, Low: 1. / 3, High: 0.334}))
	filetest.Check(t, write(9, r, stream.Forecast{Value: -1234567.25, Low: -1234567.25, High: -1234567.25}))
	filetest.Want(t, b.String(), "record,forecast,low,high,novelty\n7,1000000002.25,1000000001.5,1000000003,0\n"+
		"8,0.333333,0.333333,0.334,0\n9,-1234567.25,-1234567.25,-1234567.25,0\n", "narrow intervals")
}

// TestWriter writes the forecasts of each kind of target.
func TestWriter(t *testing.T) {
	t.Parallel()
	f := stream.Forecast{Probability: 0.25, Classes: []float64{0.125, 0.5, 0.375}, Value: 1, Low: -1, High: 1e7, Novelty: 3}
	withID := schemaOf("number")
	withID.Columns[0] = schema.Column{Name: "order, no", Kind: schema.ID}
	r := schema.Record{"A\"1\r\n", "x", "1", "2"}
	for _, c := range []struct {
		name   string
		schema schema.Schema
		want   string
	}{
		{"number", schemaOf("number"), "record,forecast,low,high,novelty\n7,1,-1,1e+07,3\n8,1,-1,1e+07,3\n"},
		{"count", schemaOf("count"), "record,forecast,low,high,novelty\n7,1,-1,1e+07,3\n8,1,-1,1e+07,3\n"},
		{"two classes", schemaOf("two classes"), "record,p(yes),novelty\n7,0.25,3\n8,0.25,3\n"},
		{"several classes", schemaOf("several classes"), "record,forecast,p(low),\"p(middle, \"\"so-so\"\")\",p(high),novelty\n" +
			"7,\"middle, \"\"so-so\"\"\",0.125,0.5,0.375,3\n8,\"middle, \"\"so-so\"\"\",0.125,0.5,0.375,3\n"},
		{"an id", withID, "record,\"order, no\",forecast,low,high,novelty\n7,\"A\"\"1\r\n\",1,-1,1e+07,3\n8,\"A\"\"1\r\n\",1,-1,1e+07,3\n"},
	} {
		var b strings.Builder
		write := Forecasts(&b, c.schema)
		for record := range int64(2) {
			filetest.Check(t, write(7+record, r, f))
		}
		filetest.Want(t, b.String(), c.want, "%s", c.name)
	}
}
