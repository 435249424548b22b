package terminal

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/rivo/uniseg"
)

// Line shows the progress of a computation: one line that changes on a terminal, else plain lines, with longer and longer pauses.
type Line struct {
	w        io.Writer
	name     string
	meter    Meter
	terminal *os.File  // nil where there is none
	began    time.Time // the computation
	shown    time.Time // the last line
}

// Time between two lines.
const (
	redrawEvery = 100 * time.Millisecond // on a terminal
	lineEvery   = 5 * time.Second
	lineLatest  = 10 * time.Minute
)

// NewLine returns the line of a computation of that name.
func NewLine(w io.Writer, name string) *Line {
	p := &Line{w: w, name: name, began: time.Now()}
	if p.terminal = Of(w); p.terminal == nil {
		p.shown = p.began // a run of less than five seconds prints nothing
	}
	return p
}

// Count shows the share of bytes that is done, and the current work. If the number of all bytes is 0, it is unknown and not shown.
func (p *Line) Count(done, all int64, doing string) { p.Update(float64(done)/float64(all), doing) }

// Update shows that a share of the work is done, in [0, 1], or the current work alone if the share is no number.
func (p *Line) Update(done float64, doing string) {
	now, text := time.Now(), ""
	if !math.IsNaN(done) && !math.IsInf(done, 0) {
		text = p.meter.Text(now, done)
	}
	switch {
	case p.terminal != nil && now.Sub(p.shown) >= redrawEvery:
		fmt.Fprintf(p.terminal, "\r%s\x1b[K", p.line(done, text, doing))
	case p.terminal == nil && now.Sub(p.shown) >= p.pause(now):
		if text != "" {
			text += "; "
		}
		fmt.Fprintf(p.w, "%s: %s%s\n", p.name, text, doing)
	default:
		return
	}
	p.shown = now
}

// pause returns the time between two plain lines. It grows with the time so far, since a log of months must stay short.
func (p *Line) pause(now time.Time) time.Duration {
	return min(max(lineEvery, now.Sub(p.began)/50), lineLatest)
}

// line fits the terminal's width as it is now: a line that wraps could not be drawn over.
func (p *Line) line(done float64, text, doing string) string {
	width, _ := Width(p.w)
	return fit(width, done, Shown(p.w, p.name), text, Shown(p.w, doing))
}

// fit draws a bar into the width that the words leave. It cuts words that are wider than the line.
func fit(width int, done float64, name, text, doing string) string {
	words := fmt.Sprintf("%s  %s  %s", name, text, doing)
	if text == "" {
		words = fmt.Sprintf("%s  %s", name, doing)
	}
	const least, most = 10, 40 // of the bar
	if room := width - 3 - uniseg.StringWidth(words); room >= least && text != "" {
		full := min(room, most)
		filled := int(done * float64(full))
		return fmt.Sprintf("%s %s", words, strings.Repeat("━", filled)+strings.Repeat("╌", full-filled))
	}
	cut := ""
	for g := uniseg.NewGraphemes(words); g.Next(); cut += g.Str() {
		if uniseg.StringWidth(cut+g.Str()) > width-2 {
			return cut + "…"
		}
	}
	return cut
}

// Finish clears the line away.
func (p *Line) Finish() {
	if p.terminal != nil {
		fmt.Fprint(p.terminal, "\r\x1b[K")
	}
}
