package serve

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// seats limits the number of open connections, and the memory of the bodies that they send. If all seats are taken, a new connection takes
// the seat of the client that has kept the server waiting longest: an idle client, or one that sends its request slowly. A connection
// keeps its seat while the server works on its request. If the server works for all of them, the new one waits. A stream of HTTP/2 needs a
// seat like a connection, but does not wait. If memory is short, the body that comes slowest is dropped.
type seats struct {
	limit   int        // 0 without a listener
	mu      sync.Mutex // guards the fields below, and each seat's
	changed sync.Cond  // a seat is free, the server waits for a client, or it stops
	taken   map[peer]*seat
	free    int  // bytes of memory for bodies
	spare   int  // bytes that should be free, less the bytes that dropped bodies still hold
	closed  bool // the server stops
}

// seat is the seat of a connection. A stream of HTTP/2 and a request without a listener have their own.
type seat struct {
	of      *seats
	conn    peer      // a net.Conn, or an *http.ResponseController
	over    *seat     // the connection of a stream
	working int       // requests or streams of the connection that the server works on
	since   time.Time // when its last request was answered, or when it came, or the last full chunk of its body
	body    [][]byte  // chunks, until the server has worked on them
	dropped bool      // the body came too slowly
}

// peer is a connection, or the control of a single request.
type peer interface{ SetReadDeadline(time.Time) error }

// limitTo limits the connections of an HTTP server.
func (l *seats) limitTo(limit int, h *http.Server) {
	l.limit, l.changed.L = limit, &l.mu
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
	for !l.closed && !l.hasRoom(l.limit, (*seat).waits) {
		l.changed.Wait()
		l.mu.Unlock()
		time.Sleep(5 * time.Millisecond) // the HTTP server sends an answer when the server no longer works on it
		l.mu.Lock()
	}
	if l.closed {
		_ = c.Close()
		return ctx
	}
	s := &seat{of: l, conn: c, since: time.Now()}
	l.taken[c] = s
	return context.WithValue(ctx, seatKey{}, s)
}

// hasRoom reports whether there are fewer seats than a limit. To make it true, it frees seats that fit.
func (l *seats) hasRoom(limit int, fits func(*seat) bool) bool {
	for l.limit > 0 && len(l.taken) >= limit {
		slow := l.slowest(fits)
		if slow == nil {
			return false
		}
		slow.leave()
	}
	return true
}

// slowest returns the seat, of those that fit, whose client the server has waited for longest; nil if none fits.
func (l *seats) slowest(fits func(*seat) bool) (slow *seat) {
	for _, s := range l.taken {
		if fits(s) && (slow == nil || s.since.Before(slow.since)) {
			slow = s
		}
	}
	return slow
}

// waits reports whether the server waits for the client.
func (s *seat) waits() bool { return s.working == 0 }

// patience is the time for which a client may keep a busy server waiting.
const patience = 40 * time.Millisecond

// isSlowStream reports whether a stream is slow. Such streams make room for others first, so that many of them close no connection.
func (s *seat) isSlowStream() bool {
	return s.over != nil && s.waits() && time.Since(s.since) > patience
}

// sends reports whether the server waits for the rest of a body.
func (s *seat) sends() bool { return s.working == 0 && s.body != nil && !s.dropped }

// leave frees the seat and closes the connection, or drops the request. TLS would wait for the client.
func (s *seat) leave() {
	delete(s.of.taken, s.conn)
	switch c := s.conn.(type) {
	case *tls.Conn:
		_ = c.NetConn().Close()
	case net.Conn:
		_ = c.Close()
	default:
		s.drop()
	}
}

// enter returns the seat of a request. A sole connection has room for a stream.
func (l *seats) enter(w http.ResponseWriter, r *http.Request) *seat {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, _ := r.Context().Value(seatKey{}).(*seat)
	if s == nil || r.ProtoMajor > 1 {
		s = &seat{of: l, conn: http.NewResponseController(w), over: cmp.Or(s, &seat{})}
		s.over.working++ // hasRoom must not close it
		if l.hasRoom(l.limit+1, (*seat).isSlowStream) || l.hasRoom(l.limit+1, (*seat).waits) {
			l.taken[s.conn] = s
		}
	}
	s.since = time.Now()
	return s
}

// work notes that the server works on a request, by 1, or waits for the client again, by −1. It returns false if the seat is lost.
func (s *seat) work(by int) (seated bool) {
	s.of.change(func() {
		seated = s.of.taken[s.conn] == s && !s.dropped
		if s.working += by; by > 0 {
			return
		}
		s.since = time.Now()
		if s.release(); s.over != nil {
			s.over.working, s.over.since = s.over.working-1, s.since
		}
	})
	return seated
}

// answers notes that there is an answer. The client may take it slowly, and keeps no memory meanwhile, and no seat of a stream.
func (s *seat) answers() { s.of.change(s.release) }

// release gives back the memory of a body and the seat of a stream.
func (s *seat) release() {
	if s.give(); s.over != nil {
		delete(s.of.taken, s.conn)
	}
}

// chunk is the number of bytes of a body that are read into one piece of memory. A whole body is copied, so it takes twice as many bytes.
const chunk = 8 << 10

// chunks holds chunks for other bodies. Without it the memory doubles before garbage is collected.
var chunks = sync.Pool{New: func() any { return new([chunk]byte) }}

// read reads a body. It takes memory for the bytes that have come, whatever length the client announces.
func (s *seat) read(body io.Reader) (whole []byte, err error) {
	var room []byte
	for n := 0; err == nil; room = room[n:] {
		if len(room) == 0 {
			if room = s.grow(); room == nil {
				return nil, busy()
			}
		}
		n, err = body.Read(room)
	}
	if err != io.EOF {
		return nil, err
	}
	last := len(s.body) - 1
	s.body[last] = s.body[last][:chunk-len(room)]
	return bytes.Join(s.body, nil), nil
}

// grow returns a chunk for the next bytes of a body; nil if there is no memory. It drops slower bodies if little is left.
func (s *seat) grow() []byte {
	l := s.of
	l.mu.Lock()
	defer l.mu.Unlock()
	for s.since = time.Now(); l.free < l.spare; {
		if slow := l.slowest((*seat).sends); slow == nil || slow == s || !slow.drop() {
			break
		}
	}
	if l.free < 2*chunk || l.taken[s.conn] != s || s.dropped {
		return nil
	}
	l.free -= 2 * chunk
	s.body = append(s.body, chunks.Get().(*[chunk]byte)[:])
	return s.body[len(s.body)-1]
}

// drop ends the reading of a body. It returns false if the HTTP server cannot do so.
func (s *seat) drop() bool {
	if s.dropped = s.conn.SetReadDeadline(time.Unix(1, 0)) == nil; s.dropped {
		s.of.spare -= 2 * chunk * len(s.body)
	}
	return s.dropped
}

// give gives the memory of a body back.
func (s *seat) give() {
	if s.dropped {
		s.of.spare += 2 * chunk * len(s.body)
	}
	for _, b := range s.body {
		s.of.free += 2 * chunk
		chunks.Put((*[chunk]byte)(b[:chunk]))
	}
	s.body = nil
}

// dropSlow drops the bodies of clients that keep the server waiting: all places for requests are taken, so none is left for theirs.
func (l *seats) dropSlow() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.taken {
		if s.sends() && time.Since(s.since) > patience {
			s.drop()
		}
	}
}
