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

// piped starts phe stream with a pipe.
func piped(t *testing.T, args ...string) (c *exec.Cmd, pipe io.WriteCloser, out, told *bytes.Buffer) {
	t.Helper()
	c, out, told = program(t, "", append([]string{"stream", "-"}, args...)...), &bytes.Buffer{}, &bytes.Buffer{}
	c.Stdout, c.Stderr = out, told
	pipe = filetest.Must(c.StdinPipe())(t)
	filetest.Check(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c, pipe, out, told
}

// rowsOf returns the number of rows in a model.
func rowsOf(t *testing.T, model string) (rows int) {
	t.Helper()
	_, out, told := call(t, "", "eval", model)
	if _, err := fmt.Sscanf(strings.ReplaceAll(out, ",", ""), "%d rows learned", &rows); err != nil {
		t.Fatalf("eval prints %q, %s", out, told)
	}
	return rows
}

// Ctrl-C while a pipe's first rows wait for the schema: those that came are learned, and the pipe goes on when it is sent again.
func TestPipeStoppedEarly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals here")
	}
	model := filepath.Join(filetest.Folder(t), "m.phe")
	args := []string{"--target", "bought", "--drop", "note", "--memory", "16K", "--model", model}
	c, pipe, _, told := piped(t, args...)
	filetest.Must(io.WriteString(pipe, wideRows(0, 900)))(t)
	filetest.Check(t, c.Process.Signal(os.Interrupt))
	_ = c.Wait() // the pipe stays open
	rows := rowsOf(t, model)
	if want := fmt.Sprintf("stopped after %d rows; the same command continues", rows); c.ProcessState.ExitCode() != exitInterrupted || rows == 0 || !strings.Contains(told.String(), want) {
		t.Errorf("exit code %d, %d rows kept: %s", c.ProcessState.ExitCode(), rows, told)
	}
	c, pipe, out, told := piped(t, args...)
	filetest.Must(io.WriteString(pipe, wideRows(0, 1200)))(t)
	filetest.Check(t, pipe.Close())
	if err := c.Wait(); err != nil || !strings.HasPrefix(out.String(), "1,200 rows learned") {
		t.Errorf("%v: %s%s", err, out, told)
	}
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
			args := []string{"--target", "bought", "--drop", "note", "--memory", "16K", "--model", filepath.Join(folder, "m.phe")}
			c, pipe, _, told := piped(t, args...)
			filetest.Must(io.WriteString(pipe, strings.Repeat("\n", 150_000)+wideRows(0, rows)))(t) // so it has begun to read
			time.Sleep(time.Second / 2)                                                             // for the rest
			filetest.Check(t, c.Process.Signal(syscall.SIGTERM))
			hangs := time.AfterFunc(20*time.Second, func() { _ = c.Process.Kill() })
			_ = c.Wait()
			files := filetest.Must(os.ReadDir(folder))(t)
			want := map[int]string{0: "stopped too early to begin", 999: "stopped after 999 rows; the same command continues"}[rows]
			if want == "" {
				want = fmt.Sprintf("%d rows came without being learned; send the pipe from its beginning again", rows)
			}
			if !hangs.Stop() || c.ProcessState.ExitCode() != exitInterrupted || !strings.Contains(told.String(), want) ||
				(len(files) == 0) != (rows < 999) ||
				strings.Contains(told.String(), "the current step") {
				t.Errorf("exit code %d, %d files: %s", c.ProcessState.ExitCode(), len(files), told)
			}
		})
	}
}

// A forecast is written when its record was read, before the next one comes.
func TestPredictAnswers(t *testing.T) {
	t.Parallel()
	path, model := filepath.Join(write(t, "visits.csv", []byte(sales(100))), "visits.csv"), filepath.Join(t.TempDir(), "m.phe")
	if code, _, told := call(t, "", "stream", path, "--target", "bought", "--memory", "16K", "--model", model); code != 0 {
		t.Fatal(told)
	}
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
			if answers.Text() == "" {
				t.Fatalf("no answer to %q", row)
			}
		}
		hangs.Stop()
		filetest.Check(t, pipe.Close())
		filetest.Check(t, c.Wait())
	}
}

// A row that cannot be read, among those that wait for the schema.
func TestPipeBadRow(t *testing.T) {
	t.Parallel()
	for _, skip := range []bool{false, true} {
		model := filepath.Join(filetest.Folder(t), "m.phe")
		args := []string{"--target", "bought", "--drop", "note", "--memory", "16K", "--model", model}
		if skip {
			args = append(args, "--bad", "skip")
		}
		c, pipe, _, told := piped(t, args...)
		filetest.Must(io.WriteString(pipe, wideRows(0, 100)+"too,few\n"+wideRows(100, 150)))(t)
		filetest.Check(t, pipe.Close())
		err, rows := c.Wait(), rowsOf(t, model)
		stops := strings.Contains(told.String(),
			"51 rows came without being learned; send the pipe from its beginning again: stopped after 100 rows, which "+model+" keeps: ")
		if (err == nil) != skip || skip && rows != 150 || !skip && (rows != 100 || !stops) {
			t.Errorf("skip %t: %v, %d rows: %s", skip, err, rows, told)
		}
	}
}

// A checkpoint that cannot be saved: the error names the rows that the model keeps, which are fewer.
func TestStoppedWithoutCheckpoint(t *testing.T) {
	t.Parallel()
	folder := filetest.Folder(t)
	model, forecasts := filepath.Join(folder, "m.phe"), filepath.Join(folder, "forecasts.csv")
	c, pipe, _, told := piped(t, "--target", "bought", "--drop", "note", "--memory", "16K", "--model", model, "--predictions", forecasts, "--checkpoint", "10ms")
	filetest.Must(io.WriteString(pipe, wideRows(0, 1500)))(t)
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if info, err := os.Stat(forecasts); err == nil && info.Size() > 10_000 { // forecasts reach the file in blocks, or by a checkpoint
			break
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("no checkpoint: %s", told)
		}
	}
	filetest.Check(t, os.Truncate(forecasts, 1000))
	_, _ = io.WriteString(pipe, wideRows(1500, 3000)) // it fails when the program has ended
	_ = pipe.Close()
	_ = c.Wait()
	var stopped, kept int
	text := strings.ReplaceAll(told.String(), ",", "")
	at := strings.Index(text, "stopped after")
	if at < 0 {
		t.Fatal(text)
	}
	_, err := fmt.Sscanf(text[at:], "stopped after %d rows; "+model+" keeps %d of them and the same command learns the others again",
		&stopped, &kept)
	if rows := rowsOf(t, model); err != nil || kept != rows || stopped <= kept || !strings.Contains(text, "was cut or replaced while") {
		t.Errorf("%v; %d rows kept: %s", err, rows, text)
	}
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
	if code, _, told := call(t, "", "stream", path, "--target", "bought", "--drop", "note", "--memory", "16K", "--model", model); code != 0 {
		t.Fatal(told)
	}
	_, want, _ := call(t, "", "predict", model, path)
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
		err := p.Run()
		if (err == nil) != (c.word == "") || !strings.Contains(told.String(), c.word) {
			t.Errorf("phe predict m.phe %v < %s >> %s: %v: %s", c.args, c.in, c.to, err, &told)
		}
		if b := filetest.Must(os.ReadFile(path))(t); string(b) != rows {
			t.Fatalf("phe predict m.phe %v < %s >> %s changed the input to %d bytes", c.args, c.in, c.to, len(b))
		}
		if c.word == "" && strings.TrimPrefix(string(filetest.Must(os.ReadFile(c.to))(t)), "a log\n") != want {
			t.Errorf("phe predict m.phe %v < %s >> %s wrote something else", c.args, c.in, c.to)
		}
	}
}
