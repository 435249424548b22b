package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gophe/data/ratings"
	"gophe/data/uci"
	"gophe/phe/disk/filetest"
)

func TestDataList(t *testing.T) {
	folder := write(t, "ml-latest-small.zip", []byte("x"))
	code, stdout, stderr := call(t, folder, "data", "list")
	if code != 0 {
		t.Fatal(stderr)
	}
	for _, want := range []string{
		"found    adult                 48,842 rows  UCI Adult", "CC BY 4.0\n", "adult.csv.gz\n",
		"missing  ml-32m            32,000,204 rows  MovieLens 32M", "research use", "→ fetch it with: phe data fetch ml-32m",
		"found    ml-latest-small      100,836 rows", filepath.Join(folder, "ml-latest-small.zip"),
		"missing  movielens-50k", "→ take its two files from https://",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	code, stdout, stderr = call(t, folder, "data", "list", "--json")
	if code != 0 {
		t.Fatal(stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for _, line := range lines {
		var l listed
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err, line)
		}
		if l.Rows == 0 || l.Licence == "" || l.Citation == "" || (l.Path == "") == (l.Remedy == "") {
			t.Errorf("%+v", l)
		}
	}
	if want := len(uci.Sources()) + len(ratings.Sources()); len(lines) != want {
		t.Errorf("%d datasets, want %d", len(lines), want)
	}
}

// A download that Ctrl-C stops ends with 130 and leaves no file of the final name; the same command then
// completes it, and refuses another file than the declared one.
func TestDataFetch(t *testing.T) {
	content := []byte(strings.Repeat("ratings\n", 10_000))
	var whole atomic.Bool // the server sends the whole file
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if whole.Load() {
			http.ServeContent(w, r, "ml-32m.zip", time.Time{}, strings.NewReader(string(content)))
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		_, _ = w.Write(content[:5000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	folder := filepath.Join(t.TempDir(), "new")
	args := []string{"data", "fetch", "ml-32m", "--to", folder, "--from", server.URL + "/movielens"}

	c := program(t, "", args...)
	code, stdout, stderr := finish(t, c, func() {
		for range 500 {
			if info, err := os.Stat(filepath.Join(folder, "ml-32m.zip.part")); err == nil && info.Size() == 5000 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		_ = c.Process.Signal(os.Interrupt)
	})
	if code != exitInterrupted || stdout != "" || !strings.Contains(stderr, "no commercial use") || !strings.Contains(stderr, "Harper") ||
		!strings.Contains(stderr, "stopped; "+folder+" keeps what has arrived, and the same command continues") {
		t.Fatalf("exit code %d, want %d\nstdout %s\nstderr %s", code, exitInterrupted, stdout, stderr)
	}
	if info, err := os.Stat(filepath.Join(folder, "ml-32m.zip.part")); err != nil || info.Size() != 5000 {
		t.Errorf("the part: %v", err)
	}
	whole.Store(true)
	code, _, stderr = call(t, "", args...)
	if code != exitError || !strings.Contains(stderr, "ml-32m.zip.part and fetch again: ") || !strings.Contains(stderr, "its MD5 is") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if got, err := os.ReadFile(filepath.Join(folder, "ml-32m.zip.part")); err != nil || string(got) != string(content) {
		t.Errorf("%v: %d bytes", err, len(got))
	}
}

func TestDataFetchRefuses(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close() // nobody answers there
	folder := t.TempDir()
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"ml-32m", "--to", folder, "--from", server.URL}, []string{"no connection", "by hand: download " + server.URL + "/ml-32m.zip", "put it into " + folder}},
		{[]string{"movielens-50k"}, []string{"cannot be fetched: take its two files from"}},
		{[]string{"adult"}, []string{"comes with the checkout", "archive.ics.uci.edu/dataset/2/adult"}},
		{[]string{"ml-1m"}, []string{`there is no data set "ml-1m"; did you mean "ml-32m"? Else choose one of ml-32m, ml-latest-small`}},
	} {
		code, stdout, stderr := call(t, "", append([]string{"data", "fetch"}, c.args...)...)
		for _, want := range c.want {
			if code != exitError || stdout != "" || !strings.Contains(stderr, want) {
				t.Errorf("%q: exit code %d, %s; want %q", c.args, code, stderr, want)
			}
		}
	}
	if left := filesIn(t, folder); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// An export is a file that phe stream reads, or standard output. A failed one leaves nothing behind.
func TestDataExport(t *testing.T) {
	folder := t.TempDir()
	to := filepath.Join(folder, "mushroom.csv")
	if code, stdout, stderr := call(t, "", "data", "export", "mushroom", "--to", to); code != 0 || stdout != "" || !strings.Contains(stderr, "mushroom.csv: 8,416 rows") {
		t.Fatalf("%d %q %q", code, stdout, stderr)
	}
	written := filetest.Must(os.ReadFile(to))(t)
	code, stdout, stderr := call(t, "", "data", "export", "mushroom")
	if code != 0 || stdout != string(written) || !strings.HasPrefix(stdout, "label,cap_shape,") {
		t.Errorf("%d, %d bytes in place of %d, %q", code, len(stdout), len(written), stderr)
	}
	if code, _, stderr := call(t, "", "data", "export", "adult", "--to", to); code == 0 || !strings.Contains(stderr, "already exists") {
		t.Errorf("over another file: %d %q", code, stderr)
	}
	given := write(t, "mushroom.csv", written)
	source := filepath.Join(given, "mushroom.csv")
	if code, _, stderr := call(t, given, "data", "export", "mushroom", "--to", source, "--overwrite", "--allow-altered"); code == 0 || !strings.Contains(stderr, "would be written over") {
		t.Errorf("over its source: %d %q", code, stderr)
	}
	for _, path := range []string{to, source} {
		if now, err := os.ReadFile(path); err != nil || string(now) != string(written) {
			t.Errorf("%s changed: %v", path, err)
		}
	}
	altered := write(t, "mushroom.csv", written[:len(written)-200])
	if code, _, stderr := call(t, altered, "data", "export", "mushroom", "--to", filepath.Join(folder, "bad.csv")); code == 0 || !strings.Contains(stderr, "is altered") {
		t.Errorf("%d %q", code, stderr)
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "bad*")); len(files) > 0 {
		t.Errorf("a failed export left %q", files)
	}
	if code, _, stderr := call(t, "", "data", "export", "mushroms"); code == 0 || !strings.Contains(stderr, `there is no data set "mushroms"; did you mean "mushroom"? Else choose one of adult`) {
		t.Errorf("%d %q", code, stderr)
	}
}
