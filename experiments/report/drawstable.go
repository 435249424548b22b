package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/table"
)

// ofDraw ends the name of a method that was run by one of several draws of the hash functions.
var ofDraw = regexp.MustCompile(` h(\d+)( \(frozen\))?$`)

// overDraws holds a method's scores by all draws.
type overDraws struct {
	name    string
	metric  *measure.Metric
	draws   map[string][]float64 // by the draw: scores of the seeds, in the metric's unit
	epochs  []float64            // epochs of a step, of each run
	seconds []float64            // of updates, of each run
}

// worst returns the worst of some scores.
func (o *overDraws) worst(scores []float64) float64 {
	if o.metric.Less {
		return slices.Max(scores)
	}
	return slices.Min(scores)
}

// over returns the means of the draws, and the scores of all runs.
func (o *overDraws) over() (means, runs []float64) {
	for _, seeds := range o.draws {
		means, runs = append(means, *measure.Over(seeds).Mean), append(runs, seeds...)
	}
	return means, runs
}

// methodsOverDraws returns the methods of results over draws, in their order. A result that is not there has none.
func (s *source) methodsOverDraws(names ...string) (methods []*overDraws) {
	for _, name := range names {
		f := s.find(name)
		if f == nil {
			continue
		}
		for i := range f.Methods {
			m := &f.Methods[i]
			metric := measure.Metrics(m)[0]
			scores, label := measure.Find(f, m.Label()).Values(metric), ofDraw.ReplaceAllString(m.Label(), "$2")
			if len(scores) == 0 { // all seeds have diverged, or none has run
				continue
			}
			at := slices.IndexFunc(methods, func(o *overDraws) bool { return o.name == label })
			if at < 0 {
				at, methods = len(methods), append(methods, &overDraws{name: label, metric: measure.Named(metric), draws: map[string][]float64{}})
			}
			own, draw := methods[at], ""
			if parts := ofDraw.FindStringSubmatch(m.Label()); parts != nil {
				draw = parts[1]
			}
			own.draws[draw] = append(own.draws[draw], scores...)
			for _, run := range m.Runs {
				if run.Status == result.Complete && !m.Frozen {
					own.epochs = append(own.epochs, float64(run.UpdateSteps)/float64(f.Stream.Steps))
					own.seconds = append(own.seconds, run.Seconds.Update)
				}
			}
		}
	}
	return methods
}

// notBehind tells in how many of the draws a method's mean is not below the best Ada's of the same draw: "19 of 20".
func (o *overDraws) notBehind(all []*overDraws) string {
	level, draws := 0, 0
	for draw, seeds := range o.draws {
		best := math.Inf(-1)
		for _, ada := range all {
			if own := measure.Over(ada.draws[draw]).Mean; own != nil && strings.HasSuffix(ada.name, "Ada") {
				best = max(best, *own)
			}
		}
		if draws++; *measure.Over(seeds).Mean >= best-0.005 { // as the table rounds
			level++
		}
	}
	if draws == 1 || strings.HasSuffix(o.name, "Ada") {
		return "–"
	}
	return fmt.Sprintf("%d of %d", level, draws)
}

// cells returns the cells of a method among all: its scores over all runs, the worst, epochs and seconds of a step, and the draws in which it
// is not behind an Ada.
func (o *overDraws) cells(all []*overDraws) []string {
	means, runs := o.over()
	digits := o.metric.Digits
	worst := fmt.Sprintf("%.*f, %.*f", digits, o.worst(means), digits, o.worst(runs))
	if len(means) == 1 {
		worst = fmt.Sprintf("–, %.*f", digits, o.worst(runs))
	}
	return []string{measure.Over(runs).Text(digits), worst, measure.Optional(measure.Over(o.epochs).Mean, 0),
		measure.Optional(measure.Over(o.seconds).Mean, 2), o.notBehind(all)}
}

// drawsTable shows readings of one table beside each other. A reading is "NAME=SPEC SPEC…": its first column has a method's mean and deviation
// over all draws and seeds, and its other columns have its name in front. "paper=Table 1/adult" is the paper's row. The rows are the methods of
// the last reading whose result is there.
func drawsTable(s *source, readings ...string) table.Page {
	headings, cells, rows := []string{"method"}, []func(method string) []string{}, []*overDraws{}
	for _, reading := range readings {
		name, specs, named := strings.Cut(reading, "=")
		prefix := name + ": "
		if !named {
			name, prefix, specs = "mean, ± over all runs", "", reading
		}
		headings = append(headings, name)
		if item, dataset, ofPaper := strings.Cut(specs, "/"); ofPaper {
			cells = append(cells, func(method string) []string {
				number, err := paperNumber(item, dataset, method)
				return []string{map[bool]string{true: number, false: "–"}[err == nil]}
			})
			continue
		}
		all, more := s.methodsOverDraws(strings.Fields(specs)...), []string{"worst draw, worst run", "epochs a step", "s of updates", "level with Ada"}
		for _, heading := range more {
			headings = append(headings, prefix+heading)
		}
		if len(all) > 0 {
			rows = all
		}
		cells = append(cells, func(method string) []string {
			at := slices.IndexFunc(all, func(o *overDraws) bool { return o.name == method })
			switch {
			case len(all) == 0:
				return slices.Repeat([]string{"waits for the run"}, 1+len(more))
			case at < 0:
				return slices.Repeat([]string{"–"}, 1+len(more))
			}
			return all[at].cells(all)
		})
	}
	t := table.New(1, headings...)
	for _, o := range rows {
		row := []any{o.name}
		for _, of := range cells {
			for _, cell := range of(o.name) {
				row = append(row, cell)
			}
		}
		t.Add(row...)
	}
	if len(rows) == 0 {
		return table.Page{{Above: "*This table waits for the run of `" + strings.Join(readings, "`, `") + "`.*\n"}}
	}
	return t.Page()
}

// over returns a cell of a result's table over draws.
func (s *source) over(spec, method, column string) string {
	page := drawsTable(s, spec)
	if len(page[0].Rows) == 0 {
		return "*waits for the run*"
	}
	at := slices.IndexFunc(page[0].Columns, func(c table.Column) bool { return c.Name == column })
	for _, row := range page[0].Rows {
		if at >= 0 && row[0] == method {
			return row[at]
		}
	}
	s.failf("the result of %s has no %q of %q over draws", spec, column, method)
	return ""
}
