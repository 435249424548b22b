package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a run is: a bar with the time left on a terminal, else a plain line every few seconds.
type progress struct {
	w       io.Writer
	name    string
	started time.Time
	bar     *progressbar.ProgressBar // nil where there is no terminal
	shown   time.Time                // the last plain line
	first   float64                  // share that was done before this session
}

const (
	resolution = 1000            // of the bar
	lineEvery  = 5 * time.Second // plain lines
)

func newProgress(w io.Writer, name string) *progress {
	p := &progress{w: w, name: name, started: time.Now(), shown: time.Now(), first: -1}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(resolution, progressbar.OptionSetWriter(w), progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetDescription(name), progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond))
	}
	return p
}

// update shows that a share of the work is done, in [0, 1].
func (p *progress) update(done float64, doing string) {
	if p.first < 0 && done > 0 { // before, data is read
		p.first = done
	}
	if p.bar != nil {
		p.bar.Describe(p.name + " · " + doing)
		_ = p.bar.Set(int(done * resolution)) // a bar that cannot draw must not stop the run
		return
	}
	if time.Since(p.shown) < lineEvery {
		return
	}
	p.shown = time.Now()
	left := "?"
	if p.first >= 0 && done > p.first {
		elapsed := time.Since(p.started)
		left = (time.Duration(float64(elapsed) * (1 - done) / (done - p.first))).Round(time.Second).String()
	}
	fmt.Fprintf(p.w, "%s: %3.0f %%, about %s left; %s\n", p.name, 100*done, left, doing)
}

// finish clears the bar away.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
