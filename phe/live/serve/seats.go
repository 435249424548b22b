package serve

import (
	"context"
	"crypto/tls"
	"io"
	"math"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// seats is a listener with a limited number of open connections. If all seats are taken, a new connection takes the seat of the client
// that has kept the server waiting longest: an idle client, or one that sends its request slowly. A connection keeps its seat while the
// server works on its request. If the server works for all of them, the new one waits.
type seats struct {
	net.Listener
	limit int
	room  chan struct{} // there may be room: a seat is free, or the server waits for its client
	gone  chan struct{} // closed with the listener
	close sync.Once

	mu    sync.Mutex
	taken map[*seat]bool
}

func newSeats(l net.Listener, limit int) *seats {
	return &seats{Listener: l, limit: limit, room: make(chan struct{}, 1), gone: make(chan struct{}), taken: map[*seat]bool{}}
}

// Accept waits for a connection and then for a seat.
func (l *seats) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	s := &seat{Conn: c, of: l}
	s.since.Store(time.Now().UnixNano())
	for !l.take(s) {
		select {
		case <-l.room:
		case <-l.gone:
			c.Close()
			return nil, net.ErrClosed
		}
	}
	return s, nil
}

// take gives a connection a seat. It returns false if the server works for all others.
func (l *seats) take(s *seat) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.taken) >= l.limit {
		slow := l.slowest()
		if slow == nil {
			return false
		}
		if slow.working.CompareAndSwap(0, lost) {
			delete(l.taken, slow)
			_ = slow.Conn.Close()
		}
	}
	l.taken[s] = true
	return true
}

// slowest returns the connection that the server has waited for longest; nil if it works for all.
func (l *seats) slowest() (slow *seat) {
	for s := range l.taken {
		if s.working.Load() == 0 && (slow == nil || s.since.Load() < slow.since.Load()) {
			slow = s
		}
	}
	return slow
}

// wake lets Accept look for room.
func (l *seats) wake() {
	select {
	case l.room <- struct{}{}:
	default: // it will look anyway
	}
}

// Close closes the listener.
func (l *seats) Close() error {
	l.close.Do(func() { close(l.gone) })
	return l.Listener.Close()
}

// seat is a connection that has a seat.
type seat struct {
	net.Conn
	of      *seats
	working atomic.Int32 // requests of the connection that the server works on; negative if the seat is lost
	since   atomic.Int64 // when the last of its requests was answered, or when it came, in nanoseconds since 1970
}

// lost is less than any number of requests.
const lost = math.MinInt32 / 2

// Close frees the seat.
func (s *seat) Close() error {
	s.of.mu.Lock()
	delete(s.of.taken, s)
	s.of.mu.Unlock()
	s.of.wake()
	return s.Conn.Close()
}

// work notes that the server works on a request, by 1, or waits for the client again, by −1. It returns false if the seat is lost.
func (s *seat) work(by int32) bool {
	if s == nil { // a test without a listener
		return true
	}
	n := s.working.Add(by)
	if n == 0 {
		s.of.wake()
	}
	return n >= 0
}

// finish notes that a request was answered.
func (s *seat) finish() {
	if s != nil {
		s.since.Store(time.Now().UnixNano())
		s.work(-1)
	}
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

// awaited is the body of a request. The server waits for the client while it reads.
type awaited struct {
	io.ReadCloser
	seat *seat
}

// Read reads as the client sends.
func (a *awaited) Read(b []byte) (int, error) {
	a.seat.work(-1)
	n, err := a.ReadCloser.Read(b)
	if !a.seat.work(1) {
		return 0, net.ErrClosed
	}
	return n, err
}
