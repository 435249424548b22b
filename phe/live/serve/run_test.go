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

// TestLife follows a server. Before it has a model it answers probes and refuses the rest. Then it answers by the model. When it stops it
// is not ready, answers what comes meanwhile, and ends each connection.
func TestLife(t *testing.T) {
	folder, opened, ended := filetest.Folder(t), make(chan error), make(chan error)
	s, l := mustOpen(t, folder, Options{Drain: time.Hour}), filetest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { ended <- Run(ctx, l, s.options, func() (*Server, error) { return s, <-opened }) }()
	fetch := func(method, path, want string) (status int) {
		r := filetest.Must(http.NewRequest(method, "http://"+l.Addr().String()+path, strings.NewReader(learnBody(1))))(t)
		r.Header.Set("Content-Type", "application/json")
		a := filetest.Must(http.DefaultClient.Do(r))(t)
		defer a.Body.Close()
		got := response{path, a.StatusCode, a.Header, string(filetest.Must(io.ReadAll(a.Body))(t))}
		filetest.WantWords(t, fmt.Sprint(got.status, map[bool]string{true: ", the end: ", false: ": "}[a.Close], got.body), want)
		if method != "HEAD" {
			checkDescribed(t, s, method, path, got)
		}
		return got.status
	}
	right := map[string]string{"/healthz": "200: {", "/openapi.json": "200: {", "/metrics": "200: #", "/readyz": `503: {"reason":"the se`}
	for _, rt := range s.routes {
		status := fetch(rt.method, rt.path, cmp.Or(right[rt.path], `503, the end: {"error":{"code":"starting","message":"the server`))
		filetest.True(t, rt.method != "GET" || fetch("HEAD", rt.path, "") == status, "HEAD %s has another status", rt.path)
	}
	opened <- nil
	await(t, "the model", func() bool { return fetch("GET", "/readyz", "") == 200 })
	fetch("GET", "/metrics", "gophe_requests_total{path=\"/v1/schema\",status=\"503\"} 2\n")
	for _, answer := range []string{"200: {", "200, the end: {"} {
		for path, method := range map[string]string{"/v1/learn": "POST", "/v1/predict": "POST", "/healthz": "GET"} {
			fetch(method, path, answer)
		}
		stop()
		await(t, "the stop", func() bool { return fetch("GET", "/readyz", "") == 503 })
	}
	filetest.Check(t, l.Close()) // or it would take an hour
	filetest.WantError(t, <-ended, "serving")
	filetest.Want(t, saved(t, folder).Rows(), 2, "rows")
	none := func() (*Server, error) { return nil, errors.New("there is no such store") }
	filetest.WantError(t, Run(ctx, l, Options{}, none), "there is no such store")
}

// TestRequestID: the answer and the log name the request as its client does. A name that is long or strange is replaced.
func TestRequestID(t *testing.T) {
	log, long := &lines{}, strings.Repeat("x", 128)
	s := mustOpen(t, filetest.Folder(t), Options{Access: log.add})
	for given, kept := range map[string]bool{`a "7"~`: true, long: true, long + "x": false, "": false, "\x7f": false, "ü": false} {
		got := call(t, s, "GET", "/healthz", "", "X-Request-ID", given).header.Get("X-Request-ID")
		filetest.True(t, (got == given) == kept && len(got) > 5, "%q is answered by %q", given, got)
		filetest.WantWords(t, log.String(), fmt.Sprintf(" %q", got))
	}
}
