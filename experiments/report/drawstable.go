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

// overDraws holds a method's accuracies by all draws.
type overDraws struct {
	name    string
	draws   map[string][]float64 // by the draw: accuracies of the seeds, in percent
	epochs  []float64            // epochs of a step, of each run
	seconds []float64            // of updates, of each run
}

// means returns the mean of each draw.
func (o *overDraws) means() (means []float64) {
	for _, seeds := range o.draws {
		means = append(means, *measure.Over(seeds).Mean)
	}
	return means
}

// overDraws returns the methods of a result over draws, in its order.
func (s *source) overDraws(name string) (methods []*overDraws) {
	f := s.get(name)
	for i := range f.Methods {
		m := &f.Methods[i]
		row, label := measure.Find(f, m.Label()), ofDraw.ReplaceAllString(m.Label(), "$2")
		at := slices.IndexFunc(methods, func(o *overDraws) bool { return o.name == label })
		if at < 0 {
			at, methods = len(methods), append(methods, &overDraws{name: label, draws: map[string][]float64{}})
		}
		own, draw := methods[at], ""
		if parts := ofDraw.FindStringSubmatch(m.Label()); parts != nil {
			draw = parts[1]
		}
		own.draws[draw] = append(own.draws[draw], row.Values("accuracy")...)
		for _, run := range m.Runs {
			if run.Status == result.Complete && !m.Frozen {
				own.epochs = append(own.epochs, float64(run.UpdateSteps)/float64(f.Stream.Steps))
				own.seconds = append(own.seconds, run.Seconds.Update)
			}
		}
	}
	return methods
}

// drawsTable shows the accuracies of a result over draws of the hash functions: over all runs, and the worst.
func drawsTable(s *source, name string) table.Page {
	t := table.New(1, "method", "accuracy %, ± over all runs", "worst draw, worst run", "epochs a step", "s of updates per seed")
	for _, o := range s.overDraws(name) {
		all, epochs, seconds := []float64{}, "–", "–"
		for _, seeds := range o.draws {
			all = append(all, seeds...)
		}
		if len(o.epochs) > 0 {
			epochs, seconds = measure.Optional(measure.Over(o.epochs).Mean, 0), measure.Optional(measure.Over(o.seconds).Mean, 1)
		}
		t.Add(o.name, measure.Over(all).Text(2), fmt.Sprintf("%.2f, %.2f", slices.Min(o.means()), slices.Min(all)), epochs, seconds)
	}
	return t.Page()
}

// notBehind tells in how many of the draws a method's mean is not below the best Ada's of the same draw: "19 of 20".
func (s *source) notBehind(name, method string) string {
	methods, level := s.overDraws(name), 0
	at := slices.IndexFunc(methods, func(o *overDraws) bool { return o.name == method })
	if at < 0 {
		s.failf("the result of %s has no method %q over draws", name, method)
		return ""
	}
	for draw, seeds := range methods[at].draws {
		best := math.Inf(-1)
		for _, o := range methods {
			if strings.HasSuffix(o.name, "Ada") {
				best = max(best, *measure.Over(o.draws[draw]).Mean)
			}
		}
		if *measure.Over(seeds).Mean >= best-0.005 { // as the table rounds
			level++
		}
	}
	return fmt.Sprintf("%d of %d", level, len(methods[at].draws))
}
