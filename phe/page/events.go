package page

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/pkg/errors"
)

// event is what a viewer gets: the points that it does not have yet, the newest point, and everything else as it is now. A viewer
// keeps its first From points and puts Points behind them.
type event struct {
	From   int     `json:"from"`
	Points []point `json:"points"`
	Tip    point   `json:"tip"`
	Now    now     `json:"now"`
}

// place is how much of the history a viewer has.
type place struct{ generation, points int }

const (
	// patience is the time that a viewer has to take an event. A slower one is sent away, and its browser comes back.
	patience = 10 * time.Second
	// alive is the time between two signs of life on an idle connection, so that proxies keep it.
	alive = 15 * time.Second
	// retry is the time after which a browser that lost the connection comes back, in milliseconds.
	retry = 2000
)

// events sends a viewer events until it leaves or the page is closed. A viewer that takes its time gets fewer and larger events.
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // or a proxy would hold events back
	c := http.NewResponseController(w)
	if err := c.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) { // a server's limit for requests would end the events
		return
	}
	p.enter()
	defer p.leave()
	sign := time.NewTicker(alive)
	defer sign.Stop()
	have, text := place{generation: -1}, fmt.Sprintf("retry: %d\n\n", retry)
	for over := false; ; {
		body, next, changed, err := p.since(have)
		if err != nil || send(c, w, text+"data: "+string(body)+"\n\n") != nil || over {
			return
		}
		have, text = next, ""
		for waiting := true; waiting; {
			select {
			case <-r.Context().Done():
				return
			case <-p.closed:
				waiting, over = false, true // the final state has perhaps not been sent
			case <-changed:
				waiting = false
			case <-sign.C:
				if send(c, w, ": alive\n\n") != nil {
					return
				}
			}
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

// since returns the event for a viewer who has a part of the history, what the viewer has after it, and what tells of the next one.
func (p *Page) since(have place) (body []byte, next place, changed <-chan struct{}, err error) {
	p.mu.Lock()
	h := &p.history
	from := have.points
	if have.generation != h.generation {
		from = 0
	}
	e := event{From: from, Points: append([]point{}, h.points[from:]...), Tip: h.tip, Now: p.now}
	next, changed = place{h.generation, len(h.points)}, p.changed
	p.mu.Unlock()
	body, err = json.Marshal(e)
	return body, next, changed, errors.Wrap(err, "writing an event")
}

// enter counts a viewer in and asks for a moment if the last one is old.
func (p *Page) enter() {
	p.mu.Lock()
	p.viewers++
	p.mu.Unlock()
	select {
	case p.woken <- struct{}{}:
	default: // somebody else has asked
	}
}

func (p *Page) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.viewers--
}
