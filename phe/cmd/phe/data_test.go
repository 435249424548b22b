package main

import (
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
	call(t, folder, "data", "list").prints(t,
		"found    adult                 48,842 rows  UCI Adult", "CC BY 4.0\n", "adult.csv.gz\n",
		"missing  ml-32m            32,000,204 rows  MovieLens 32M", "research use", "→ fetch it with: phe data fetch ml-32m",
		"found    ml-latest-small      100,836 rows", filepath.Join(folder, "ml-latest-small.zip"),
		"missing  movielens-50k", "→ take its two files from https://")
	type listed struct {
		Rows                                                 int
		Name, Title, Licence, Citation, Origin, Path, Remedy string
	}
	all := objects[listed](t, call(t, folder, "data", "list", "--json"))
	for _, l := range all {
		filetest.True(t, l.Rows > 0 && l.Licence != "" && l.Citation != "", "%+v has no rows, no licence or no citation", l)
		filetest.True(t, (l.Path == "") != (l.Remedy == ""), "%+v has neither a place nor a remedy, or both", l)
	}
	filetest.Want(t, len(all), len(uci.Sources())+len(ratings.Sources()), "data sets")
}

// A download that Ctrl-C stops ends with 130, and one of another file than the declared one with an error. Neither leaves a file.
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
	arrived := func() []byte {
		part, _ := os.ReadFile(filepath.Join(folder, "ml-32m.part.zip"))
		return part
	}
	r := interrupt(t, program(t, "", args...), func() bool { return len(arrived()) == 5000 })
	r.ends(t, exitInterrupted, "no commercial use", "Harper")
	filetest.Want(t, r.stdout, "", "output")
	filetest.WantFiles(t, folder)
	whole.Store(true)
	call(t, "", args...).ends(t, exitError, "not the declared file, and is removed; fetch again", "its MD5 is")
	filetest.WantFiles(t, folder)
}

func TestDataFetchOffline(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close() // nobody answers there
	folder := t.TempDir()
	r := call(t, "", "data", "fetch", "ml-32m", "--to", folder, "--from", server.URL)
	r.ends(t, exitError, "no connection", "by hand: download "+server.URL+"/ml-32m.zip", "put it into "+folder)
	filetest.Want(t, r.stdout, "", "output")
	filetest.WantFiles(t, folder)
}

// An export is a file that phe stream reads, or standard output. A failed one leaves nothing behind.
func TestDataExport(t *testing.T) {
	folder := t.TempDir()
	to := filepath.Join(folder, "mushroom.csv")
	first := call(t, "", "data", "export", "mushroom", "--to", to).ends(t, 0, "mushroom.csv: 8,416 rows")
	filetest.Want(t, first.stdout, "", "output")
	written := filetest.Must(os.ReadFile(to))(t)
	second := call(t, "", "data", "export", "mushroom").prints(t, "label,cap_shape,")
	call(t, "", "data", "export", "orders", "--to", filepath.Join(t.TempDir(), "sales.csv")).ends(t, 0, "sales.csv: 20,000 rows")
	filetest.Want(t, second.stdout, string(written), "output without --to")
	call(t, "", "data", "export", "adult", "--to", to).ends(t, exitError, "already exists")
	given := write(t, "mushroom.csv", written)
	source := filepath.Join(given, "mushroom.csv")
	call(t, given, "data", "export", "mushroom", "--to", source, "--overwrite", "--allow-altered").ends(t, exitError,
		"would be written over")
	for _, path := range []string{to, source} {
		filetest.Want(t, string(filetest.Must(os.ReadFile(path))(t)), string(written), "content of %s", path)
	}
	altered := write(t, "mushroom.csv", written[:len(written)-200])
	call(t, altered, "data", "export", "mushroom", "--to", filepath.Join(folder, "bad.csv")).ends(t, exitError, "is altered")
	filetest.WantFiles(t, folder, "mushroom.csv")
}
