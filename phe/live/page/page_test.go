package page

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
)

// made is a moment after a number of rows, in blocks of 100: log-loss 0.25 a row, and the base rate's 0.5.
func made(rows int64) stream.Moment {
	tally := func(rows int64, loss float64) score.Tally {
		t := score.Tally{Rows: rows, Weight: float64(rows)}
		t.Sum.LogLoss, t.Sum.Right = loss*float64(rows), float64(rows)/2
		return t
	}
	target := schema.Target{Column: "bought", Kind: schema.Classes, Classes: []string{"no", "yes"}}
	m := stream.Moment{Metric: "log-loss", Report: score.Report{Target: target, Counts: score.Counts{Rows: rows}}}
	m.Novelty = []score.Tally{{Rows: rows}, {}, {}, {}}
	names := score.ModelNames()
	m.Models = slices.Grow(m.Models, 2)[:2]
	m.Models[0].Name, m.Models[0].All = names[0], tally(rows, 0.25)
	m.Models[1].Name, m.Models[1].All = names[3], tally(rows, 0.5)
	for from := int64(0); from < rows; from += 100 {
		for i := range m.Models {
			c := &m.Models[i].Course
			c.Tally = append(c.Tally, tally(min(100, rows-from), 0.25*float64(1+i)))
		}
	}
	return m
}

// received is an event as a viewer reads it.
type received struct {
	From   int
	Points []struct {
		T    float64
		Rows int64
	}
	Full   int
	Course []struct {
		Rows    int64
		Scores  [4][2]float64
		Novelty [4]int64
	}
	Tip struct {
		Rows int64
		Load *float64
	}
	Now struct {
		Title, State                string
		Progress, Accuracy, Covered float64
		Newest                      []score.NewItem
		Calibration                 struct{ Error float64 }
		Columns                     []struct {
			Name string
			Adds float64
		}
		Left      int
		Uncertain []struct {
			Effect *float64
			Spread float64
		}
	}
}

func decoded(t *testing.T, data []byte) (r received) {
	t.Helper()
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("%v in %.200s", err, data)
	}
	return r
}

// since returns the event for a viewer at a position, and the position after it.
func since(t *testing.T, p *Page, have place) (received, place) {
	t.Helper()
	body, next, _, err := p.since(have)
	filetest.Check(t, err)
	return decoded(t, body), next
}

// viewer follows a page.
type viewer struct {
	t      *testing.T
	lines  *bufio.Scanner
	answer *http.Response
}

func follow(t *testing.T, address string) viewer {
	t.Helper()
	answer := filetest.Must(http.Get(address + "/events"))(t)
	t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<22)
	return viewer{t, lines, answer}
}

// next returns the next event; ok is false at the end.
func (v viewer) next() (r received, ok bool) {
	v.t.Helper()
	for v.lines.Scan() {
		if data, found := strings.CutPrefix(v.lines.Text(), "data: "); found {
			return decoded(v.t, []byte(data)), true
		}
	}
	return r, false
}

// begin serves a page of rows() rows.
func begin(t *testing.T, moment func() stream.Moment, o Options) (*Page, string) {
	t.Helper()
	p := New(moment, o)
	server := httptest.NewServer(p)
	t.Cleanup(func() { p.Close(); server.Close() })
	return p, server.URL
}

// TestEvents: two viewers, one of whom comes late, put together the same history, and see the end.
func TestEvents(t *testing.T) {
	var rows atomic.Int64
	half := func() float64 { return 0.5 }
	p, address := begin(t, func() stream.Moment { return made(rows.Load()) }, Options{Title: "sales.csv", Progress: half})
	early := follow(t, address)
	first, _ := early.next()
	filetest.Want(t, [2]int{first.From, len(first.Points)}, [2]int{0, 1}, "first point and number of points of the first event")
	filetest.Want(t, first.Now.Title+" "+first.Now.State, "sales.csv learning", "title and state")
	filetest.Want(t, first.Now.Progress, 0.5, "progress")
	have := first.Points
	for len(have) < 4 {
		rows.Add(100)
		e, _ := early.next()
		filetest.Want(t, e.From, len(have), "first point of an event")
		have = append(have, e.Points...)
	}
	late, _ := follow(t, address).next()
	filetest.Want(t, late.From, 0, "first point of a late viewer")
	filetest.True(t, len(late.Points) >= len(have), "a late viewer has %d points, an early one %d", len(late.Points), len(have))
	rows.Store(12_345)
	p.Finish(true)
	p.Close()
	end := first
	for e, ok := early.next(); ok; e, ok = early.next() {
		end = e
	}
	filetest.Want(t, end.Now.State, "ended", "last state")
	filetest.Want(t, end.Tip.Rows, 12_345, "last rows")
}

// TestClosed: a viewer looks once more after the page is closed, since the final state may have come just before.
func TestClosed(t *testing.T) {
	p, address := begin(t, func() stream.Moment { return made(1) }, Options{})
	p.Close()
	v, events := follow(t, address), 0
	for _, ok := v.next(); ok; _, ok = v.next() {
		events++
	}
	filetest.Want(t, events, 2, "events: the state at first and the state after the close")
}

// TestHistory: whatever the length of a run, the history has a fixed size, reaches from the beginning to the end, and is even.
func TestHistory(t *testing.T) {
	h := newHistory()
	room := cap(h.points)
	for i := range 1_000_000 {
		h.add(point{Seconds: float64(i) / 4, Rows: int64(i)}, nil)
		if i%9973 != 0 {
			continue
		}
		last := h.points[len(h.points)-1]
		if h.points[0].Rows != 0 || h.tip.Rows != int64(i) || h.tip.Seconds-last.Seconds > h.spacing.Seconds() {
			t.Fatalf("after %d seconds the history is from %v to %v, tip %v", i/4, h.points[0], last, h.tip)
		}
		for j := range len(h.points) - 1 {
			if gap := h.points[j+1].Seconds - h.points[j].Seconds; math.Abs(gap-h.spacing.Seconds()) > 1e-9 {
				t.Fatalf("after %d seconds point %d is %g s before the next, spacing %s", i/4, j, gap, h.spacing)
			}
		}
	}
	filetest.True(t, len(h.points) >= maxPoints/2 && len(h.points) <= maxPoints, "%d points", len(h.points))
	filetest.Want(t, cap(h.points), room, "room for points")
}

// TestThinned: a viewer whose points were dropped gets the whole history again.
func TestThinned(t *testing.T) {
	p, _ := begin(t, func() stream.Moment { return made(1) }, Options{})
	p.mu.Lock()
	p.history = newHistory()
	for i := range maxPoints {
		p.history.add(point{Seconds: float64(i)}, p.history.course)
	}
	p.mu.Unlock()
	_, have := since(t, p, place{generation: -1})
	p.mu.Lock()
	p.history.add(point{Seconds: maxPoints}, nil)
	p.mu.Unlock()
	e, _ := since(t, p, have)
	filetest.Want(t, [2]int{e.From, len(e.Points)}, [2]int{0, maxPoints/2 + 1}, "first point and number of points")
}

// TestServed: the page of a learner that is served says so, and shows the score from the first row on. A viewer gets the
// last block and later ones, or all if the learner has become another one.
func TestServed(t *testing.T) {
	var rows atomic.Int64
	rows.Store(230)
	var older atomic.Bool
	p, _ := begin(t, func() stream.Moment {
		m := made(rows.Load())
		if m.Models[0].Course.Novelty = [][4]int64{{}, {0, 0, 7, 1}}; older.Load() {
			m.Models[0].Course.Tally[0].Sum.LogLoss++
		}
		return m
	}, Options{Serving: true})
	have := place{generation: -1}
	for _, c := range []struct {
		rows               int64
		older              bool
		full, came, blocks int
	}{{230, false, 0, 3, 3}, {290, false, 2, 1, 3}, {450, false, 2, 3, 5}, {450, true, 0, 5, 5}, {390, true, 0, 4, 4},
		{0, false, 0, 0, 0}, {100, false, 0, 1, 1}} {
		rows.Store(c.rows)
		older.Store(c.older)
		p.sample()
		e, next := since(t, p, have)
		have = next
		filetest.Want(t, e.Now.State, "serving", "state after %+v", c)
		filetest.Want(t, []int{e.Full, len(e.Course), e.Full + len(e.Course)}, []int{c.full, c.came, c.blocks}, "blocks after %+v", c)
		if b := e.Course; c.rows == 230 {
			filetest.Want(t, b[2].Rows, 30, "rows of the last block")
			filetest.Want(t, b[2].Scores, [4][2]float64{{7.5, 30}, {}, {}, {15, 30}}, "scores of the last block")
			filetest.Want(t, [][4]int64{b[0].Novelty, b[1].Novelty, b[2].Novelty}, [][4]int64{{}, {0, 0, 7, 1}, {}}, "novelty")
		}
	}
	p.Finish(false)
	filetest.Want(t, p.now.State, stopped, "state of a server that stops")
}

// TestSays: the page names the target in words.
func TestSays(t *testing.T) {
	for want, target := range map[string]schema.Target{
		"whether Quantity >= 12":               {Column: "Quantity", Kind: schema.Classes, Compare: ">=", With: "12"},
		"whether buys is yes":                  {Column: "buys", Kind: schema.Classes, Classes: []string{"no", "yes"}},
		"the class of colour: red, blue, grey": {Column: "colour", Kind: schema.Classes, Classes: []string{"red", "blue", "grey"}},
		"the number price":                     {Column: "price", Kind: schema.Amount},
		"the number log2(price)":               {Column: "price", Kind: schema.Amount, Transform: "log2"},
		"the count visits":                     {Column: "visits", Kind: schema.Count},
	} {
		filetest.Want(t, says(target), want, "words")
	}
}

// TestSlowViewer: a viewer who takes nothing, and many who leave, do not delay the page.
func TestSlowViewer(t *testing.T) {
	big := made(1)
	for range 10_000 { // fills the buffers of the connection
		big.Newest = append(big.Newest, score.NewItem{Column: "c", Name: strings.Repeat("x", 60)})
	}
	p, address := begin(t, func() stream.Moment { return big }, Options{})
	c := filetest.Must(net.Dial("tcp", strings.TrimPrefix(address, "http://")))(t)
	defer c.Close()
	filetest.Must(c.Write([]byte("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")))(t)
	for range 5 {
		v := follow(t, address)
		v.next()
		v.answer.Body.Close()
	}
	began := time.Now()
	for range 200 {
		p.sample()
	}
	filetest.True(t, time.Since(began) <= 3*time.Second, "200 moments took %s with a viewer who takes nothing", time.Since(began))
	viewers := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.viewers
	}
	for limit := time.Now().Add(5 * time.Second); viewers() > 1; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%d viewers are there, and all but one have left", viewers())
		}
	}
}

// TestPause: a moment that takes long is followed by a long pause, and one held up by chance is not.
func TestPause(t *testing.T) {
	p, _ := begin(t, func() stream.Moment { return made(1) }, Options{})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.samples, p.costs = 5, [5]time.Duration{time.Millisecond, time.Millisecond, time.Second, time.Millisecond, time.Millisecond}
	p.viewers, p.history.spacing = 1, time.Hour
	filetest.Want(t, p.pause(), pace, "pause with a viewer")
	p.costs = [5]time.Duration{time.Second, time.Millisecond, time.Second, time.Second, time.Millisecond}
	filetest.True(t, p.pause() >= 100*time.Second, "a pause of %s after moments of a second: more than a hundredth of the time", p.pause())
	p.viewers, p.costs = 0, [5]time.Duration{}
	filetest.Want(t, p.pause(), time.Hour, "pause without viewers, the history's spacing")
}

// TestNow: the page has the numbers of the moment, and the 24 columns of the largest lines. made is right in half of the rows. What JSON
// cannot hold becomes null.
func TestNow(t *testing.T) {
	m := made(10)
	m.Load, m.Models[0].All.Sum.LogLoss, m.Models[0].All.Sum.Covered = math.NaN(), math.Inf(1), 9
	m.Uncertain = []stream.ItemState{{Column: "c", Name: "a", Effect: math.Inf(-1), Spread: 2}}
	m.Calibration.Weight[3], m.Calibration.Forecast[3], m.Calibration.Came[3] = 8, 1.25, 3 // of 10 rows 3 − 1.25
	m.Calibration.Weight[9], m.Calibration.Forecast[9], m.Calibration.Came[9] = 2, 1, 0    // and 1 − 0
	for i := range 30 {
		m.Columns = append(m.Columns, stream.ColumnLine{Column: fmt.Sprint("c", i*7%30), Adds: score.Ratio(i * 7 % 30)})
	}
	_, address := begin(t, func() stream.Moment { return m }, Options{})
	e, _ := follow(t, address).next()
	n, u := e.Now, e.Now.Uncertain[0]
	filetest.Want(t, []float64{n.Accuracy, n.Covered, n.Calibration.Error}, []float64{0.5, 0.9, 0.275}, "accuracy, coverage, error")
	filetest.Want(t, []int{int(e.Tip.Rows), len(n.Columns), n.Left}, []int{10, 24, 6}, "rows, columns, and those that are left out")
	for i, c := range n.Columns {
		filetest.Want(t, fmt.Sprint(c.Name, " ", c.Adds), fmt.Sprintf("c%d %d", 29-i, 29-i), "column %d", i+1)
	}
	filetest.True(t, u.Effect == nil && u.Spread == 2 && e.Tip.Load == nil, "effect %v, spread %g, load %v", u.Effect, u.Spread, e.Tip.Load)
}

// TestFiles: every file forbids other servers, says its type, and names no other server itself.
func TestFiles(t *testing.T) {
	_, address := begin(t, func() stream.Moment { return made(1) }, Options{})
	for name, kind := range map[string]string{"": "text/html", "page.css": "text/css",
		"page.js": "text/javascript", "series.js": "text/javascript",
		"uPlot.iife.min.js": "text/javascript", "icon.svg": "image/svg+xml", "uPlot.LICENSE": "text/plain", "events": "text/event-stream"} {
		answer := filetest.Must(http.Get(address + "/" + name))(t)
		h := answer.Header
		filetest.Want(t, answer.StatusCode, http.StatusOK, "status of /%s", name)
		filetest.True(t, strings.HasPrefix(h.Get("Content-Type"), kind), "/%s is %s, want %s", name, h.Get("Content-Type"), kind)
		filetest.Want(t, h.Get("X-Content-Type-Options"), "nosniff", "options of /%s", name)
		filetest.Want(t, h.Get("Content-Security-Policy"), policy, "policy of /%s", name)
		answer.Body.Close()
	}
	filetest.True(t, strings.HasPrefix(policy, "default-src 'self';") && !strings.Contains(policy, "unsafe"), "the policy is %q", policy)
	filetest.Want(t, filetest.Must(http.Get(address+"/static/page.go"))(t).StatusCode, http.StatusNotFound,
		"status of a file that is not there")
	for _, name := range []string{"index.html", "page.css", "page.js", "charts.js", "series.js", "format.js", "calibration.js"} {
		content := filetest.Must(static.ReadFile("static/" + name))(t)
		text := strings.ReplaceAll(string(content), "http://www.w3.org/2000/svg", "")
		filetest.WantNone(t, text, "http://", "https://", "innerHTML", "insertAdjacentHTML", " style=", "onclick=", "eval(")
	}
}

// TestTold: the page keeps the six newest forecasts, each once, and none of a long record or with a number that JSON cannot hold. A person
// is asked for the columns that a forecast needs.
func TestTold(t *testing.T) {
	s := schema.Schema{Columns: []schema.Column{{Name: "y", Kind: schema.Label}, {Name: "a", Kind: schema.Category}}}
	n, told := now{}, []*stream.Told{nil}
	for i := range 15 {
		told = append(told, &stream.Told{Record: schema.Record{"", strings.Repeat("x", 4095*(i%2+1))},
			Forecast: stream.Forecast{Rows: int64(i), High: []float64{1, math.Inf(1)}[i/14]}})
	}
	for _, one := range append(told, told[13]) {
		before := n.Told
		n = now{}
		n.ask(&s, one, before)
	}
	filetest.Want(t, n.Inputs, []string{"", "a"}, "columns")
	filetest.Want(t, n.Told, []*stream.Told{told[13], told[11], told[9], told[7], told[5], told[3]}, "forecasts")
}
