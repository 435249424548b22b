package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/table"
)

// Report holds the findings of a sweep. Its numbers come from the runs.
type Report struct {
	BestFile string // the spec of the best values

	grid    *Grid
	file    *result.File
	methods [][]scored // the points of each method, the best first and those that diverged last
}

// scored is a point with the scores of its validation rows by seed, each made before the row was learned; none if a seed diverged.
type scored struct {
	Point
	likelihoods []float64 // mean log-likelihood in nats
	accuracies  []float64 // in percent
	diverged    int       // seeds
}

// score returns the findings of a finished sweep. The file must have its series.
func (g *Grid) score(f *result.File) (*Report, error) {
	r := &Report{grid: g, file: f}
	for _, m := range g.base.Methods {
		var points []scored
		for _, p := range g.Points {
			if p.Method != m.Name {
				continue
			}
			s, err := g.scorePoint(f, p)
			if err != nil {
				return nil, err
			}
			points = append(points, s)
		}
		slices.SortStableFunc(points, func(a, b scored) int { // cmp takes NaN, the mean of no values, for the least
			return cmp.Compare(stat.Mean(b.likelihoods, nil), stat.Mean(a.likelihoods, nil))
		})
		if len(points) > 0 {
			r.methods = append(r.methods, points)
		}
	}
	return r, nil
}

// scorePoint returns the scores of one point over the sweep's seeds.
func (g *Grid) scorePoint(f *result.File, p Point) (scored, error) {
	s := scored{Point: p}
	for _, seed := range g.Spec.Seeds {
		var run *result.Run
		if m := f.Method(p.name(), false); m != nil {
			run = m.Run(seed)
		}
		switch {
		case run == nil || run.Status == result.Partial || len(run.LogLikelihood) != len(run.Rows):
			return s, errors.Errorf("the result %s lacks seed %d of %q; run the sweep again with --resume", f.Name, seed, p.name())
		case run.Status == result.Diverged:
			s.diverged++
			continue
		}
		rows := run.Weights()
		s.likelihoods = append(s.likelihoods, stat.Mean(run.LogLikelihood, rows))
		s.accuracies = append(s.accuracies, 100*stat.Mean(run.Accuracy, rows))
	}
	if s.diverged > 0 {
		s.likelihoods, s.accuracies = nil, nil
	}
	return s, nil
}

// behind returns how far a point is behind the best one, seed by seed, with the standard error of the mean.
func (s scored) behind(best scored) measure.Estimate {
	e := measure.Over(floats.SubTo(make([]float64, len(s.likelihoods)), best.likelihoods[:len(s.likelihoods)], s.likelihoods))
	if e.SD != nil {
		*e.SD /= math.Sqrt(float64(e.Seeds))
	}
	return e
}

// shownPoints is the number of points of a method that the table shows; the result file has all.
const shownPoints = 5

// Table returns a table of the best points of each method, and of the spec's own point.
func (r *Report) Table() *table.Table {
	t := table.New(2, "method", "values", "log-likelihood", "accuracy %", "behind the best")
	held := 0.0
	if m := r.file.Method(baseline.Majority, false); m != nil { // a rival that cannot diverge
		held = floats.Sum(m.Runs[0].Weights())
	}
	seeds := r.grid.Spec.Seeds
	t.Above = fmt.Sprintf("%d initial rows learned, %.0f held out in %d steps; seeds %v\n\n", r.file.Stream.Initial, held,
		r.file.Stream.Steps, seeds)
	t.Below = "\n"
	if len(seeds) > 1 {
		t.Below += fmt.Sprintf("± is over the seeds (their deviation, and behind the best the standard error). "+
			"All seeds share the %.0f rows, whose own chance it leaves out.\n", held)
	}
	for _, points := range r.methods {
		for i, p := range points {
			if i >= shownPoints && !p.own {
				continue
			}
			likelihood, accuracy, behind := fmt.Sprintf("diverged (%d)", p.diverged), "–", "–"
			if p.diverged == 0 {
				likelihood, accuracy = measure.Over(p.likelihoods).Text(4), measure.Over(p.accuracies).Text(2)
				if i > 0 {
					behind = p.behind(points[0]).Text(4)
				}
			}
			t.Add(p.Method, r.grid.values(p.Point), likelihood, accuracy, behind)
		}
		t.Below += r.grid.verdict(points)
	}
	return t
}

// values writes a point's values in the order of the axes.
func (g *Grid) values(p Point) string {
	text := strings.Join(words(g.Axes, p.values), ", ")
	switch {
	case text == "" && p.own:
		return "as in the spec"
	case p.own:
		return text + " (as in the spec)"
	}
	return text
}

// verdict says which point of a method is best, and whether it lies at an edge of the grid.
func (g *Grid) verdict(points []scored) string {
	best := points[0]
	switch {
	case best.diverged > 0:
		return fmt.Sprintf("%s: every point diverged; try smaller learning rates.\n", best.Method)
	case len(points) == 1:
		return fmt.Sprintf("%s: nothing that was tried matters to it.\n", best.Method)
	}
	text := fmt.Sprintf("%s: the best is %s.", best.Method, g.values(best.Point))
	for _, a := range g.Axes {
		side, value := "", best.values[a.Path]
		switch {
		case value == "" || value[0] == '"' || len(a.Values) == 1:
		case value == a.Values[0]:
			side = "smallest"
		case value == a.Values[len(a.Values)-1]:
			side = "largest"
		}
		if side != "" {
			text += fmt.Sprintf(" %s is the %s %s that was tried: the best may lie beyond.", value, side, leaf(a.Path))
		}
	}
	return text + "\n"
}
