package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"gophe/phe/stream"
)

// route is one path of the server.
type route struct {
	path, method string
	open         bool // needs no token
	handle       func(http.ResponseWriter, *http.Request)
}

// allRoutes returns all paths. /openapi.json describes each.
func (s *Server) allRoutes() []route {
	learn, label := s.learnRequest, s.labelRequest
	if s.followed != nil {
		learn, label = s.refuseChange, s.refuseChange
	}
	return []route{
		{"/v1/predict", http.MethodPost, false, s.answering(s.predict)},
		{"/v1/learn", http.MethodPost, false, s.answering(learn)},
		{"/v1/label", http.MethodPost, false, s.answering(label)},
		{"/v1/inspect", http.MethodGet, false, s.answering(s.show("inspection", func(l *stream.Learner) any { return l.Inspect() }))},
		{"/v1/report", http.MethodGet, false, s.answering(s.show("report", func(l *stream.Learner) any { return l.Report() }))},
		{"/v1/schema", http.MethodGet, false, s.answering(s.show("schema", func(*stream.Learner) any { return s.schema }))},
		{"/healthz", http.MethodGet, true, s.answering(s.health)},
		{"/readyz", http.MethodGet, true, s.answering(s.readiness)},
		{"/metrics", http.MethodGet, false, s.showMetrics},
		{"/openapi.json", http.MethodGet, false, s.answering(s.describe)},
		{"/", http.MethodGet, false, s.answering(s.index)},
	}
}

// Handler returns the handler of all paths, with authentication and limits.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.handle) }

// handle answers a request and counts the answer in the metrics.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	start, at := time.Now(), seatOf(r)
	if !at.work(1) {
		return // its connection is closed
	}
	defer at.finish()
	r.Body = &awaited{r.Body, at}
	noted := &statusWriter{ResponseWriter: w, status: http.StatusOK}
	path := "other"
	rt := s.find(r.URL.Path)
	if rt != nil {
		path = rt.path
	}
	if p := s.check(r, rt); p != nil {
		if p.Status == http.StatusMethodNotAllowed {
			noted.Header().Set("Allow", rt.method)
		}
		a := s.refuse(p, now())
		if rt != nil && rt.open { // the client has not shown the token
			a = s.reply(p.Status, refusal{Error: p})
		}
		s.write(noted, a, p)
	} else if rt == nil || path == "/" && s.page != nil {
		s.page.ServeHTTP(noted, r)
	} else {
		rt.handle(noted, r)
	}
	took := time.Since(start)
	s.metrics.observe(path, noted.status, took)
	if s.options.Access != nil {
		s.options.Access(fmt.Sprintf("%s %s %q %d %s", r.RemoteAddr, r.Method, r.URL.Path, noted.status, took.Round(time.Microsecond)))
	}
}

// find returns the route of a path; nil if there is none.
func (s *Server) find(path string) *route {
	if i := slices.IndexFunc(s.routes, func(r route) bool { return r.path == path }); i >= 0 {
		return &s.routes[i]
	}
	return nil
}

// check returns the reason why a request may not be answered; nil if it may. It does not read the body.
func (s *Server) check(r *http.Request, rt *route) *problem {
	if rt == nil || !rt.open {
		if p := s.checkClient(r); p != nil {
			return p
		}
	}
	switch {
	case rt == nil && s.page == nil:
		return refusing(http.StatusNotFound, "not_found", "there is no path %q; /openapi.json describes all paths", r.URL.Path)
	case rt != nil && r.Method != rt.method && !(rt.method == http.MethodGet && r.Method == http.MethodHead):
		return refusing(http.StatusMethodNotAllowed, "wrong_method", "the method is %s; this path takes %s", r.Method, rt.method)
	}
	return nil
}

// checkClient returns the reason why a client may not use the server; nil if it may.
//
// Without a token it looks at the name by which the server was called. IsLocal says why.
func (s *Server) checkClient(r *http.Request) *problem {
	if s.options.Token != "" {
		token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if _, password, basic := r.BasicAuth(); basic { // a browser asks its user for it, and shows the page
			token, found = password, true
		}
		given, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.options.Token)) // equal lengths take equal time
		if subtle.ConstantTimeCompare(given[:], want[:]) != 1 || !found {
			return refusing(http.StatusUnauthorized, "unauthorised", "send the header \"Authorization: Bearer TOKEN\" with the server's token")
		}
		return nil
	}
	if !s.options.AnyHost && !IsLocal(r.Host) {
		return refusing(http.StatusMisdirectedRequest, "wrong_host",
			"this server has no token and answers requests to localhost only, not to %q; give it a token", r.Host)
	}
	return nil
}

// IsLocal reports whether a request's host, perhaps with a port, names this machine alone. A handler without a token that only this
// machine reaches should refuse other hosts. A site elsewhere can point its own name to this machine, and a browser here would then
// let that site's pages use the handler.
func IsLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

// handler returns the answer to a request, or the problem.
type handler func(context.Context, http.ResponseWriter, *http.Request) (answer, *problem)

// answering returns the function that answers by a handler. The handler has limited time.
func (s *Server) answering(f handler) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.options.ReadTimeout+s.options.Timeout)
		defer cancel()
		a, p := f(ctx, w, r)
		if p != nil {
			a = s.refuse(p, now())
		}
		s.write(w, a, p)
	}
}

// write sends an answer. p is the reason of a refusal; nil if the request was not refused.
func (s *Server) write(w http.ResponseWriter, a answer, p *problem) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if p != nil && p.Retry > 0 {
		h.Set("Retry-After", strconv.Itoa(p.Retry))
	}
	if p != nil && p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
		if s.page != nil {
			h.Add("WWW-Authenticate", `Basic realm="the token is the password"`)
		}
	}
	if p != nil && slices.Contains(unread, p.Status) { // the server would wait for the rest of the body before it answers
		h.Set("Connection", "close")
	}
	if a.Again {
		h.Set("Idempotency-Replayed", "true")
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // the client may have gone
}

// unread are the statuses of requests that are refused before their bodies are read to the end.
var unread = []int{http.StatusUnauthorized, http.StatusMethodNotAllowed, http.StatusMisdirectedRequest, http.StatusNotFound,
	http.StatusUnsupportedMediaType, http.StatusRequestEntityTooLarge, http.StatusRequestTimeout}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController find the writer.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
