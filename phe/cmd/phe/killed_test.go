package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// sales is a table of n sales.
func sales(n int) string {
	text := "customer,price,bought\n"
	for i := range n {
		text += fmt.Sprintf("c%d,%d,%s\n", i*7%40, 10+i*13%50, []string{"yes", "no", "no"}[i*7%40%3])
	}
	return text
}

// server is `phe serve` in a process of its own.
type server struct {
	kill  func()
	learn func(rows int)
}

// startServer serves a model. It saves no checkpoint by itself.
func startServer(t *testing.T, model string) server {
	t.Helper()
	c := program(t, "", "serve", model, "--address", "127.0.0.1:0", "--checkpoint", "1h")
	log := filetest.Must(c.StderrPipe())(t)
	filetest.Check(t, c.Start())
	kill := func() { _ = c.Process.Kill(); _ = c.Wait() }
	t.Cleanup(kill)
	url := ""
	for lines := bufio.NewScanner(log); url == "" && lines.Scan(); {
		url = regexp.MustCompile(`http://[0-9.:]+`).FindString(lines.Text())
	}
	return server{kill, func(rows int) {
		t.Helper()
		var records []string
		for i := range rows {
			records = append(records, fmt.Sprintf(`{"customer":"new %d","price":%d,"bought":"yes"}`, i%50, i))
		}
		got := filetest.Must(http.Post(url+"/v1/learn", "application/json", strings.NewReader(`{"records":[`+strings.Join(records, ",")+`]}`)))(t)
		got.Body.Close()
		if got.StatusCode != http.StatusOK {
			t.Fatalf("/v1/learn: %s", got.Status)
		}
	}}
}

// says runs phe and checks its output and its diagnostics.
func says(t *testing.T, code int, out string, diagnostics []string, args ...string) {
	t.Helper()
	got, stdout, stderr := call(t, "", args...)
	if got != code || !strings.HasPrefix(stdout, out) {
		t.Errorf("phe %s: code %d, %.100s; want %d and %s; %s", strings.Join(args, " "), got, stdout, code, out, stderr)
	}
	for _, want := range diagnostics {
		if !strings.Contains(stderr, want) {
			t.Errorf("phe %s says %s; want %s", strings.Join(args, " "), stderr, want)
		}
	}
}

// everything returns names, times and contents of a folder's files.
func everything(t *testing.T, folder string) (all string) {
	t.Helper()
	filetest.Check(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info := filetest.Must(d.Info())(t)
		all += fmt.Sprintln(path, info.Mode(), info.ModTime())
		if !d.IsDir() {
			all += string(filetest.Must(os.ReadFile(path))(t))
		}
		return nil
	}))
	return all
}

// TestJournalBelongsToModel kills a server that has acknowledged 500 rows. The other commands know these rows, and the readers change no
// file.
func TestJournalBelongsToModel(t *testing.T) {
	folder := filetest.Folder(t)
	first, model := filepath.Join(folder, "sales.csv"), filepath.Join(folder, "m.phe")
	filetest.Check(t, os.WriteFile(first, []byte(sales(200)), 0o644))
	more := filepath.Join(folder, "more.csv")
	filetest.Check(t, os.WriteFile(more, []byte(sales(100)), 0o644))
	says(t, 0, "200 rows learned", nil, "stream", first, "--target", "bought", "--model", model)
	s := startServer(t, model)
	s.learn(500)
	says(t, 0, "200 rows", []string{"a server is learning", "lacks 500 rows"}, "inspect", model)
	says(t, 1, "", []string{"another process uses"}, "stream", more, "--model", model)
	s.kill()

	before := everything(t, folder)
	killed := []string{"was killed; its journal adds 500 rows"}
	says(t, 0, "200 rows of", killed, "inspect", model)
	says(t, 0, "700 rows learned", killed, "eval", model)
	says(t, 0, "record,probability", killed, "predict", model, more)
	if everything(t, folder) != before {
		t.Error("a reader changes a file")
	}
	says(t, 0, "800 rows learned", []string{"replayed"}, "stream", more, "--model", model)
}
