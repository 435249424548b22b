package figures

import (
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
)

// Figure10 draws Fig. 10 from results of protocol adaptation, a column a data set. Above, adaptation: the share of the
// stream's data, which are items not seen before, that was classified right so far, each datum before it was learned;
// each seed's share is smoothed by GaussianFilter with sigma, in steps. Below, forgetting: the accuracy on the first
// group's test rows after so many data. Online methods, and frozen PHE. Lines are means over the seeds that got so far,
// bands ±1 standard deviation (n−1).
func Figure10(files []*result.File, sigma float64) (*Figure, error) {
	fig, err := figure10(files, sigma)
	return fig, errors.WithMessage(err, "Figure 10")
}

func figure10(files []*result.File, sigma float64) (*Figure, error) {
	sources, err := readSources(files, "adaptation")
	if err != nil {
		return nil, err
	}
	var upper, lower []*panel
	var drawn []method
	var names []string
	for _, s := range sources {
		if err := s.needTests(); err != nil {
			return nil, err
		}
		few := plot.TickerFunc(fewTicks)
		adaptation := &panel{title: s.title(), xLabel: "Data points", yLabel: "Adaptation, acc. (%)",
			xTicks: few, yTicks: plot.TickerFunc(someTicks), isShare: true, maxSpan: 70}
		forgetting := &panel{xLabel: "Data points", yLabel: "Forgetting, acc. (%)",
			xTicks: few, yTicks: plot.TickerFunc(someTicks), isShare: true, maxSpan: 40}
		for _, m := range s.shown() {
			if err := m.readScores(); err != nil {
				return nil, errors.WithMessagef(err, "result %q", s.Name)
			}
			above, below, err := m.adaptation(sigma)
			if err != nil {
				return nil, errors.WithMessagef(err, "result %q", s.Name)
			}
			if len(above.mean) == 0 || len(below.mean) == 0 {
				continue // diverged at once
			}
			adaptation.settled = max(adaptation.settled, above.at(len(above.mean)-1)/20)
			adaptation.curves, forgetting.curves = append(adaptation.curves, above), append(forgetting.curves, below)
			drawn = append(drawn, m)
		}
		if len(adaptation.curves) == 0 {
			return nil, errors.Errorf("result %q: every run diverged before its first score", s.Name)
		}
		upper, lower = append(upper, adaptation), append(lower, forgetting)
		names = append(names, s.dataset()+", adaptation")
	}
	for _, s := range sources {
		names = append(names, s.dataset()+", forgetting")
	}
	says := []string{
		"Above, adaptation: share of the stream's data so far, all of items new to the model, that was classified right " +
			"before it was learned. Below, forgetting: accuracy on the test rows of the first group after so many data.",
		seedsSentence("Lines", "bands", drawn),
	}
	if sigma > 0 {
		says = append(says, smoothing("each seed's adaptation", sigma, "data points"))
	}
	says = append(says, frozenNote(drawn)...)
	all := append(slices.Clone(upper), lower...)
	says = append(says, outOfSight(all, names...)...)
	says = append(says, sourceNotes(sources, "counts up to there")...)
	g := tiled(all, len(sources))
	g.useLegend()
	height := 2*4.0*vg.Centimeter + legendLine
	return tall(g, g.width(), height, strings.Join(says, " ")), nil
}

// adaptation returns the curves of adaptation and of forgetting.
func (m *method) adaptation(sigma float64) (adapted, forgotten curve, err error) {
	shares, learned := m.runningMean()
	if adapted, err = m.curve(shares, sigma); err != nil {
		return
	}
	adapted.x = learned[:len(adapted.mean)]
	kept, after, err := m.testCurve(0)
	if err != nil {
		return
	}
	if forgotten, err = m.curve(kept, 0); err != nil {
		return
	}
	forgotten.x = after[:len(forgotten.mean)]
	return
}

// runningMean is the share, in %, of all rows up to each step that a run got right, and how many rows the longest run
// had seen by then.
func (m *method) runningMean() (shares series, rows []float64) {
	shares = series{}
	for _, run := range m.Runs {
		correct := m.correct[run.Seed]
		seen, total := make([]float64, len(correct)), 0.0
		shares[run.Seed] = make([]float64, len(correct))
		for step := range correct {
			total += float64(run.Rows[step])
			seen[step] = total
			shares[run.Seed][step] = 100 * correct[step] / total
		}
		if len(seen) > len(rows) {
			rows = seen
		}
	}
	return shares, rows
}

// testCurve is the accuracy in % on one test set after each number of steps at which it was scored, from the initial
// phase on, and these numbers.
func (m *method) testCurve(set int) (values series, after []float64, err error) {
	values = series{}
	for i := range m.Runs {
		run := &m.Runs[i]
		var times []float64
		values[run.Seed] = nil
		for _, score := range run.Tests {
			if score.Set != set || score.After < 0 {
				continue
			}
			percent, ok, err := m.tested(run, set, score.After)
			if err != nil {
				return nil, nil, err
			}
			if !ok {
				break
			}
			times = append(times, float64(score.After))
			values[run.Seed] = append(values[run.Seed], percent)
		}
		n := min(len(times), len(after))
		if !slices.Equal(times[:n], after[:n]) || run.Status == result.Complete && len(after) > 0 && len(times) < len(after) {
			return nil, nil, errors.Errorf("%s: seed %d was tested after other steps than the seeds before; make the result anew by `phe run`",
				m.label, run.Seed)
		}
		if len(times) > len(after) {
			after = times
		}
		if run.Status == result.Complete && len(times) == 0 {
			return nil, nil, errors.Errorf("%s, seed %d: test set %d was never scored; make the result anew by `phe run`",
				m.label, run.Seed, set)
		}
	}
	return values, after, nil
}
