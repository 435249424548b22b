package streaming

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
)

// diagnostics collects a command's output while it runs.
type diagnostics struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (d *diagnostics) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.Write(b)
}

func (d *diagnostics) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.String()
}

// background runs a command line until it ends or stop is called, which returns its error.
func background(t *testing.T, args ...string) (told *diagnostics, stop func() error) {
	t.Helper()
	told = &diagnostics{}
	root := command(io.Discard, told, args...)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	t.Cleanup(func() {
		if cancel(); t.Failed() {
			t.Logf("%q: %s", args, told)
		}
	})
	go func() { ended <- root.ExecuteContext(ctx) }()
	return told, func() error { cancel(); return <-ended }
}

// cancelled checks that a command in the background ends because it is stopped.
func cancelled(t *testing.T, stop func() error) {
	t.Helper()
	err := stop()
	filetest.True(t, errors.Is(err, context.Canceled), "it ends with %v", err)
}

// startServe runs `phe serve` on a free port until stop is called.
func startServe(t *testing.T, args ...string) (url string, told *diagnostics, stop func() error) {
	t.Helper()
	told, stop = background(t, append([]string{"serve", "--address", "127.0.0.1:0"}, args...)...)
	serving := regexp.MustCompile(`https?://[0-9.:]+`)
	filetest.Until(t, "it serves", func() bool { url = serving.FindString(told.String()); return url != "" })
	return url, told, stop
}

// TestServeLimitsWaiting: a server takes new limits for a model that exists, and `phe stream` makes room for its delay again.
func TestServeLimitsWaiting(t *testing.T) {
	folder, path, model := learned(t, 40, "--delay", "9")
	url, _, stop := startServe(t, model, "--waiting", "1")
	filetest.WantNone(t, post(t, url+"/v1/predict", `{"record":{"customer":"c1"},"id":"0"}`), `"dropped":1`)
	filetest.WantWords(t, post(t, url+"/v1/predict", `{"record":{"customer":"c1"},"id":"1"}`), `"dropped":1`)
	post(t, url+"/v1/label", `{"labels":[{"id":"1","target":"no"}]}`)
	filetest.Check(t, stop())
	write(t, folder, "visits.csv", visits(60))
	mustPhe(t, "stream", path, "--model", model)
}

// ask sends a request, and returns the status and the answer.
func ask(t *testing.T, method, url, body string, headers ...string) (int, string) {
	t.Helper()
	r := filetest.Must(http.NewRequest(method, url, strings.NewReader(body)))(t)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	got := filetest.Must(http.DefaultClient.Do(r))(t)
	defer got.Body.Close()
	return got.StatusCode, string(filetest.Must(io.ReadAll(got.Body))(t))
}

// post sends a request that must be answered.
func post(t *testing.T, url, body string, headers ...string) string {
	t.Helper()
	status, answer := ask(t, "POST", url, body, headers...)
	filetest.Want(t, status, http.StatusOK, "%s answers %s with %s", url, body, answer)
	return answer
}

// A model that `phe stream` made is served and learns, and the other commands read it, meanwhile and afterwards.
func TestServeModelOfStream(t *testing.T) {
	folder, path, model := learned(t, 300)
	url, told, stop := startServe(t, model, "--access-log")
	answer := post(t, url+"/v1/predict", `{"record":{"customer":"c3","page":"p1","seconds":20}}`)
	filetest.WantWords(t, answer, `"rows":300`, `"class":"yes"`)
	for range 2 {
		answer = post(t, url+"/v1/learn", `{"record":{"customer":"c3","page":"p1","seconds":20,"bought":"yes"}}`,
			"Idempotency-Key", "visit 301")
		filetest.WantWords(t, answer, `"rows":301`)
	}
	prints(t, "300 rows learned", "eval", model)
	fails(t, []string{"stream", path, "--model", model}, "another process uses")
	filetest.Check(t, stop())
	filetest.WantWords(t, told.String(), "serving "+model, "300 rows learned", `POST "/v1/learn" 200`, "stopped; "+model+" keeps 301 rows")
	out, _ := mustPhe(t, "inspect", model)
	filetest.WantWords(t, out, "301 rows learned")
	more := write(t, folder, "more.csv", strings.ReplaceAll(visits(100), "c3,", "c999,"))
	prints(t, "401 rows", "stream", more, "--model", model)
	url, told, stop = startServe(t, model)
	post(t, url+"/v1/predict", `{"record":{"customer":"c3"},"id":"late"}`)
	filetest.Check(t, stop())
	filetest.WantWords(t, told.String(), "401 rows learned")
	fails(t, []string{"stream", write(t, folder, "last.csv", visits(7)), "--model", model}, "a server keeps 1 record without a label;",
		"or let the server learn these rows too (/v1/learn)")
}

// A model may begin with a schema alone, and clients may need a token.
func TestServeSchema(t *testing.T) {
	folder := t.TempDir()
	path, model := write(t, folder, "visits.csv", visits(200)), filepath.Join(folder, "m.phe")
	printed, _ := mustPhe(t, "stream", path, "--target", "bought", "--show-schema")
	schema, token := write(t, folder, "schema.json", printed), write(t, folder, "token", "0123456789abcdef0123\n")
	url, _, stop := startServe(t, model, "--schema", schema, "--memory", "64K", "--token-file", token)
	const record = `{"record":{"customer":"c3","bought":"yes"}}`
	status, _ := ask(t, "POST", url+"/v1/learn", record)
	filetest.Want(t, status, http.StatusUnauthorized, "status without a token")
	post(t, url+"/v1/learn", record, "Authorization", "Bearer 0123456789abcdef0123")
	filetest.Check(t, stop())
	out, _ := mustPhe(t, "predict", model, path)
	filetest.Want(t, strings.Count(out, "\n"), 201, "lines of forecasts")
}

// Every mistake gives an error of one line with its remedy, before anything is written. No secret is repeated.
func TestServeMistakes(t *testing.T) {
	folder := t.TempDir()
	model := filepath.Join(folder, "m.phe")
	taken := filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	short, empty := write(t, folder, "short", "abc"), write(t, folder, "empty", "\n")
	free := []string{"--address", "127.0.0.1:0"}
	for want, args := range map[string][]string{
		"name one model":              {},
		"there is no model":           append([]string{model}, free...),
		"lets other machines in":      {model, "--address", ":8417"},
		"0.0.0.0:8417 lets other":     {model, "--address", "0.0.0.0:8417"},
		"write it as HOST:PORT":       {model, "--address", "8417"},
		"a port from 0 to 65535":      {model, "--address", "localhost:http2x"},
		"names no server \"a:b\"":     append([]string{"--store", "nats://a:b/shop"}, free...),
		`is "unix:"; write it as`:     {model, "--address", "unix:"},
		"or as unix:PATH":             {model, "--address", "unix:@shop"},
		"bind: address already":       {model, "--address", "unix:" + empty},
		"choose another --address":    {model, "--address", taken.Addr().String()},
		"cannot read the token":       append([]string{model, "--token-file", filepath.Join(folder, "none")}, free...),
		"is empty; fill it":           append([]string{model, "--token-file", empty}, free...),
		"the token has 3":             append([]string{model, "--token-file", short}, free...),
		"cannot read the certificate": append([]string{model, "--tls-cert", short, "--tls-key", short}, free...),
		"[tls-cert tls-key]":          append([]string{model, "--tls-cert", short}, free...),
		"cannot read the schema":      append([]string{model, "--schema", filepath.Join(folder, "none")}, free...),
		"a body may have":             append([]string{model, "--max-body", "1G"}, free...),
		"is not a size":               append([]string{model, "--max-body", "much"}, free...),
		"checkpoints come every -1":   append([]string{model, "--checkpoint", "-1s"}, free...),
		"leave out the file":          {"m.phe", "--store", "nats://a/shop"},
		"none of the others can be":   {"--store", "nats://a/shop", "--read-only"},
		"a password or a token":       append([]string{"--store", "nats://eve:hush@127.0.0.1/shop"}, free...),
		"write nats://HOST":           append([]string{"--store", "nats://127.0.0.1"}, free...),
	} {
		_, _, err := phe(t, append([]string{"serve"}, args...)...)
		filetest.WantError(t, err, want)
		filetest.WantNone(t, err.Error(), "hush")
	}
	filetest.WantFiles(t, folder, "empty", "short")
}

// A model that `phe stream` learns is served meanwhile, by its newest checkpoint, without a lock. An empty model can be inspected.
func TestServeReadOnly(t *testing.T) {
	folder, path, model := learned(t, 200)
	empty := filepath.Join(folder, "empty.phe")
	printed, _ := mustPhe(t, "stream", path, "--target", "bought", "--show-schema")
	url, told, stop := startServe(t, model, "--read-only")
	rows := func(rows int) {
		t.Helper()
		filetest.Until(t, "the newest checkpoint is served", func() bool {
			return strings.Contains(post(t, url+"/v1/predict", `{"record":{"customer":"c3"}}`), fmt.Sprintf(`"rows":%d`, rows))
		})
	}
	rows(200)
	write(t, folder, "visits.csv", visits(300))
	mustPhe(t, "stream", path, "--model", model)
	rows(300)
	filetest.Check(t, stop())
	filetest.WantWords(t, told.String(), "stopped; "+model+" keeps 300 rows")
	filetest.WantFiles(t, folder, "m.phe", "m.phe.old", "visits.csv")
	_, _, stop = startServe(t, empty, "--schema", write(t, folder, "schema.json", printed))
	fails(t, []string{"serve", empty, "--address", "127.0.0.1:0"}, "another process uses", "; --read-only forecasts without a lock")
	filetest.Check(t, stop())
	asJSON, _ := mustPhe(t, "inspect", empty, "--json")
	filetest.WantWords(t, asJSON, `"rows": 0`)
	out, _ := mustPhe(t, "inspect", empty)
	filetest.WantNone(t, out, "NaN")
	fails(t, []string{"serve", model, "--keys", "0"}, "--keys is 0; give more, or leave it out for 100000")
	fails(t, []string{"serve", model, "--timeout", "0"}, "--timeout is 0; give more, or leave it out for 10s")
	fails(t, []string{"serve", path + "none", "--read-only"}, "there is no model", "`phe stream FILE --target COLUMN` makes one")
	fails(t, []string{"serve", model, "--read-only", "--schema", "s.json"}, "none of the others can be")
}

// A server listens on a socket that only its user may open, and replaces one that nobody answers. It answers before its store has a model.
func TestServeSocket(t *testing.T) {
	path := filepath.Join(filetest.Folder(t), "phe.socket")
	left := filetest.Must(net.ListenUnix("unix", &net.UnixAddr{Name: path}))(t)
	left.SetUnlinkOnClose(false)
	filetest.Check(t, left.Close())
	args := []string{"serve", "--address", "unix:" + path, "--store", server(t) + "/none"}
	told, stop := background(t, args...)
	filetest.Until(t, "it waits", func() bool { return told.String() != "" })
	c := http.Client{Transport: &http.Transport{Dial: func(string, string) (net.Conn, error) { return net.Dial("unix", path) }}}
	for probe, want := range map[string]int{"healthz": 200, "readyz": 503, "v1/report": 503} {
		filetest.Want(t, filetest.Must(c.Get("http://model.example/"+probe))(t).StatusCode, want, "%s", probe)
	}
	filetest.Want(t, filetest.Must(os.Stat(path))(t).Mode().Perm(), 0o600, "the mode")
	fails(t, args, "address already in use")
	cancelled(t, stop)
	filetest.WantFiles(t, filepath.Dir(path))
}
