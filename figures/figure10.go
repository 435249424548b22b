package figures

import (
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/baseline"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
)

// figure10Leaves are the methods that Fig. 10 leaves out to keep its lines readable.
var figure10Leaves = []string{"PHE 15 steps", "MediumAda", baseline.Majority, baseline.ItemMajority}

// mostLabels is the number of labels that have room at the right of a panel of Fig. 10.
const mostLabels = 7

// Figure10 draws Fig. 10 from results of protocol adaptation, one row of panels for each data set. The left panel shows
// adaptation: the share of the stream's data so far that was classified right, each datum before it was learned. GaussianFilter
// smooths each seed's share with sigma, in steps. The right panel shows forgetting: the accuracy on the first group's test
// rows. Lines are means over the seeds that got so far, bands ±1 standard deviation (n−1). A result of one pass may follow; its
// method One pass joins the panels of the same stream.
func Figure10(files []*result.File, sigma float64) (*Figure, error) {
	sources, err := readSources(files, protocol.Adaptation)
	if err != nil {
		return nil, err
	}
	if sources, err = withOnePass(sources); err != nil {
		return nil, err
	}
	var panels []*panel
	var drawn []method
	var left []string
	for _, s := range sources {
		adaptation, forgetting, methods, err := s.adaptationPanels(sigma)
		if err != nil {
			return nil, errors.WithMessagef(err, "result %q", s.Name)
		}
		_, dropped := without(s.shown(), figure10Leaves)
		left = append(left, dropped...)
		panels, drawn = append(panels, adaptation, forgetting), append(drawn, methods...)
	}
	says := []string{
		"Adaptation: the share of the stream's data so far that was classified right, each datum before it was learned; all items are new " +
			"to the model. Forgetting: accuracy on the test rows of the first group.",
		seedsSentence("Lines", "bands", drawn), focusNote(drawn),
	}
	if sigma > 0 {
		says = append(says, smoothing("each seed's adaptation", sigma, "data points"))
	}
	says = append(says, frozenNote(drawn)...)
	says = append(says, leftOutNote(left, "adaptation")...)
	says = append(says, beyondEdge(panels)...)
	says = append(says, sourceNotes(sources, "counts up to there")...)
	g := tiled(panels, 2)
	if slices.ContainsFunc(panels, func(p *panel) bool { return len(p.curves) > mostLabels }) {
		g.useLegend()
	}
	return New(g, g.width(), 4.6*vg.Centimeter*vg.Length(len(g.panels))+g.legendHeight(), strings.Join(says, " ")), nil
}

// adaptationPanels returns the two panels of one data set and the methods that they show.
func (s *source) adaptationPanels(sigma float64) (adaptation, forgetting *panel, drawn []method, err error) {
	if err := s.needTests(); err != nil {
		return nil, nil, nil, err
	}
	adaptation = &panel{title: s.title() + ": adaptation", xLabel: "Data points", yLabel: "Accuracy (%)", isShare: true}
	forgetting = &panel{title: s.title() + ": forgetting", xLabel: "Data points", yLabel: "Accuracy (%)", isShare: true}
	shown, _ := without(s.shown(), figure10Leaves)
	for _, m := range shown {
		if err := m.readScores(); err != nil {
			return nil, nil, nil, err
		}
		above, below, err := m.adaptation(sigma)
		if err != nil {
			return nil, nil, nil, err
		}
		if len(above.mean) == 0 || len(below.mean) == 0 {
			continue // diverged at once
		}
		adaptation.settled = max(adaptation.settled, above.at(len(above.mean)-1)/20)
		adaptation.curves, forgetting.curves = append(adaptation.curves, m.focused(above)), append(forgetting.curves, m.focused(below))
		drawn = append(drawn, m)
	}
	if len(drawn) == 0 {
		return nil, nil, nil, errors.New("every run diverged before its first score")
	}
	return adaptation, forgetting, drawn, nil
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

// runningMean returns the share of correct rows up to each step, in %, and the number of rows that the longest run had seen by
// then.
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

// testCurve returns the accuracy on one test set, in %, after each number of steps at which it was scored. The initial phase is
// number 0.
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
			return nil, nil, errors.Errorf("%s: seed %d was tested after other steps than the seeds before; make the result again by `phe run`",
				m.label, run.Seed)
		}
		if len(times) > len(after) {
			after = times
		}
		if run.Status == result.Complete && len(times) == 0 {
			return nil, nil, errors.Errorf("%s, seed %d: test set %d was never scored; make the result again by `phe run`",
				m.label, run.Seed, set)
		}
	}
	return values, after, nil
}
