package show

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/go-gota/gota/dataframe"
	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"

	"gophe/experiments/measure"
	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/figures/draw"
	"gophe/notebooks/play"
)

// Save writes a spec next to the results of Run, for `phe run`. It returns the path from the repository's root.
func Save(s spec.Spec) string {
	path := filepath.Join(Results(), "specs", s.Name+".json")
	Check(s.Write(path))
	return Must(filepath.Rel(Root(), path))
}

// Compared returns the methods of a result next to the paper and to the committed result whose spec it changed. The cells are means over
// seeds, with deviations.
func Compared(f *result.File) dataframe.DataFrame {
	metric := measure.Named(measure.Metrics(&f.Methods[0])[0])
	text := func(e measure.Estimate) string { return e.Text(metric.Digits) }
	table := NewRows(metric.Heading, "paper", "committed", "committed, same seeds", f.Name)
	for _, row := range report.Against(f, committedOf(f)) {
		if row.Own.Mean == nil { // it did not run here
			continue
		}
		table.Add(row.Method, text(row.Paper), text(row.Other), text(row.SameSeeds), text(row.Own))
	}
	return table.Frame()
}

// committedOf returns the committed result whose spec a result's spec has changed.
func committedOf(f *result.File) *result.File { return Read(streamOf(spec.Recorded(f.Manifest.Spec))) }

// streamOf returns the name of the spec that a spec has changed.
func streamOf(s spec.Spec) string {
	if s.StreamOf == "" {
		Check(errors.Errorf("spec %s does not say which spec it changed; set StreamOf, such as \"adult-online\"", s.Name))
	}
	return s.StreamOf
}

// Changes returns the settings in which a spec differs from the committed one that it changed.
func Changes(s spec.Spec) dataframe.DataFrame {
	table := NewRows("setting", s.StreamOf, s.Name)
	for _, d := range spec.Differences(Must(spec.Load(streamOf(s))), s) {
		table.Add(d.Setting, cmp.Or(d.Before, report.LeftOut), cmp.Or(d.After, report.LeftOut))
	}
	return table.Frame()
}

// Smoothed draws the accuracy along a stream, as the mean over the last steps and over the seeds. The slider "steps" sets the number of
// steps. There is a line for each method that learns, but none for the two that count. A dashed line is the first method as the committed
// result has it.
func Smoothed(f *result.File) func(at play.Position) *draw.Figure {
	committed := committedOf(f)
	return func(at play.Position) *draw.Figure {
		steps := at.Count("steps")
		c := draw.New("Step", "Accuracy (%)").X(0, float64(f.Stream.Steps))
		if m := committed.Method(f.Methods[0].Name, false); m != nil {
			x, y := trailing(m, &f.Methods[0], steps)
			c.Line(m.Name+", "+committed.Name, x, y, draw.Method(m.Name), draw.Dashed())
		}
		for i := range f.Methods {
			m := &f.Methods[i]
			if m.Frozen || m.Name == baseline.Majority || m.Name == baseline.ItemMajority {
				continue
			}
			var options []draw.Option // a method of the notebook's own takes the next colour
			if f.Manifest.Own[m.Name] == "" {
				options = append(options, draw.Method(m.Name))
			}
			x, y := trailing(m, m, steps)
			c.Line(m.Name+", "+f.Name, x, y, options...)
		}
		return c.Figure(fmt.Sprintf("Accuracy along the stream, mean of the last %d steps and of the seeds.", steps))
	}
}

// maxPoints is about the number of points of a line: a picture shows no more.
const maxPoints = 80

// trailing returns the mean accuracy of a method over the last steps, in %, at some of the steps. It takes the seeds that another method
// completed, and as many steps.
func trailing(m, like *result.Method, steps int) (x, y []float64) {
	var mean []float64
	seeds := 0.0
	for _, other := range like.Runs {
		run := m.Run(other.Seed)
		if run == nil || run.Status != result.Complete || other.Status != result.Complete {
			continue
		}
		if mean == nil {
			mean = make([]float64, min(len(run.Accuracy), len(other.Accuracy)))
		}
		seeds++
		for t := range mean {
			mean[t] += run.Accuracy[t]
		}
	}
	for t := min(steps, len(mean)) - 1; t < len(mean) && t >= 0; t += max(1, len(mean)/maxPoints) {
		first := max(0, t+1-steps)
		x, y = append(x, float64(t+1)), append(y, 100*floats.Sum(mean[first:t+1])/seeds/float64(t+1-first))
	}
	return x, y
}
