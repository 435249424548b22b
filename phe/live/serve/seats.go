package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// seats limits the number of open connections. If all seats are taken, a new connection takes the seat of the client that has kept the
// server waiting longest: an idle client, or one that sends its request slowly. A connection keeps its seat while the server works on its
// request. If the server works for all of them, the new one waits.
type seats struct {
	limit   int
	mu      sync.Mutex // guards the fields below, and those of each seat
	changed sync.Cond  // a seat is free, the server waits for a client, or it stops
	taken   map[net.Conn]*seat
	closed  bool // the server stops
}

// seat is a connection that has a seat.
type seat struct {
	of      *seats
	conn    net.Conn
	working int       // requests of the connection that the server works on
	since   time.Time // when the last of its requests was answered, or when it came
}

// limitTo limits the connections of an HTTP server.
func limitTo(limit int, h *http.Server) {
	l := &seats{limit: limit, taken: map[net.Conn]*seat{}}
	l.changed.L = &l.mu
	h.ConnContext = l.take
	h.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			l.change(func() { delete(l.taken, c) })
		}
	}
	h.RegisterOnShutdown(func() { l.change(func() { l.closed = true }) }) // Shutdown waits for take
}

// change changes the seats, and wakes a connection that waits for one.
func (l *seats) change(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do()
	l.changed.Signal() // only take waits, for one connection at a time
}

// seatKey is the key of a request's seat in its context.
type seatKey struct{}

// take waits until there is a seat for a new connection. Until then the HTTP server accepts no other one. A server that stops has no seats.
func (l *seats) take(ctx context.Context, c net.Conn) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.taken) >= l.limit && !l.closed {
		if slow := l.slowest(); slow != nil {
			slow.leave()
		} else {
			l.changed.Wait()
		}
	}
	if l.closed {
		_ = c.Close()
		return ctx
	}
	s := &seat{of: l, conn: c, since: time.Now()}
	l.taken[c] = s
	return context.WithValue(ctx, seatKey{}, s)
}

// slowest returns the connection that the server has waited for longest; nil if it works for all.
func (l *seats) slowest() (slow *seat) {
	for _, s := range l.taken {
		if s.working == 0 && (slow == nil || s.since.Before(slow.since)) {
			slow = s
		}
	}
	return slow
}

// leave frees the seat and closes the connection. TLS would wait for the client.
func (s *seat) leave() {
	delete(s.of.taken, s.conn)
	if t, encrypted := s.conn.(*tls.Conn); encrypted {
		_ = t.NetConn().Close()
	} else {
		_ = s.conn.Close()
	}
}

// seatOf returns the seat of a request; nil without a listener.
func seatOf(r *http.Request) *seat {
	s, _ := r.Context().Value(seatKey{}).(*seat)
	return s
}

// work notes that the server works on a request, by 1, or waits for the client again, by −1. It returns false if the seat is lost.
func (s *seat) work(by int) (seated bool) {
	if s == nil { // a test without a listener
		return true
	}
	s.of.change(func() {
		if s.working += by; by < 0 {
			s.since = time.Now()
		}
		seated = s.of.taken[s.conn] == s
	})
	return seated
}
