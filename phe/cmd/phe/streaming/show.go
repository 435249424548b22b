package streaming

import (
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"gophe/phe/live/driver"
	"gophe/phe/live/source"
	"gophe/phe/stream"
	"gophe/phe/terminal"
)

// shower shows the progress and the alarms of a learner.
type shower struct {
	line    *terminal.Line
	in      source.Source
	learner *stream.Learner
	began   time.Time
	rows    int64        // learned before this run
	end     atomic.Int64 // row of equalBits; 0 if there is none
	w       io.Writer
}

func newShower(w io.Writer, in source.Source, l *stream.Learner) *shower {
	return &shower{line: terminal.NewLine(w, in.Name()), in: in, learner: l, began: time.Now(), rows: l.Rows(), w: w}
}

// progress shows one line.
func (s *shower) progress(state driver.State) {
	s.end.Store(state.Labels.End)
	now := s.learner.Report()
	rate := float64(now.Rows-s.rows) / time.Since(s.began).Seconds()
	doing := fmt.Sprintf("%s, %s rows/s, %s", terminal.Counted(state.Rows, "row"), terminal.Grouped(int64(rate)), now.Line())
	read, size := s.in.Progress()
	s.line.Count(read, size, doing)
}

// moment returns the state of the learner that the page shows.
func (s *shower) moment() stream.Moment {
	m := s.learner.Moment()
	if row := s.end.Load(); row > 0 {
		m.Verdict = append(slices.Clip(m.Verdict), equalBits(row))
	}
	return m
}

// alarm shows an alarm on a line of its own.
func (s *shower) alarm(row int64, reason string) {
	s.line.Finish()
	fmt.Fprintf(s.w, "alarm at row %s: %s\n", terminal.Grouped(row), reason)
}
