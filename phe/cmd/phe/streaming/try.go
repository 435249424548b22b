package streaming

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gophe/phe/live/driver"
	"gophe/phe/live/source"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
	"gophe/phe/terminal"
)

// tryHelp learns the first rows of a file as the learner did, with more memory, with the logarithm of a number, and with late labels. It
// returns a sentence about the first that makes a difference. It uses a tenth of the rows at most, so a try costs a tenth of the run.
func tryHelp(ctx context.Context, in source.Source, l *stream.Learner, of driver.Settings) string {
	const most, times, fewest = 4 << 20, 16, 1000 // bytes above which more is not tried; factor; rows
	const least, flatters = 0.002, 0.02           // shares of a score that count
	o, s, rows := l.Options(), l.Schema, int(min(schema.Sample, l.Rows()/10))
	if !in.Seekable() || rows < fewest {
		return ""
	}
	first, _ := source.First(ctx, in, in.Condition())
	first = first[:min(rows, len(first))]
	usual, err := scored(ctx, s, o, first, of, nil)
	these := terminal.Counted(len(first), "row")
	if more := o; o.Memory <= most && err == nil {
		more.Memory *= times
		if r, err := scored(ctx, s, more, first, of, nil); err == nil && r.Gain(usual, 0, least) != "" {
			return fmt.Sprintf("More memory helps: for the first %s, --memory %s has %s.", these, terminal.Size(more.Memory),
				r.Gain(usual, 0, least))
		}
	}
	if s.Target.Kind == schema.Amount && s.Target.Transform == "" && s.PlaceOf(schema.Weight) < 0 && err == nil {
		if gain := logarithm(ctx, s, o, first, of).Gain(usual, 1, least); gain != "" {
			return fmt.Sprintf("The target has a long tail: for the first %s, --target 'log(%s)', brought back, has %s.", these,
				s.Target.Column, gain)
		}
	}
	if of.Late() || err != nil {
		return ""
	}
	of.Delay = len(first) / 100
	late, err := scored(ctx, s, o, first, of, nil)
	if gain := usual.Gain(late, 0, flatters); gain != "" && err == nil {
		return fmt.Sprintf("Labels that come at once flatter: the first %s have %s with --delay %d.", these, gain, of.Delay)
	}
	return ""
}

// logarithm returns the score of the medians of a learner of the target's logarithm. Rows whose target has none do not count.
func logarithm(ctx context.Context, s schema.Schema, o stream.Options, rows [][]string, of driver.Settings) score.Report {
	r, plain := score.Report{Target: s.Target, Models: make([]score.Score, 1), Parts: make([]score.Tally, 10)}, s.Target
	s.Target.Transform = "log"
	_, _ = scored(ctx, s, o, rows, of, func(row int, forecast stream.Forecast) {
		if y, known, err := plain.Parse(rows[row][s.PlaceOf(schema.Label)]); known && err == nil {
			for _, t := range []*score.Tally{&r.Models[0].All, &r.Parts[row*10/len(rows)]} {
				t.AddNumber(math.Exp(forecast.Value), math.Exp(forecast.Low), math.Exp(forecast.High), y, 1)
			}
		}
	})
	r.Models[0].Late = r.Models[0].All
	return r
}

// tryWithout notes, at the first columns that may give the target away, the score without the column. A pipe's rows come only once, so it
// then tries nothing.
func tryWithout(ctx context.Context, in source.Source, s schema.Schema, of driver.Settings) {
	const most, cells = 5000, 400_000 // rows and cells of a run, which takes a second at most
	var rows [][]string
	score := func(s schema.Schema) (text string) { // empty if no columns are left, or after Ctrl-C
		l, err := of.Begin(s)
		if err != nil {
			return ""
		}
		if r, err := scored(ctx, s, l.Options(), rows, of, nil); err == nil {
			text, _, _ = strings.Cut(r.Line(), ", ")
		}
		return text
	}
	with, left := "", 3 // score, and number of columns to try
	for i := range s.Columns {
		column, without := &s.Columns[i], s
		if column.Suspect == "" {
			continue
		}
		if column.Suspect += " (--drop " + column.Name + ")"; !in.Seekable() || left == 0 {
			continue
		}
		if left--; rows == nil {
			rows, _ = source.First(ctx, in, in.Condition())
			rows = rows[:min(len(rows), most, cells/len(s.Columns))]
			with = score(s)
		}
		without.Columns = slices.Clone(s.Columns)
		without.Columns[i] = schema.Column{Name: column.Name, Kind: schema.Dropped}
		if alone := score(without); alone != "" {
			column.Suspect += fmt.Sprintf(": without it, the first %s have %s in place of %s", terminal.Counted(len(rows), "row"),
				alone, with)
		}
	}
}

// scored returns the score of a new learner of some rows. It leaves out rows that cannot be learned, and calls each with the forecasts of
// the others.
func scored(ctx context.Context, s schema.Schema, o stream.Options, rows [][]string, of driver.Settings,
	each func(row int, forecast stream.Forecast)) (r score.Report, err error) {
	o.NoExactModel = true
	step, err := of.Stepper(s)
	if err != nil {
		return r, err
	}
	l, err := stream.New(s, o)
	for row := 0; row < len(rows) && err == nil; row++ {
		if forecast, failed := step(l, int64(row), rows[row]); failed == nil && each != nil {
			each(row, forecast)
		}
		err = ctx.Err()
	}
	if err == nil {
		_, _ = l.LearnWaiting(0)
		r = l.Report()
	}
	return r, err
}
