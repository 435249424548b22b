package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/rivo/uniseg"
	"golang.org/x/term"

	meters "gophe/experiments/progress"
)

// progress shows how far a run is: one line that changes on a terminal, else a plain line every few seconds.
type progress struct {
	w        io.Writer
	name     string
	meter    meters.Meter
	terminal *os.File  // nil where there is none
	shown    time.Time // the last line
}

// Time between two lines.
const (
	redrawEvery = 100 * time.Millisecond // on a terminal
	lineEvery   = 5 * time.Second
)

func newProgress(w io.Writer, name string) *progress {
	p := &progress{w: w, name: name}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.terminal = f
	} else {
		p.shown = time.Now() // a run of less than five seconds says nothing
	}
	return p
}

// update shows that a share of the work is done, in [0, 1].
func (p *progress) update(done float64, doing string) {
	now := time.Now()
	text := p.meter.Text(now, done)
	switch {
	case p.terminal != nil && now.Sub(p.shown) >= redrawEvery:
		fmt.Fprintf(p.w, "\r%s\x1b[K", p.line(done, text, doing))
	case p.terminal == nil && now.Sub(p.shown) >= lineEvery:
		fmt.Fprintf(p.w, "%s: %s; %s\n", p.name, text, doing)
	default:
		return
	}
	p.shown = now
}

// line fits the terminal's width as it is now: a line that wraps could not be drawn over.
func (p *progress) line(done float64, text, doing string) string {
	width, _, err := term.GetSize(int(p.terminal.Fd()))
	if err != nil || width < 1 {
		width = 80
	}
	return progressLine(width, done, p.name, text, doing)
}

// progressLine draws a bar into what the words leave of the width, and cuts the words where they leave nothing.
func progressLine(width int, done float64, name, text, doing string) string {
	words := fmt.Sprintf("%s  %s  %s", name, text, doing)
	const least, most = 10, 40 // of the bar
	if room := width - 3 - uniseg.StringWidth(words); room >= least {
		full := min(room, most)
		filled := int(done * float64(full))
		return fmt.Sprintf("%s %s", words, strings.Repeat("━", filled)+strings.Repeat("╌", full-filled))
	}
	cut := ""
	for state, rest, cluster := -1, words, ""; rest != ""; cut += cluster {
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if uniseg.StringWidth(cut+cluster) > width-2 {
			return cut + "…"
		}
	}
	return cut
}

// finish clears the line away.
func (p *progress) finish() {
	if p.terminal != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
