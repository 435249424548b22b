package serve

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// seats is a listener with a limited number of open connections. If all seats are taken, a new connection takes the seat of the client
// that has kept the server waiting longest: an idle client, or one that sends its request slowly. A connection keeps its seat while the
// server works on its request. If the server works for all of them, the new one waits.
type seats struct {
	net.Listener
	limit int

	mu      sync.Mutex // guards the fields below, and those of each seat
	changed sync.Cond  // a seat is free, the server waits for a client, or the listener is closed
	taken   map[*seat]bool
	closed  bool
}

// seat is a connection that has a seat.
type seat struct {
	net.Conn
	of      *seats
	working int       // requests of the connection that the server works on
	since   time.Time // when the last of its requests was answered, or when it came
}

func newSeats(l net.Listener, limit int) *seats {
	s := &seats{Listener: l, limit: limit, taken: map[*seat]bool{}}
	s.changed.L = &s.mu
	return s
}

// Accept waits for a connection and then for a seat.
func (l *seats) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.taken) >= l.limit {
		if slow := l.slowest(); slow != nil {
			delete(l.taken, slow)
			_ = slow.Conn.Close()
			break
		}
		if l.closed {
			c.Close()
			return nil, net.ErrClosed
		}
		l.changed.Wait()
	}
	s := &seat{Conn: c, of: l, since: time.Now()}
	l.taken[s] = true
	return s, nil
}

// slowest returns the connection that the server has waited for longest; nil if it works for all.
func (l *seats) slowest() (slow *seat) {
	for s := range l.taken {
		if s.working == 0 && (slow == nil || s.since.Before(slow.since)) {
			slow = s
		}
	}
	return slow
}

// Close closes the listener.
func (l *seats) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.changed.Broadcast()
	return l.Listener.Close()
}

// Close frees the seat.
func (s *seat) Close() error {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	delete(s.of.taken, s)
	s.of.changed.Signal()
	return s.Conn.Close()
}

// work notes that the server works on a request, by 1, or waits for the client again, by −1. It returns false if the seat is lost.
func (s *seat) work(by int) bool {
	if s == nil { // a test without a listener
		return true
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.working += by; by < 0 {
		s.since = time.Now()
	}
	s.of.changed.Signal()
	return s.of.taken[s]
}

// seatKey is the key of a request's seat in its context.
type seatKey struct{}

// withSeat puts a connection's seat into the context of its requests.
func withSeat(ctx context.Context, c net.Conn) context.Context {
	if t, encrypted := c.(*tls.Conn); encrypted {
		c = t.NetConn()
	}
	return context.WithValue(ctx, seatKey{}, c)
}

// seatOf returns the seat of a request; nil without a listener.
func seatOf(r *http.Request) *seat {
	s, _ := r.Context().Value(seatKey{}).(*seat)
	return s
}
