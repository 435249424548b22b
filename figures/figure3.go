package figures

import (
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// Figure3 draws Fig. 3 (left), also for other data sets. Panel (a) shows the accuracy of each online method at each step, in %.
// GaussianFilter smooths each seed with sigma, in steps. Panel (b) follows if the file holds frozen methods. It shows the
// number of correct rows up to the step, minus the same number for online PHE (or, without PHE, for the first online method).
// It compares each frozen method and its online twin.
//
// All methods score the same rows, so the difference in (b) is free of their common noise. In (a) this noise is larger than the
// differences between good methods. Panel (b) is not smoothed.
//
// A line is the mean over the seeds that reached the step. Bands in (a) and whiskers in (b) are ±1 standard deviation (n−1)
// between them. A single seed has neither.
func Figure3(f *result.File, sigma float64) (*draw.Figure, error) {
	sources, err := readSources([]*result.File{f}, sigma)
	if err != nil {
		return nil, err
	}
	fig, err := sources[0].figure3(sigma)
	return fig, errors.WithMessagef(err, "result %q", f.Name)
}

func (s *source) figure3(sigma float64) (*draw.Figure, error) {
	methods := s.methods
	if of := s.metric(); of != accuracy {
		figure := "3-retail"
		if methods[0].Protocol == protocol.Recommend {
			figure = "6"
		}
		return nil, errors.Errorf("its scores are errors; `phe figure %s --spec %s` draws them", figure, s.Name)
	}
	for i := range methods {
		if err := methods[i].readScores(); err != nil {
			return nil, err
		}
	}
	drawn := slices.DeleteFunc(slices.Clone(methods), func(m method) bool { return m.scores.steps() == 0 })
	if len(drawn) == 0 {
		return nil, errors.New("every run diverged before its first score: there is nothing to draw")
	}
	isFrozen := func(m method) bool { return m.Frozen }
	online := slices.DeleteFunc(slices.Clone(drawn), isFrozen)
	compare := len(online) > 0 && slices.ContainsFunc(drawn, isFrozen)
	if !compare { // all in one chart
		online = drawn
	}
	first := draw.New(stepLabel(drawn[0].Method), "Accuracy (%)").Title(title(drawn[0].Dataset))
	accuracy.bound(first, 25)
	if _, err := addCurves(first, online, sigma, func(m *method) (series, error) { return m.scores, nil }); err != nil {
		return nil, err
	}
	row := []*draw.Chart{first}
	reference := online[max(0, slices.IndexFunc(online, func(m method) bool { return m.label == "PHE" }))]
	if compare {
		second, err := compareFrozen(drawn, reference)
		if err != nil {
			return nil, err
		}
		row = append(row, second)
		first.Title("(a) " + first.Heading + ", online")
	}
	g := &draw.Grid{Rows: [][]*draw.Chart{row}}
	fig := g.Figure(0, 0, sentences(caption(*s, sigma, compare, reference.label), draw.CutBands(row)))
	fig.Height = 7.2 * vg.Centimeter
	return fig, nil
}

// compareFrozen returns panel (b): each frozen method and its online twin against the reference, which is the zero line.
func compareFrozen(methods []method, reference method) (*draw.Chart, error) {
	p := draw.New(stepLabel(methods[0].Method), "Correct rows ahead of online "+reference.label)
	p.Title("(b) The same models, online and frozen")
	p.Whiskers = true
	for _, m := range methods {
		twin := slices.ContainsFunc(methods, func(other method) bool { return other.Frozen && other.Name == m.Name })
		if !m.Frozen && !twin && m.label != reference.label {
			continue
		}
		ahead := m.correct.minus(reference.correct)
		if ahead.steps() == 0 {
			return nil, errors.Errorf("%s and %s have no seed in common", m.label, reference.label)
		}
		c := m.curve(ahead, 0)
		if m.label == reference.label {
			c.StdDev = nil // it is 0 by definition
		}
		if !m.Frozen {
			c.Label += " online"
		}
		p.Curves = append(p.Curves, c)
	}
	return p, nil
}
