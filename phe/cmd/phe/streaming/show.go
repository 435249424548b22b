package streaming

import (
	"fmt"
	"io"
	"time"

	"gophe/experiments/run/progress"
	"gophe/phe/live/feed"
	"gophe/phe/stream"
)

// shower shows the progress of a stream, and its score at the end.
type shower struct {
	line    *progress.Line
	in      *feed.Source
	learner *stream.Learner
	began   time.Time
	rows    int64 // learned before this run
	w       io.Writer
}

func newShower(w io.Writer, in *feed.Source, l *stream.Learner) *shower {
	return &shower{line: progress.NewLine(w, in.Path), in: in, learner: l, began: time.Now(), rows: l.Rows(), w: w}
}

// progress shows one line.
func (s *shower) progress(state feed.State) {
	now := s.learner.Report()
	rate := float64(now.Rows-s.rows) / time.Since(s.began).Seconds()
	doing := fmt.Sprintf("%s, %s rows/s, %s", stream.Counted(state.Rows, "row"), stream.Grouped(int64(rate)), now.Line())
	read, size := s.in.Progress()
	s.line.Count(read, size, doing)
}

// alarm shows an alarm on a line of its own.
func (s *shower) alarm(row int64) {
	s.line.Finish()
	fmt.Fprintf(s.w, "alarm at row %s: forecasts have become worse\n", stream.Grouped(row))
}

// jump shows that a column's fields can no longer be read.
func (s *shower) jump(row int64, what string) {
	s.line.Finish()
	fmt.Fprintf(s.w, "alarm at row %s: %s\n", stream.Grouped(row), what)
}

// sayFields says what of the records that were forecast says nothing to the model.
func sayFields(w io.Writer, l *stream.Learner, rows int64) error {
	_, columns, emptied := l.Asked()
	for _, c := range emptied {
		fmt.Fprintf(w, "%s of %s fields of %s are empty, far more than in the rows that were learned\n", stream.Grouped(c.Empty), stream.Grouped(rows), c.Column)
	}
	for _, c := range columns {
		if c.Unread > 0 {
			fmt.Fprintf(w, "%s of %s fields of %s could not be read, such as %q\n", stream.Grouped(c.Unread), stream.Grouped(rows), c.Column, c.Example)
		}
		if 10*c.New > rows {
			fmt.Fprintf(w, "%s of %s fields of %s were never learned, such as %q\n", stream.Grouped(c.New), stream.Grouped(rows), c.Column, c.Example)
		}
	}
	return nil
}

// score prints the score and the path of the model.
func (s *shower) score(w io.Writer, state feed.State, name string) {
	_ = printReport(w, s.learner.Report())
	if state.Left > 0 {
		fmt.Fprintf(w, "\n%s did not meet the condition\n", stream.Counted(state.Left, "row"))
	}
	if state.Bad > 0 {
		fmt.Fprintf(w, "\n%s could not be learned: left out\n", stream.Counted(state.Bad, "row"))
	}
	fmt.Fprintf(w, "\nmodel: %s, %s; `phe inspect %s` shows what it learned, `phe predict %s FILE` forecasts\n", name,
		stream.Counted(s.learner.Rows(), "row"), name, name)
}

// sayUnfinished reports a last line that was left alone.
func sayUnfinished(w io.Writer, in *feed.Source) {
	if line := in.Unfinished(); line > 0 {
		fmt.Fprintf(w, "line %d of %s has no line end and was not learned, since a program may still be writing it; "+
			"write its line end, or add --complete if the line is whole, and repeat the command\n", line, in.Path)
	}
}
