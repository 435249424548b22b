package page

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/pkg/errors"
)

// event is one message to a viewer: the points and blocks that it lacks, the newest point, and the present state. A viewer keeps its
// first From points and Full blocks, and appends Points and Course.
type event struct {
	From   int     `json:"from"`
	Points []point `json:"points"`
	Full   int     `json:"full"`
	Course []block `json:"course"`
	Tip    point   `json:"tip"`
	Now    now     `json:"now"`
}

// place is a viewer's position in the history.
type place struct{ generation, points, blocks int }

const (
	// patience is the time that a viewer has to take an event. A slower viewer is disconnected, and its browser comes back.
	patience = 10 * time.Second
	// alive is the time after which an idle connection gets an event, since a proxy would close it.
	alive = 15 * time.Second
	// retry is the time after which a browser that lost the connection comes back, in milliseconds.
	retry = 2000
)

// events sends events to a viewer until it leaves or the page is closed. A slow viewer gets fewer and larger events.
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	if !p.enter() {
		w.Header().Set("Connection", "close")
		http.Error(w, "the page has as many viewers as it takes; it tries again by itself", http.StatusServiceUnavailable)
		return
	}
	defer p.leave()
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // or a proxy would hold events back
	c := http.NewResponseController(w)
	// A server's time limit for requests would end the events.
	if err := c.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return
	}
	sign := time.NewTicker(alive)
	defer sign.Stop()
	have, text := place{generation: -1}, fmt.Sprintf("retry: %d\n\n", retry)
	for over := false; ; {
		body, next, changed, err := p.since(have)
		if err != nil || send(c, w, text+"data: "+string(body)+"\n\n") != nil || over {
			return
		}
		have, text = next, ""
		select {
		case <-r.Context().Done():
			return
		case <-p.closed:
			over = true // the final state may not have been sent yet
		case <-changed:
		case <-sign.C:
		}
	}
}

// send writes a text to a viewer, who must take it in time.
func send(c *http.ResponseController, w http.ResponseWriter, text string) error {
	// A server's own time limit for an answer does not suit an answer without an end. Writers in tests have no limit to set.
	if err := c.SetWriteDeadline(time.Now().Add(patience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return errors.Wrap(err, "a viewer")
	}
	if _, err := w.Write([]byte(text)); err != nil {
		return errors.Wrap(err, "a viewer")
	}
	return errors.Wrap(c.Flush(), "a viewer")
}

// since returns the event for a viewer at a position, the viewer's position after it, and the channel that announces the next
// event.
func (p *Page) since(have place) (body []byte, next place, changed <-chan struct{}, err error) {
	p.mu.Lock()
	h := &p.history
	from, full := have.points, max(0, have.blocks-1)
	if have.generation != h.generation {
		from, full = 0, 0
	}
	e := event{From: from, Points: append([]point{}, h.points[from:]...), Full: full, Course: append([]block{}, h.course[full:]...),
		Tip: h.tip, Now: p.now}
	next, changed = place{h.generation, len(h.points), len(h.course)}, p.changed
	p.mu.Unlock()
	body, err = json.Marshal(e)
	return body, next, changed, errors.Wrap(err, "writing an event")
}

// enter counts a viewer in. It returns false if there are too many viewers.
func (p *Page) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.options.Viewers > 0 && p.viewers >= p.options.Viewers {
		return false
	}
	p.viewers++
	return true
}

func (p *Page) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.viewers--
}
