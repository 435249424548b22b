package serve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
)

// running runs a server on a port until stop is called.
func running(t *testing.T, o Options, open func() (*Server, error)) (l net.Listener, stop func(), ended chan error) {
	l, ended = filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t), make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() { ended <- Run(ctx, l, o, open) }()
	return l, stop, ended
}

// fetch returns the answer to a request over the network, and in words whether it ends the connection.
func fetch(t *testing.T, l net.Listener, method, path string) (got response, text string) {
	r := filetest.Must(http.NewRequest(method, "http://"+l.Addr().String()+path, strings.NewReader(learnBody(1))))(t)
	r.Header.Set("Content-Type", "application/json")
	a := filetest.Must(http.DefaultClient.Do(r))(t)
	defer a.Body.Close()
	got = response{path, a.StatusCode, a.Header, string(filetest.Must(io.ReadAll(a.Body))(t))}
	return got, fmt.Sprint(got.status, map[bool]string{true: ", the end: ", false: ": "}[a.Close], got.body)
}

// TestEarly: a server without a model answers probes from the first moment, and refuses what needs a model. Later it answers by the model.
func TestEarly(t *testing.T) {
	s, opened := mustOpen(t, filetest.Folder(t), Options{}), make(chan error)
	l, stop, ended := running(t, Options{}, func() (*Server, error) { return s, <-opened })
	right := map[string]string{"/healthz": "200: {", "/openapi.json": "200: {", "/metrics": "200: # HELP",
		"/readyz": `503: {"reason":"the server has no model yet`}
	for _, rt := range s.routes {
		got, text := fetch(t, l, rt.method, rt.path)
		filetest.WantWords(t, text, cmp.Or(right[rt.path], `503, the end: {"error":{"code":"starting","message":"the server has no model`))
		checkDescribed(t, s, rt.method, rt.path, got)
		head, _ := fetch(t, l, "HEAD", rt.path)
		filetest.True(t, rt.method != "GET" || head.status == got.status, "HEAD %s is answered %d", rt.path, head.status)
	}
	opened <- nil
	await(t, "the model", func() bool { got, _ := fetch(t, l, "GET", "/readyz"); return got.status == 200 })
	_, text := fetch(t, l, "GET", "/metrics")
	filetest.WantWords(t, text, `gophe_requests_total{path="/v1/schema",status="503"} 2`, "\ngophe_model_rows 0\n", "\ngophe_ready 1\n")
	stop()
	filetest.Check(t, <-ended)
	_, _, ended = running(t, Options{}, func() (*Server, error) { return nil, errors.New("there is no such store") })
	filetest.WantError(t, <-ended, "there is no such store")
}

// TestDrain: a server that stops is not ready, and answers what comes meanwhile. The answers end their connections.
func TestDrain(t *testing.T) {
	folder := filetest.Folder(t)
	s := mustOpen(t, folder, Options{Drain: time.Hour})
	l, stop, ended := running(t, s.options, func() (*Server, error) { return s, nil })
	for _, answer := range []string{"200: ", "200, the end: "} {
		for _, path := range []string{"/v1/learn", "/v1/predict"} {
			_, text := fetch(t, l, "POST", path)
			filetest.WantWords(t, text, answer+`{"model":`)
		}
		stop()
		await(t, "the stop", func() bool { got, _ := fetch(t, l, "GET", "/readyz"); return got.status == 503 })
	}
	filetest.Check(t, l.Close()) // or it would take an hour
	filetest.WantError(t, <-ended, "serving")
	filetest.Want(t, saved(t, folder).Rows(), 2, "rows")
}

// TestRequestID: the answer and the log name the request as its client does. A name that is long or strange is replaced.
func TestRequestID(t *testing.T) {
	log, long := &lines{}, strings.Repeat("x", 128)
	s := mustOpen(t, filetest.Folder(t), Options{Access: log.add})
	for given, kept := range map[string]bool{`a b="7"~`: true, long: true, long + "x": false, "": false, "a\tb": false, "a\x7f": false, "ü": false} {
		got := call(t, s, "GET", "/healthz", "", "X-Request-ID", given).header.Get("X-Request-ID")
		filetest.True(t, (got == given) == kept && len(got) > 7, "%q is answered by %q", given, got)
		filetest.WantWords(t, log.String(), fmt.Sprintf(" %q", got))
	}
}

// TestGrown: counters begin at 0 with the server, and do not fall when another model takes the model's place.
func TestGrown(t *testing.T) {
	f := newFollowed(t)
	s := mustFollow(t, f, Options{})
	checkLines(t, s, "model_rows 300", "rows_learned_total 0")
	f.learn(t, 300, 310)
	checkLines(t, s, "model_rows 310", "rows_learned_total 10")
	f.learner = mustLearner(t)
	checkLines(t, s, "model_rows 0", "rows_learned_total 10")
	f.learn(t, 0, 5)
	checkLines(t, s, "model_rows 5", "rows_learned_total 15")
}
