package files

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	md5      string // text of the MD5 file; "": no such file
	noRange  bool
	cutAfter int           // bytes of each answer; 0: all
	hang     chan struct{} // if set, the answer waits for it after cutAfter bytes instead of ending
	mutex    sync.Mutex
	asked    []string // "path range"
}

func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mutex.Lock()
	p.asked = append(p.asked, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Range")))
	p.mutex.Unlock()
	switch {
	case r.URL.Path == "/toy.zip.md5" && p.md5 != "":
		fmt.Fprint(w, p.md5)
		return
	case r.URL.Path != "/toy.zip":
		http.NotFound(w, r)
		return
	}
	if p.noRange {
		r.Header.Del("Range")
		w.Header().Set("Content-Length", strconv.Itoa(len(p.content)))
	}
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
	return Source{Name: "toy", ZipBytes: 300_000, Origin: "https://publisher/page"}, FetchOptions{Folder: filepath.Join(t.TempDir(), "new"), BaseURL: server.URL + "/"}
}

func randomBytes(n int) []byte {
	random, content := rand.New(rand.NewPCG(1, 2)), make([]byte, n)
	for i := range content {
		content[i] = byte(random.Uint32())
	}
	return content
}

func md5Of(content []byte) string {
	sum := md5.Sum(content)
	return hex.EncodeToString(sum[:])
}

// wantFiles checks the names in a folder, and the content of the zip file if it is among them.
func wantFiles(t *testing.T, folder string, content []byte, want ...string) {
	t.Helper()
	entries := filetest.Must(os.ReadDir(folder))(t)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, want) {
		t.Errorf("files %q, want %q", names, want)
	}
	if slices.Contains(want, "toy.zip") {
		if got, err := os.ReadFile(filepath.Join(folder, "toy.zip")); err != nil || string(got) != string(content) {
			t.Errorf("%v: %d bytes, want %d", err, len(got), len(content))
		}
	}
}

func TestFetch(t *testing.T) {
	content := randomBytes(300_000)
	for _, text := range []string{md5Of(content) + "  toy.zip\n", "MD5 (toy.zip) = " + strings.ToUpper(md5Of(content)) + "\n"} {
		p := &publisher{content: content, md5: text}
		source, o := publish(t, p)
		var last, of int64
		o.Progress = func(done, total int64) { last, of = done, total }
		got := filetest.Must(source.Fetch(t.Context(), o))(t)
		if want := (Fetched{Path: filepath.Join(o.Folder, "toy.zip"), MD5: md5Of(content), Checked: true}); got != want || last != 300_000 || of != last {
			t.Errorf("%+v, want %+v; progress %d of %d", got, want, last, of)
		}
		wantFiles(t, o.Folder, content, "toy.zip", "toy.zip.md5")
		if kept, _ := os.ReadFile(filepath.Join(o.Folder, "toy.zip.md5")); string(kept) != text {
			t.Errorf("kept %q", kept)
		}

		p.asked = nil
		got, err := source.Fetch(t.Context(), o)
		if err != nil || !got.Was || !got.Checked || len(p.asked) > 0 {
			t.Errorf("again: %+v, %v, asked for %q", got, err, p.asked)
		}
		datatest.Write(t, filepath.Join(o.Folder, "toy.zip"), "altered")
		_, err = source.Fetch(t.Context(), o)
		filetest.WantError(t, err, "there before; move it away", "its MD5 is", "published is "+md5Of(content))
	}
}

func TestFetchWithoutChecksum(t *testing.T) {
	content := randomBytes(1000)
	source, o := publish(t, &publisher{content: content})
	got, err := source.Fetch(t.Context(), o)
	if err != nil || got.Checked || got.MD5 != md5Of(content) {
		t.Errorf("%+v, %v", got, err)
	}
	wantFiles(t, o.Folder, content, "toy.zip")

	source, o = publish(t, &publisher{content: content})
	source.ZipMD5 = md5Of(nil) // declared, although the server does not say
	filetest.WantError(t, filetest.Failure(source.Fetch(t.Context(), o)), "published is "+source.ZipMD5)
}

func TestFetchResumes(t *testing.T) {
	content := randomBytes(300_000)
	for name, noRange := range map[string]bool{"with range": false, "without range": true} {
		t.Run(name, func(t *testing.T) {
			p := &publisher{content: content, md5: md5Of(content), cutAfter: 20_000, noRange: noRange}
			source, o := publish(t, p)
			_, err := source.Fetch(t.Context(), o)
			filetest.WantError(t, err, "toy.zip.part", "the same command goes on", "cut after 20000 of 300000 bytes")
			wantFiles(t, o.Folder, nil, "toy.zip.part")

			p.cutAfter, p.asked = 0, nil
			got, err := source.Fetch(t.Context(), o)
			if err != nil || !got.Checked {
				t.Fatal(got, err)
			}
			if !slices.Equal(p.asked, []string{"/toy.zip.md5", "/toy.zip bytes=20000-"}) {
				t.Errorf("asked for %q", p.asked)
			}
			wantFiles(t, o.Folder, content, "toy.zip", "toy.zip.md5")
		})
	}
}

// A complete download without its name needs no more bytes. A download that is too long is no part of the file.
func TestFetchPartComplete(t *testing.T) {
	content := randomBytes(5000)
	source, o := publish(t, &publisher{content: content, md5: md5Of(content)})
	part := datatest.Write(t, filepath.Join(o.Folder, "toy.zip.part"), string(content)+"more")
	filetest.WantError(t, filetest.Failure(source.Fetch(t.Context(), o)), "does not go on after the 5004 bytes", part, "delete that file")
	datatest.Write(t, part, string(content))
	if _, err := source.Fetch(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, o.Folder, content, "toy.zip", "toy.zip.md5")
}

func TestFetchWrongChecksum(t *testing.T) {
	content := randomBytes(5000)
	p := &publisher{content: content, md5: md5Of(content[1:])}
	source, o := publish(t, p)
	for range 2 { // the second time, of the part that was kept
		_, err := source.Fetch(t.Context(), o)
		filetest.WantError(t, err, "not accepted; delete", "toy.zip.part and fetch again", "its MD5 is "+md5Of(content), "published is "+md5Of(content[1:]))
		wantFiles(t, o.Folder, nil, "toy.zip.part")
	}
	p.md5, p.asked = "<html>Log in to this network", nil
	filetest.WantError(t, filetest.Failure(source.Fetch(t.Context(), o)), `holds no MD5 but "<html>Log in`)
	if len(p.asked) != 1 {
		t.Errorf("asked for %q", p.asked)
	}
}

func TestFetchNotThere(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	source, o := publish(t, &publisher{})
	o.BaseURL = server.URL + "/"
	_, err := source.Fetch(t.Context(), o)
	filetest.WantError(t, err, `/toy.zip answers "404 Not Found"`, "by hand: download "+o.BaseURL+"toy.zip", "put them into "+o.Folder, "https://publisher/page")
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	t.Cleanup(failing.Close)
	o.BaseURL = failing.URL + "/"
	filetest.WantError(t, filetest.Failure(source.Fetch(t.Context(), o)), `toy.zip.md5 answers "503 Service Unavailable"`)
}

func TestFetchOffline(t *testing.T) {
	listener := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	listener.Close() // nobody listens there now
	source, o := publish(t, &publisher{})
	for _, url := range []string{"http://" + address + "/", "http://no-such-host.invalid/"} {
		o.BaseURL = url
		start := time.Now()
		_, err := source.Fetch(t.Context(), o)
		filetest.WantError(t, err, "no connection", "by hand: download "+url+"toy.zip", "put them into "+o.Folder)
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("it took %s", took)
		}
	}
	wantFiles(t, o.Folder, nil)
}

func TestFetchCancelled(t *testing.T) {
	content := randomBytes(300_000)
	p := &publisher{content: content, md5: md5Of(content), cutAfter: 1000, hang: make(chan struct{})}
	source, o := publish(t, p)
	t.Cleanup(func() { close(p.hang) })
	ctx, cancel := context.WithCancel(t.Context())
	o.Progress = func(int64, int64) { cancel() }
	_, err := source.Fetch(ctx, o)
	filetest.WantError(t, err, "the same command goes on", "stopped after 1000 of 300000 bytes: context canceled")
	wantFiles(t, o.Folder, nil, "toy.zip.part")
	if _, err := source.Fetch(ctx, o); ctx.Err() == nil || err == nil {
		t.Error("a stopped context fetches")
	}

	o.Progress, o.stall = nil, 50*time.Millisecond
	filetest.WantError(t, filetest.Failure(source.Fetch(t.Context(), o)), "stopped after 2000 of 300000 bytes: nothing came for 50ms")
}

func TestFetchElsewhere(t *testing.T) {
	sample := Source{Name: "sample", Origin: "https://publisher/page"}
	_, err := sample.Fetch(t.Context(), FetchOptions{Folder: t.TempDir()})
	filetest.WantError(t, err, "sample is not published as a download: take its two files from https://publisher/page")
	source, o := publish(t, &publisher{})
	o.Folder = filepath.Join(datatest.Write(t, filepath.Join(t.TempDir(), "file"), "x"), "folder")
	filetest.WantError(t, filetest.Failure(source.Fetch(t.Context(), o)), "making the folder to fetch to", "remedy: folder")
}

func TestFetchFolder(t *testing.T) {
	outside := t.TempDir()
	t.Chdir(outside)
	t.Setenv(PathVariable, "")
	filetest.WantError(t, filetest.Failure(FetchFolder()), "checkout of gophe", PathVariable, "remedy: folder")
	datatest.Write(t, filepath.Join(outside, "go.mod"), "module "+Module+"\n")
	root, _ := os.Getwd()
	if folder, err := FetchFolder(); err != nil || folder != filepath.Join(root, "data", "movielens") {
		t.Error(folder, err)
	}
	t.Setenv(PathVariable, strings.Join([]string{"", "first", "second"}, string(os.PathListSeparator)))
	if folder, err := FetchFolder(); err != nil || folder != "first" {
		t.Error(folder, err)
	}
}
