package serve

import (
	"context"
	"crypto/tls"
	"io"
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
	most int

	mu      sync.Mutex
	changed *sync.Cond // a seat is free, a client waits no more, or the listener is closed
	taken   map[*seat]bool
	pushed  int64 // connections that lost their seats
	closed  bool
}

func newSeats(l net.Listener, most int) *seats {
	p := &seats{Listener: l, most: most, taken: map[*seat]bool{}}
	p.changed = sync.NewCond(&p.mu)
	return p
}

// Accept waits for a connection and then for a seat.
func (l *seats) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.taken) >= l.most && !l.closed {
		if slow := l.slowest(); slow != nil {
			delete(l.taken, slow)
			l.pushed++
			_ = slow.Conn.Close()
		} else {
			l.changed.Wait()
		}
	}
	if l.closed {
		c.Close()
		return nil, net.ErrClosed
	}
	p := &seat{Conn: c, of: l, since: time.Now()}
	l.taken[p] = true
	return p, nil
}

// slowest returns the connection that the server has waited for longest; nil if it works on all.
func (l *seats) slowest() (slow *seat) {
	for p := range l.taken {
		if p.working == 0 && (slow == nil || p.since.Before(slow.since)) {
			slow = p
		}
	}
	return slow
}

// closings returns the number of connections that lost their seats.
func (l *seats) closings() int64 {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pushed
}

// Close closes the listener.
func (l *seats) Close() error {
	l.mu.Lock()
	l.closed = true
	l.changed.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}

// seat is a connection that has a seat.
type seat struct {
	net.Conn
	of      *seats
	working int       // requests of the connection that the server works on
	since   time.Time // when the last of its requests was answered, or when it came
}

// Close frees the seat.
func (p *seat) Close() error {
	p.of.mu.Lock()
	delete(p.of.taken, p)
	p.of.changed.Signal()
	p.of.mu.Unlock()
	return p.Conn.Close()
}

// work notes that the server works on a request, by 1, or waits for the client again, by −1. It returns false if the seat is lost.
func (p *seat) work(by int) bool {
	if p == nil { // a test without a listener
		return true
	}
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.working += by
	p.of.changed.Signal()
	return p.of.taken[p]
}

// rest notes that a request was answered.
func (p *seat) rest() {
	p.work(-1)
	if p != nil {
		p.of.mu.Lock()
		defer p.of.mu.Unlock()
		p.since = time.Now()
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
	p, _ := r.Context().Value(seatKey{}).(*seat)
	return p
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
