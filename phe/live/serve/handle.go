package serve

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"maps"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"gophe/phe/live/page"
	"gophe/phe/stream"
)

// route is one path of the server.
type route struct {
	path, method string
	needs        needs
	handle       handler // nil if the page has the path
}

// needs are the things that a request must have before it is handled.
type needs int

const (
	needsNothing needs = iota
	needsToken
	needsModel // also a model
	needsPlace // also one of the places for requests under way, and a body if the method is POST
)

// handler returns the answer to a request, or the problem.
type handler func(r *http.Request, body []byte) (answer, *problem)

// allRoutes returns all paths. /openapi.json describes each.
func (s *Server) allRoutes() []route {
	learn, label := s.learnRequest, s.labelRequest
	if s.followed != nil {
		learn, label = s.refuseChange, s.refuseChange
	}
	index := s.index
	if s.page != nil {
		index = nil
	}
	return []route{
		{"/v1/predict", http.MethodPost, needsPlace, s.predict},
		{"/v1/explain", http.MethodPost, needsPlace, s.explain},
		{"/v1/learn", http.MethodPost, needsPlace, learn},
		{"/v1/label", http.MethodPost, needsPlace, label},
		{"/v1/inspect", http.MethodGet, needsPlace, s.show("inspection", func(l *stream.Learner) any { return l.Inspect() })},
		{"/v1/report", http.MethodGet, needsPlace, s.show("report", func(l *stream.Learner) any { return l.Report() })},
		{"/v1/schema", http.MethodGet, needsPlace, s.show("schema", func(l *stream.Learner) any { return l.Schema })},
		{"/healthz", http.MethodGet, needsNothing, always(reply(http.StatusOK, map[string]any{"status": "ok"}))},
		{"/readyz", http.MethodGet, needsNothing, s.readiness},
		{"/metrics", http.MethodGet, needsToken, s.showMetrics},
		{"/openapi.json", http.MethodGet, needsToken, always(answer{Status: http.StatusOK, Body: description})},
		{"/", http.MethodGet, needsModel, index},
	}
}

// Handler returns the handler of all paths, with authentication and limits.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// serve answers a request and counts the answer in the metrics.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s = cmp.Or(s.next.Load(), s)
	start, at, rt := time.Now(), s.seats.enter(w, r), s.find(r.URL.Path)
	defer at.work(-1)
	id := r.Header.Get("X-Request-ID")
	if !printable.MatchString(id) {
		id = rand.Text()
	}
	w.Header().Set("X-Request-ID", id)
	noted := &statusWriter{ResponseWriter: w, status: http.StatusOK}
	p := s.check(r, rt)
	var body []byte
	if p == nil && rt.needs == needsPlace && rt.method == http.MethodPost {
		body, p = s.readBody(noted, r, at)
	}
	if !at.work(1) {
		p = busy()
	}
	// A server that stops sends its clients to another one. One that refuses a request would else read the rest of its body first.
	if s.stopping.Load() || p != nil && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	switch {
	case p != nil:
		write(noted, s.refuse(p))
	case rt.handle == nil:
		s.page.ServeHTTP(noted, r)
	default:
		a := s.answer(r, rt, body)
		at.answers()
		write(noted, a)
	}
	took := time.Since(start)
	s.metrics.observe(rt.path, noted.status, took)
	if s.options.Access != nil {
		s.options.Access(fmt.Sprintf("%s %s %q %d %s %q", r.RemoteAddr, r.Method, r.URL.Path, noted.status,
			took.Round(time.Microsecond), id))
	}
}

// printable matches the X-Request-IDs that answers and the log repeat.
var printable = regexp.MustCompile(`^[ -~]{1,128}$`)

// answer handles a request, unless too many are under way.
func (s *Server) answer(r *http.Request, rt route, body []byte) answer {
	if rt.needs == needsPlace {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
			if len(s.slots) == cap(s.slots) {
				s.seats.dropSlow()
			}
		default:
			return s.refuse(busy())
		}
	}
	a, p := rt.handle(r, body)
	if p != nil {
		return s.refuse(p)
	}
	return a
}

// find returns the route of a path. Other paths belong to the page.
func (s *Server) find(path string) route {
	for _, rt := range s.routes {
		if rt.path == path || rt.path == strings.TrimSuffix(path, "/") {
			return rt
		}
	}
	return route{path: "other", needs: needsModel}
}

// check returns the reason why a request may not be answered; nil if it may. It does not read the body.
func (s *Server) check(r *http.Request, rt route) *problem {
	if rt.needs != needsNothing {
		if p := s.checkClient(r); p != nil {
			return p
		}
	}
	switch {
	case rt.needs >= needsModel && s.early != nil:
		return refusing(http.StatusServiceUnavailable, "starting", "%s; nothing was done. Send it again later", s.unready()).after(5)
	case rt.handle == nil && (s.page == nil || !page.Has(r.URL.Path)):
		return refusing(http.StatusNotFound, "not_found", "there is no path %q; /openapi.json describes all paths", r.URL.Path)
	case rt.method != "" && r.Method != rt.method && !(rt.method == http.MethodGet && r.Method == http.MethodHead):
		p := refusing(http.StatusMethodNotAllowed, "wrong_method", "the method is %s; this path takes %s", r.Method, rt.method)
		p.stranger = rt.needs == needsNothing // the client has not shown the token
		return p.with("Allow", rt.method)
	}
	return nil
}

// checkClient returns the reason why a client may not use the server; nil if it may.
//
// Without a token it looks at the name by which the server was called. IsLocal says why.
func (s *Server) checkClient(r *http.Request) (p *problem) {
	if s.options.Token != "" {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		found := strings.EqualFold(scheme, "Bearer")    // RFC 9110: in any case
		if _, password, basic := r.BasicAuth(); basic { // a browser asks its user for it, and shows the page
			token, found = password, true
		}
		given, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.options.Token)) // equal lengths take equal time
		if subtle.ConstantTimeCompare(given[:], want[:]) != 1 || !found {
			p = refusing(http.StatusUnauthorized, "unauthorised", "send the header \"Authorization: Bearer TOKEN\" with the server's token")
			p.with("WWW-Authenticate", "Bearer").stranger = true
			if s.page != nil {
				p.with("WWW-Authenticate", `Basic realm="the token is the password"`)
			}
		}
	} else if !s.options.AnyHost && !IsLocal(r.Host) {
		p = refusing(http.StatusMisdirectedRequest, "wrong_host",
			"this server has no token and answers requests to localhost only, not to %q; give it a token", r.Host)
		p.stranger = true
	}
	return p
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

// write sends an answer.
func write(w http.ResponseWriter, a answer) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	maps.Copy(h, a.header)
	if a.Again {
		h.Set("Idempotency-Replayed", "true")
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // the client may have gone
}

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
