package result

import (
	"strings"
	"time"
)

// exchange copies series into columns or, if reads is set, columns into series. Each series is named once, for both directions.
type exchange struct {
	columns map[place]column
	run     int // of the series; 0 is the stream
	reads   bool
}

// list copies a field of all rows of a list. Shares of denominators stay exact.
func list[T any, N int | float64](x exchange, name string, digits int, rows *[]T, field func(*T) *N, denominators ...int) {
	at := place{name, x.run}
	if x.reads {
		values := x.columns[at].values(denominators)
		if len(values) > 0 && *rows == nil {
			*rows = make([]T, len(values))
		}
		for i := range min(len(values), len(*rows)) {
			*field(&(*rows)[i]) = N(values[i])
		}
		return
	}
	values := make([]float64, len(*rows))
	for i := range values {
		values[i] = float64(*field(&(*rows)[i]))
	}
	if len(values) > 0 {
		x.columns[at] = newColumn(values, digits, denominators)
	}
}

// itself is the field of a list of numbers.
func itself[N any](number *N) *N { return number }

// exchange copies all series, the stream's first.
func (f *File) exchange(x exchange) {
	f.Stream.exchange(x)
	for i := range f.Methods {
		for k := range f.Methods[i].Runs {
			x.run++
			f.Methods[i].Runs[k].exchange(x, &f.Stream)
		}
	}
}

func (s *Stream) exchange(x exchange) {
	var days []int
	for _, text := range s.Days {
		day, _ := time.Parse(time.DateOnly, text) // written by plan.describe
		days = append(days, int(day.Unix()/(24*60*60)))
	}
	list(x, "days", 0, &days, itself)
	list(x, "users", 0, &s.Users, itself)
	if x.reads {
		for _, day := range days {
			s.Days = append(s.Days, time.Unix(0, 0).UTC().AddDate(0, 0, day).Format(time.DateOnly))
		}
	}
}

// digits returns the number of digits behind the point that a series keeps. The series that take most of the room keep fewer: no table or
// figure shows their last digits, and the summary has means over a series with all digits. Retail's forecasts are compared day by day.
func (s *Stream) digits(name string) int {
	switch ofRatings := len(s.Users) > 0; {
	case ofRatings && (name == logLikelihood || name == "squared_error"):
		return 3
	case ofRatings:
		return 4
	case name != logLikelihood:
		return seriesDigits
	case len(s.Days) > 0:
		return 5
	}
	return 4
}

// scores begins the names of the series in Run.Scores.
const scores = "scores."

func (r *Run) exchange(x exchange, s *Stream) {
	list(x, "rows", 0, &r.Rows, itself)
	if x.reads && r.Rows == nil {
		r.Rows = []int{}
	}
	r.Scored = len(r.Rows)
	list(x, accuracy, exact, &r.Accuracy, itself, r.Rows...)
	list(x, logLikelihood, s.digits(logLikelihood), &r.LogLikelihood, itself)
	list(x, "calibration", seriesDigits, &r.Calibration, itself)
	list(x, "prediction", exact, &r.Prediction, itself)
	list(x, "memory.step", 0, &r.Memory, func(m *Memory) *int { return &m.Step })
	list(x, "memory.megabytes", seriesDigits, &r.Memory, func(m *Memory) *float64 { return &m.Megabytes })
	list(x, "tests.after", 0, &r.Tests, func(t *Score) *int { return &t.After })
	list(x, "tests.set", 0, &r.Tests, func(t *Score) *int { return &t.Set })
	sizes := make([]int, len(r.Tests))
	for i, t := range r.Tests {
		if 0 <= t.Set && t.Set < len(s.Tests) {
			sizes[i] = s.Tests[t.Set].Rows
		}
	}
	list(x, "tests.accuracy", exact, &r.Tests, func(t *Score) *float64 { return &t.Accuracy }, sizes...)
	list(x, "tests.absolute_error", seriesDigits, &r.Tests, func(t *Score) *float64 { return &t.AbsoluteError })
	list(x, "tests.log_likelihood", seriesDigits, &r.Tests, func(t *Score) *float64 { return &t.LogLikelihood })
	for at := range x.columns {
		if metric, ok := strings.CutPrefix(at.name, scores); ok && x.reads && at.run == x.run {
			if r.Scores == nil {
				r.Scores = map[string][]float64{}
			}
			r.Scores[metric] = nil
		}
	}
	for metric, values := range r.Scores {
		if list(x, scores+metric, s.digits(metric), &values, itself); x.reads {
			r.Scores[metric] = values
		}
	}
}
