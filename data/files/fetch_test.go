package files

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/md5"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gophe/data/datatest"
	"gophe/phe/disk/filetest"
)

// publisher is a server of one data set's zip file.
type publisher struct {
	content  []byte
	cutAfter int           // bytes of each answer; 0: all
	hang     chan struct{} // if set, the answer waits for it after cutAfter bytes instead of ending
	mutex    sync.Mutex
	asked    []string // paths
}

func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mutex.Lock()
	p.asked = append(p.asked, r.URL.Path)
	p.mutex.Unlock()
	if p.cutAfter > 0 {
		w = &cutWriter{w, r.Context(), p}
	}
	http.ServeContent(w, r, "toy.zip", time.Time{}, strings.NewReader(string(p.content)))
}

type cutWriter struct {
	http.ResponseWriter
	ctx context.Context
	p   *publisher
}

func (c *cutWriter) Write(block []byte) (int, error) {
	_, _ = c.ResponseWriter.Write(block[:min(len(block), c.p.cutAfter)])
	c.ResponseWriter.(http.Flusher).Flush()
	if c.p.hang != nil {
		select {
		case <-c.p.hang:
		case <-c.ctx.Done():
		}
	}
	panic(http.ErrAbortHandler)
}

// publish starts the server. It returns a source and options that fetch from it.
func publish(t *testing.T, p *publisher) (Source, FetchOptions) {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	source := Source{Name: "toy", ZipBytes: 300_000, ZipMD5: fmt.Sprintf("%x", md5.Sum(p.content)), Origin: "https://publisher/page"}
	return source, FetchOptions{Folder: filepath.Join(t.TempDir(), "new"), BaseURL: server.URL + "/"}
}

func randomBytes(n int) []byte {
	content := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(content)
	return content
}

// wantFiles checks the names in a folder, and the content of the zip file if it is among them.
func wantFiles(t *testing.T, folder string, content []byte, want ...string) {
	t.Helper()
	filetest.WantFiles(t, folder, want...)
	if slices.Contains(want, "toy.zip") {
		filetest.Want(t, filetest.Must(os.ReadFile(filepath.Join(folder, "toy.zip")))(t), content, "toy.zip")
	}
}

func TestFetch(t *testing.T) {
	content := randomBytes(300_000)
	p := &publisher{content: content}
	source, o := publish(t, p)
	var last, of int64
	o.Progress = func(done, total int64) { last, of = done, total }
	path, before, err := source.Fetch(t.Context(), o)
	filetest.Check(t, err)
	filetest.Want(t, before, false, "it was there before")
	filetest.Want(t, path, filepath.Join(o.Folder, "toy.zip"), "path")
	filetest.Want(t, [2]int64{last, of}, [2]int64{300_000, 300_000}, "progress")
	wantFiles(t, o.Folder, content, "toy.zip")

	p.asked = nil
	_, before, err = source.Fetch(t.Context(), o)
	filetest.Check(t, err)
	filetest.Want(t, before, true, "it was there before")
	filetest.Want(t, p.asked, nil, "requests")
	datatest.Write(t, path, "altered")
	filetest.WantError(t, fetch(t, source, o), "there before; move it away", "its MD5 is", "declared "+source.ZipMD5)
}

func fetch(t *testing.T, s Source, o FetchOptions) error {
	_, _, err := s.Fetch(t.Context(), o)
	return err
}

// Without a declared checksum of the zip file, the files in it are compared with theirs.
func TestFetchWithoutChecksum(t *testing.T) {
	var zipped bytes.Buffer
	archive := zip.NewWriter(&zipped)
	_ = filetest.Must(filetest.Must(archive.Create("toy/ratings.csv"))(t).Write([]byte("user,film\r\n1,2\r\n")))(t)
	filetest.Check(t, archive.Close())
	source, o := publish(t, &publisher{content: zipped.Bytes()})
	source.ZipMD5 = ""
	source.Files = []File{{Name: "toy.csv", Zipped: "ratings.csv"}}
	filetest.WantError(t, fetch(t, source, o), "is altered", "declared")
	source.Files[0].MD5 = fmt.Sprintf("%x", md5.Sum([]byte("user,film\r\n1,2\r\n")))
	filetest.Check(t, fetch(t, source, o))
}

// A download that was cut off, or that holds other bytes, leaves nothing, and the next one is whole.
func TestFetchAgain(t *testing.T) {
	content := randomBytes(300_000)
	p := &publisher{content: content, cutAfter: 20_000}
	source, o := publish(t, p)
	filetest.WantError(t, fetch(t, source, o), "fetch again: unexpected EOF", "stopped after 20000 of 300000 bytes")
	wantFiles(t, o.Folder, nil)
	p.cutAfter, p.content = 0, slices.Concat(content, []byte("more"))
	filetest.WantError(t, fetch(t, source, o), "not the declared file, and is removed", "declared "+source.ZipMD5)
	wantFiles(t, o.Folder, nil)
	datatest.Write(t, filepath.Join(o.Folder, "toy.part.zip"), strings.Repeat("left by a kill", 30_000))
	p.content = content
	filetest.Check(t, fetch(t, source, o))
	wantFiles(t, o.Folder, content, "toy.zip")
}

func TestFetchNotThere(t *testing.T) {
	source, o := publish(t, &publisher{})
	for code, want := range map[int]string{404: "404 Not Found", 503: "503 Service Unavailable"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		t.Cleanup(server.Close)
		o.BaseURL = server.URL
		filetest.WantError(t, fetch(t, source, o), fmt.Sprintf("/toy.zip answers %q", want), "by hand: download "+o.BaseURL+"/toy.zip",
			"put it into "+o.Folder, "https://publisher/page")
	}
}

func TestFetchOffline(t *testing.T) {
	listener := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	listener.Close() // nobody listens there now
	source, o := publish(t, &publisher{})
	for _, url := range []string{"http://" + address + "/", "http://no-such-host.invalid/"} {
		o.BaseURL = url
		start := time.Now()
		filetest.WantError(t, fetch(t, source, o), "no connection", "by hand: download "+url+"toy.zip", "put it into "+o.Folder)
		filetest.True(t, time.Since(start) <= 30*time.Second, "it took %s", time.Since(start))
	}
	wantFiles(t, o.Folder, nil)
}

func TestFetchCancelled(t *testing.T) {
	content := randomBytes(300_000)
	p := &publisher{content: content, cutAfter: 1000, hang: make(chan struct{})}
	source, o := publish(t, p)
	t.Cleanup(func() { close(p.hang) })
	ctx, cancel := context.WithCancel(t.Context())
	o.Progress = func(int64, int64) { cancel() }
	_, _, err := source.Fetch(ctx, o)
	filetest.WantError(t, err, "stopped after 1000 of 300000 bytes; fetch again: context canceled")
	wantFiles(t, o.Folder, nil)
	_, _, err = source.Fetch(ctx, o)
	filetest.True(t, err != nil, "a stopped context fetches")

	o.Progress, o.stall = nil, 50*time.Millisecond
	filetest.WantError(t, fetch(t, source, o), "stopped after 1000 of 300000 bytes; fetch again: nothing came for 50ms")
}

func TestFetchElsewhere(t *testing.T) {
	sample := Source{Name: "sample", Origin: "https://publisher/page"}
	filetest.WantError(t, fetch(t, sample, FetchOptions{Folder: t.TempDir()}),
		"sample is not published as a download: take its two files from https://publisher/page")
	source, o := publish(t, &publisher{})
	o.Folder = filepath.Join(datatest.Write(t, filepath.Join(t.TempDir(), "file"), "x"), "folder")
	filetest.WantError(t, fetch(t, source, o), "making the folder to fetch to", "remedy: folder")
}

func TestFetchFolder(t *testing.T) {
	outside := t.TempDir()
	t.Chdir(outside)
	t.Setenv(PathVariable, "")
	filetest.WantError(t, filetest.Failure(FetchFolder()), "checkout of gophe", PathVariable, "remedy: folder")
	datatest.Write(t, filepath.Join(outside, "go.mod"), "module "+Module+"\n")
	root, _ := os.Getwd()
	filetest.Want(t, filetest.Must(FetchFolder())(t), filepath.Join(root, "data", "movielens"), "folder of the checkout")
	t.Setenv(PathVariable, strings.Join([]string{"", "first", "second"}, string(os.PathListSeparator)))
	filetest.Want(t, filetest.Must(FetchFolder())(t), "first", "folder of the variable")
}
