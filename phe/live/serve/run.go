package serve

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/internal/text"
	"gophe/phe/live/page"
	"gophe/phe/stream"
)

// MaxBeside is the largest number of connections of the server that Beside returns.
const MaxBeside = 512

// Beside returns the HTTP server of a page, and of /v1/explain by the learner that its program takes along, under any host's name. A new
// connection takes the place of the one idle or slow for longest, so that viewers leave the program files to open.
func Beside(l *stream.Learner, p *page.Page) *http.Server {
	s, _ := newServer("", Options{AnyHost: true, Limits: Limits{Connections: MaxBeside}}) // the options are valid
	s.own = &durable{applier: applier{learner: l}}                                        // it has no files, and learns nothing
	s.layout, s.page = newLayout(l.Schema, s.options.MaxRecords), p
	s.routes = []route{{"/v1/explain", http.MethodPost, needsPlace, s.explain}, {"/", http.MethodGet, needsModel, nil}}
	return s.server()
}

// Run makes a server by open, and runs it as Server.Run does. It answers from the first moment: until open returns, /healthz is right,
// /readyz says why there is no model, and requests that need the model are refused.
func Run(ctx context.Context, listener net.Listener, o Options, open func() (*Server, error)) error {
	s, err := newServer("", o)
	if err != nil {
		return err
	}
	s.early, s.routes = open, s.allRoutes()
	return s.Run(ctx, listener)
}

// Run answers requests on a listener until the context ends. From then on the server is not ready, and still answers for Options.Drain. It
// then takes no new requests, answers those under way, saves a checkpoint and closes the server. A server that follows saves nothing.
func (s *Server) Run(ctx context.Context, listener net.Listener) error {
	h := s.server()
	scheme, serve := "http", h.Serve
	if s.options.TLS != nil {
		scheme, serve = "https", func(l net.Listener) error { return h.ServeTLS(l, "", "") }
	}
	ended := make(chan error, 1)
	go func() { ended <- serve(listener) }()
	if s.early != nil {
		next, err := s.early()
		if err != nil {
			h.Close()
			return err
		}
		next.seats, next.metrics = s.seats, s.metrics
		s.next.Store(next)
		s = next
	}
	if listener.Addr().Network() == "unix" {
		scheme = "unix"
	}
	s.options.Log(fmt.Sprintf("serving %s on %s://%s; %s learned", s.name, scheme, listener.Addr(), text.Counted(s.model().Rows, "row")))
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		s.stopping.Store(true)
		select {
		case err = <-ended:
		case <-time.After(s.options.Drain):
			listener.Close() // first, since Shutdown drops requests that it has not read
			time.Sleep(min(s.options.Drain, 500*time.Millisecond))
		}
		s.closePage() // its viewers would hold up the stop
		s.shutDown(h)
	}
	err = cmp.Or(errors.Wrap(err, "serving"), s.Close())
	switch {
	case err != nil:
	case s.followed != nil && s.followed.Position().Checkpoint > 0:
		s.options.Log(fmt.Sprintf("stopped; checkpoint %d of %s was the last one here", s.followed.Position().Checkpoint, s.name))
	default:
		s.options.Log(fmt.Sprintf("stopped; %s keeps %s", s.name, text.Counted(s.model().Rows, "row")))
	}
	return err
}

// server returns the HTTP server with its limits.
func (s *Server) server() *http.Server {
	const header, idle, maxHeader = 5 * time.Second, 2 * time.Minute, 16 << 10
	const frame, window = 16 << 10, 64 << 10 // HTTP/2 keeps room for a frame, and for bytes that nobody has read yet
	h := &http.Server{
		Handler:           s.Handler(),
		TLSConfig:         s.options.TLS,
		ReadHeaderTimeout: min(header, s.options.ReadTimeout),
		ReadTimeout:       s.options.ReadTimeout,
		WriteTimeout:      s.options.ReadTimeout + s.options.Timeout + 5*time.Second,
		IdleTimeout:       idle,
		MaxHeaderBytes:    maxHeader,
		HTTP2: &http.HTTP2Config{MaxReadFrameSize: frame, MaxReceiveBufferPerConnection: 4 * window,
			MaxReceiveBufferPerStream: window},
		ErrorLog: log.New(faults{s.options.Log}, "", 0),
	}
	s.seats.limitTo(s.options.Connections, h)
	return h
}

// shutDown waits for the requests under way.
func (s *Server) shutDown(h *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), s.options.Timeout)
	defer cancel()
	if err := h.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) { // another error is that the listener is closed already
		s.options.Log("warning: some requests were cut off, since they were not answered within " + s.options.Timeout.String())
		h.Close()
	}
}

// faults passes the HTTP server's messages on to the log. It drops messages about clients without TLS, since any client can cause them.
type faults struct{ log func(string) }

// Write takes one message.
func (f faults) Write(b []byte) (int, error) {
	if line := strings.TrimSpace(string(b)); !strings.Contains(line, "TLS handshake error") {
		f.log("warning: " + line)
	}
	return len(b), nil
}
