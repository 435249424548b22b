package page

import (
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Options describe a stream to its viewers.
type Options struct {
	Title    string         // name of the stream, such as its file's name
	Progress func() float64 // share of the input that is read, from any goroutine; negative if unknown. May be nil
	Viewers  int            // largest number of viewers at the same time; 0 is any number. Each holds a connection
	Serving  bool           // the learner forecasts, and may learn rows that come at any time or never
	Asks     schema.Schema  // of the records that v1/explain beside the page takes, such as serve.Beside; empty without it
}

// state says whether the stream runs.
type state string

const (
	learning state = "learning"
	serving  state = "serving"
	ended    state = "ended"   // all rows are learned
	stopped  state = "stopped" // the stream ended early
)

// Page shows one learner. Its methods can be called from any goroutine.
type Page struct {
	moment  func() stream.Moment
	options Options
	mux     http.ServeMux
	began   time.Time

	sampling sync.Mutex // held while a moment is taken

	mu      sync.Mutex // guards the fields below; not held while learning or writing to a viewer
	history history
	now     now
	costs   [5]time.Duration // times of taking the last moments
	samples int              // number of moments
	sampled time.Time
	state   state
	viewers int
	changed chan struct{} // closed when there is something new

	closed chan struct{}
	close  sync.Once
	ended  sync.WaitGroup
}

// New starts a page of a learner's moments. It shows the score from the stream's first row on, which the learner keeps. moment is most
// often the method Moment of a stream.Learner. Close ends the page.
func New(moment func() stream.Moment, o Options) *Page {
	p := &Page{moment: moment, options: o, began: time.Now(), state: learning, history: newHistory(),
		changed: make(chan struct{}), closed: make(chan struct{})}
	if o.Serving {
		p.state = serving
	}
	p.mux.HandleFunc("GET /events", guarded(p.events))
	p.mux.HandleFunc("GET /", guarded(file))
	p.sample()
	p.ended.Go(p.run)
	return p
}

// ServeHTTP serves the page, its files and its events. All its addresses are relative, so the page can be mounted anywhere.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// Finish shows the final state of the stream: it has learned all rows, or it ended early, such as after an error or Ctrl-C. The page
// stays until Close.
func (p *Page) Finish(complete bool) {
	p.mu.Lock()
	p.state = stopped
	if complete {
		p.state = ended
	}
	p.mu.Unlock()
	p.sample()
}

// Close sends the viewers away and takes no more moments. A server that is shut down waits for its viewers, so close the page first.
func (p *Page) Close() {
	p.close.Do(func() { close(p.closed) })
	p.ended.Wait()
}

const (
	// pace is the time between two moments while there are viewers.
	pace = time.Second
	// share bounds the cost of the page: the pause after a moment is share times as long as taking the moment.
	share = 150
)

// run takes a moment from time to time until the page is closed or the stream has ended.
func (p *Page) run() {
	ticker := time.NewTicker(firstSpacing)
	defer ticker.Stop()
	for {
		select {
		case <-p.closed:
			return
		case <-ticker.C:
		}
		p.mu.Lock()
		over, due := p.state == ended || p.state == stopped, time.Since(p.sampled) >= p.pause()-early
		p.mu.Unlock()
		switch {
		case over:
			return
		case due:
			p.sample()
		}
	}
}

// pause returns the time between two moments. Without viewers, only the history needs moments. The caller holds the lock.
func (p *Page) pause() time.Duration {
	wait := p.history.spacing
	if p.viewers > 0 {
		wait = min(wait, pace)
	}
	return max(wait, share*p.cost())
}

// cost returns the time that a moment takes: the median of the last ones, since a busy machine now and then holds one up for long. It is 0
// for the first two, which a program that starts holds up too. The caller holds the lock.
func (p *Page) cost() time.Duration {
	costs := slices.Sorted(slices.Values(p.costs[:]))
	return costs[len(costs)/2]
}

// sample takes a moment and tells the viewers.
func (p *Page) sample() {
	p.sampling.Lock() // moments reach the history in their order
	defer p.sampling.Unlock()
	began := time.Now()
	m := p.moment()
	end := time.Now()
	progress := number(-1)
	if p.options.Progress != nil {
		progress = number(p.options.Progress())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.costs[p.samples%len(p.costs)], p.sampled = end.Sub(began), end
	p.samples++
	told := p.now.Told
	p.now = newNow(m)
	p.now.ask(&p.options.Asks, m.Forecast, told)
	p.now.Title, p.now.State, p.now.Progress, p.now.Cost = p.options.Title, p.state, progress, number(p.cost().Seconds())
	seconds := math.Round(end.Sub(p.began).Seconds()*1000) / 1000
	p.history.add(point{seconds, m.Rows, number(m.Load), m.Alarms, m.Changes}, newCourse(m))
	close(p.changed)
	p.changed = make(chan struct{})
}
