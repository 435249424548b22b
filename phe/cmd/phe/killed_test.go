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

// startServer serves a model in a process of its own. It saves no checkpoint by itself.
func startServer(t *testing.T, model string) (kill func(), learn func(rows int)) {
	t.Helper()
	c := program(t, "", "serve", model, "--address", "127.0.0.1:0", "--checkpoint", "1h")
	log := filetest.Must(c.StderrPipe())(t)
	filetest.Check(t, c.Start())
	kill = func() { _ = c.Process.Kill(); _ = c.Wait() }
	t.Cleanup(kill)
	url := ""
	for lines := bufio.NewScanner(log); url == "" && lines.Scan(); {
		url = regexp.MustCompile(`http://[0-9.:]+`).FindString(lines.Text())
	}
	return kill, func(rows int) {
		t.Helper()
		var records []string
		for i := range rows {
			records = append(records, fmt.Sprintf(`{"customer":"new %d","price":%d,"bought":"yes"}`, i%50, i))
		}
		body := strings.NewReader(`{"records":[` + strings.Join(records, ",") + `]}`)
		got := filetest.Must(http.Post(url+"/v1/learn", "application/json", body))(t)
		got.Body.Close()
		filetest.Want(t, got.StatusCode, http.StatusOK, "status of /v1/learn")
	}
}

// everything returns the names, modes and contents of all files in a folder, and their times if they matter.
func everything(t *testing.T, folder string, times bool) (all string) {
	t.Helper()
	filetest.Check(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info := filetest.Must(d.Info())(t)
		if all += fmt.Sprintln(path, info.Mode()); times {
			all += fmt.Sprintln(info.ModTime())
		}
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
	call(t, "", "stream", first, "--target", "bought", "--model", model).prints(t, "200 rows learned")
	kill, learn := startServer(t, model)
	learn(500)
	call(t, "", "inspect", model).prints(t, "200 rows").ends(t, 0, "a server is learning", "lacks 500 rows")
	call(t, "", "stream", more, "--model", model).ends(t, exitError, "another process uses")
	kill()

	before := everything(t, folder, true)
	const killed = "was killed; its journal adds 500 rows"
	call(t, "", "inspect", model).prints(t, "200 rows of").ends(t, 0, killed)
	call(t, "", "eval", model).prints(t, "700 rows learned").ends(t, 0, killed)
	call(t, "", "predict", model, more).prints(t, "record,p(").ends(t, 0, killed)
	filetest.True(t, everything(t, folder, true) == before, "a reader changes a file")
	call(t, "", "stream", more, "--model", model).prints(t, "800 rows learned").ends(t, 0, "replayed")
}
