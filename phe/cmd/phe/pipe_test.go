package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
)

// wideRows are rows of 450 bytes. A pipe and a reader's buffer hold 128 KiB, so whoever has written more knows that some were read.
func wideRows(from, to int) string {
	var b strings.Builder
	if from == 0 {
		b.WriteString("customer,page,note,bought\n")
	}
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "c%d,p%d,%s,%s\n", i*7%40, i%5, strings.Repeat("x", 440), []string{"yes", "no", "no"}[i*7%40%3])
	}
	return b.String()
}

// learning are the arguments of `phe stream` for wide rows and for sales.
var learning = []string{"--target", "bought", "--drop", "note", "--memory", "16K", "--model"}

// piped is `phe stream` with a pipe.
type piped struct {
	*exec.Cmd
	pipe      io.WriteCloser
	out, told bytes.Buffer
}

// startPiped starts `phe stream` with a pipe. It learns the first rows.
func startPiped(t *testing.T, rows, model string, more ...string) *piped {
	t.Helper()
	p := &piped{Cmd: program(t, "", slices.Concat([]string{"stream", "-"}, learning, []string{model}, more)...)}
	p.Stdout, p.Stderr = &p.out, &p.told
	p.pipe = filetest.Must(p.StdinPipe())(t)
	filetest.Check(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill() })
	filetest.Must(io.WriteString(p.pipe, rows))(t)
	return p
}

// end closes the pipe, and waits for the program's end.
func (p *piped) end(t *testing.T) error {
	t.Helper()
	filetest.Check(t, p.pipe.Close())
	return p.Wait()
}

// rowsOf returns the number of rows in a model.
func rowsOf(t *testing.T, model string) (rows int) {
	t.Helper()
	out := call(t, "", "eval", model).prints(t).stdout
	filetest.Must(fmt.Sscanf(strings.ReplaceAll(out, ",", ""), "%d rows learned", &rows))(t)
	return rows
}

// Ctrl-C while a pipe's first rows wait for the schema: those that came are learned, and the pipe goes on when it is sent again.
func TestPipeStoppedEarly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals here")
	}
	model := filepath.Join(filetest.Folder(t), "m.phe")
	p := startPiped(t, wideRows(0, 900), model)
	filetest.Check(t, p.Process.Signal(os.Interrupt))
	_ = p.Wait() // the pipe stays open
	rows := rowsOf(t, model)
	filetest.Want(t, p.ProcessState.ExitCode(), exitInterrupted, "exit code")
	filetest.True(t, rows > 0, "no row is kept")
	filetest.WantWords(t, p.told.String(), fmt.Sprintf("stopped after %d rows; the same command continues", rows))
	p = startPiped(t, wideRows(0, 1200), model)
	filetest.Check(t, p.end(t))
	filetest.True(t, strings.HasPrefix(p.out.String(), "1,200 rows learned; "), "%s", &p.out)
}

// A signal while a pipe is silent before its first rows have shown the columns: the program ends at once and says what to send again.
func TestPipeStoppedWaiting(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals here")
	}
	for _, rows := range []int{0, 5, 40, 999} {
		t.Run(fmt.Sprint(rows), func(t *testing.T) {
			t.Parallel()
			folder := filetest.Folder(t)
			p := startPiped(t, strings.Repeat("\n", 150_000)+wideRows(0, rows), filepath.Join(folder, "m.phe")) // so it has begun to read
			time.Sleep(time.Second / 2)                                                                         // for the rest
			filetest.Check(t, p.Process.Signal(syscall.SIGTERM))
			hangs := time.AfterFunc(20*time.Second, func() { _ = p.Process.Kill() })
			_ = p.Wait()
			files := filetest.Must(os.ReadDir(folder))(t)
			want := map[int]string{0: "stopped too early to begin", 999: "stopped after 999 rows; the same command continues"}[rows]
			if want == "" {
				want = fmt.Sprintf("%d rows came without being learned; send the pipe from its beginning again", rows)
			}
			filetest.True(t, hangs.Stop(), "it does not end")
			filetest.Want(t, p.ProcessState.ExitCode(), exitInterrupted, "exit code")
			filetest.WantWords(t, p.told.String(), want)
			filetest.WantNone(t, p.told.String(), "the current step")
			filetest.Want(t, len(files) == 0, rows < 999, "no file")
		})
	}
}

// A forecast is written when its record was read, before the next one comes.
func TestPredictAnswers(t *testing.T) {
	t.Parallel()
	path, model := filepath.Join(write(t, "visits.csv", []byte(sales(100))), "visits.csv"), filepath.Join(t.TempDir(), "m.phe")
	call(t, "", "stream", path, "--target", "bought", "--memory", "16K", "--model", model).prints(t)
	for _, rows := range [][]string{{"price;customer;new\n10;c1;x\n", "11;c2;y\n", "12;c9;z\n"},
		{`{"price":10,"customer":"c1"}` + "\n", `{"price":11,"customer":"c2"}` + "\n"}} {
		c := program(t, "", "predict", model, "-")
		pipe, out := filetest.Must(c.StdinPipe())(t), filetest.Must(c.StdoutPipe())(t)
		filetest.Check(t, c.Start())
		hangs, answers := time.AfterFunc(20*time.Second, func() { _ = c.Process.Kill() }), bufio.NewScanner(out)
		for n, row := range rows {
			filetest.Must(io.WriteString(pipe, row))(t)
			for answers.Scan() && !strings.HasPrefix(answers.Text(), fmt.Sprint(n+1)) { // the header comes first
			}
			filetest.True(t, answers.Text() != "", "no answer to %q", row)
		}
		hangs.Stop()
		filetest.Check(t, pipe.Close())
		filetest.Check(t, c.Wait())
	}
}

// A row that cannot be read, among those that wait for the schema.
func TestPipeBadRow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rows       int
		says, flag string // words of the error; none where there is no error
	}{
		{100, "51 rows came without being learned; send the pipe from its beginning again: stopped after 100 rows of standard input, " +
			"which ", "--bad=stop"},
		{150, "", "--bad=skip"},
	} {
		model := filepath.Join(filetest.Folder(t), "m.phe")
		p := startPiped(t, wideRows(0, 100)+"too,few\n"+wideRows(100, 150), model, c.flag)
		filetest.Want(t, p.end(t) == nil, c.says == "", "it ends without an error, %s", c.flag)
		filetest.Want(t, rowsOf(t, model), c.rows, "rows that are learned, %s", c.flag)
		if c.says != "" {
			filetest.WantWords(t, p.told.String(), c.says+model+" keeps: ")
		}
	}
}

// A checkpoint that cannot be saved: the error names the rows that the model keeps, which are fewer.
func TestStoppedWithoutCheckpoint(t *testing.T) {
	t.Parallel()
	folder := filetest.Folder(t)
	model, forecasts := filepath.Join(folder, "m.phe"), filepath.Join(folder, "forecasts.csv")
	p := startPiped(t, wideRows(0, 1500), model, "--predictions", forecasts, "--checkpoint", "10ms")
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if info, err := os.Stat(forecasts); err == nil && info.Size() > 10_000 { // forecasts reach the file in blocks, or by a checkpoint
			break
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("no checkpoint: %s", &p.told)
		}
	}
	filetest.Check(t, os.Truncate(forecasts, 1000))
	_, _ = io.WriteString(p.pipe, wideRows(1500, 3000)) // it fails when the program has ended
	_ = p.pipe.Close()
	_ = p.Wait()
	var stopped, kept int
	text := strings.ReplaceAll(p.told.String(), ",", "")
	_, tail, _ := strings.Cut(text, "stopped after")
	said := " %d rows of standard input; " + model + " keeps %d of them and the same command learns the others again"
	filetest.Must(fmt.Sscanf(tail, said, &stopped, &kept))(t)
	filetest.Want(t, kept, rowsOf(t, model), "rows that it says are kept")
	filetest.True(t, stopped > kept, "%d rows were learned, and all %d are kept", stopped, kept)
	filetest.WantWords(t, text, "was cut or replaced while")
}

// An input that the shell gives is an input too, and standard output under its name is no file to replace.
func TestRedirections(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no /dev/stdout here")
	}
	folder := filetest.Folder(t)
	path, model := filepath.Join(folder, "visits.csv"), filepath.Join(folder, "m.phe")
	rows := wideRows(0, 60)
	filetest.Check(t, os.WriteFile(path, []byte(rows), 0o644))
	call(t, "", append(append([]string{"stream", path}, learning...), model)...).prints(t)
	want := call(t, "", "predict", model, path).prints(t).stdout
	filetest.Check(t, os.WriteFile(filepath.Join(folder, "log"), []byte("a log\n"), 0o644))
	for _, c := range []struct {
		in, to, word string // files of standard input and output, and the error
		args         []string
	}{
		{path, "", "would be written over", []string{"-", "--to", path, "--overwrite"}},
		{"", path, "would be written over", []string{path}},
		{"", path, "would be written over", []string{path, "--to", "/dev/stdout"}},
		{path, path, "would be written over", []string{"-"}},
		{"", filepath.Join(folder, "new.csv"), "", []string{path, "--to", "/dev/stdout"}},
		{path, filepath.Join(folder, "new2.csv"), "", []string{"-"}},
		{"", filepath.Join(folder, "log"), "", []string{path, "--to", "/dev/stdout"}},
	} {
		p := program(t, "", append([]string{"predict", model}, c.args...)...)
		var told bytes.Buffer
		p.Stderr = &told
		if c.in != "" {
			p.Stdin = filetest.Must(os.Open(c.in))(t)
		}
		if c.to != "" {
			p.Stdout = filetest.Must(os.OpenFile(c.to, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644))(t)
		}
		what := fmt.Sprintf("phe predict m.phe %v < %s >> %s", c.args, c.in, c.to)
		filetest.Want(t, p.Run() == nil, c.word == "", "%s ends without an error", what)
		filetest.WantWords(t, told.String(), c.word)
		filetest.Want(t, string(filetest.Must(os.ReadFile(path))(t)), rows, "the input after %s", what)
		if c.word == "" {
			written := string(filetest.Must(os.ReadFile(c.to))(t))
			filetest.Want(t, strings.TrimPrefix(written, "a log\n"), want, "output of %s", what)
		}
	}
}
