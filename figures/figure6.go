package figures

import (
	"fmt"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
)

// Figure6 draws the tabular panels of Fig. 6 from results of protocol online, one a data set: the accuracy of each
// online method, and of frozen PHE, at each step, in %, each seed smoothed by GaussianFilter with sigma, in steps.
// Lines are means over the seeds that reached the step, bands ±1 standard deviation (n−1).
func Figure6(files []*result.File, sigma float64) (*Figure, error) {
	fig, err := figure6(files, sigma)
	return fig, errors.WithMessage(err, "Figure 6")
}

func figure6(files []*result.File, sigma float64) (*Figure, error) {
	sources, err := readSources(files, "online")
	if err != nil {
		return nil, err
	}
	var panels []*panel
	var drawn []method
	var streams []string
	for _, s := range sources {
		methods := s.shown()
		p := &panel{title: s.title(), xLabel: "Step", yLabel: "Accuracy (%)", maxSpan: 25}
		for i := range methods {
			m := &methods[i]
			if err := m.readScores(); err != nil {
				return nil, errors.WithMessagef(err, "result %q", s.Name)
			}
			if m.accuracy.steps() == 0 {
				continue // diverged at once
			}
			c, err := m.curve(m.accuracy, sigma)
			if err != nil {
				return nil, err
			}
			p.curves, drawn = append(p.curves, c), append(drawn, *m)
		}
		if len(p.curves) == 0 {
			return nil, errors.Errorf("result %q: every run diverged before its first score", s.Name)
		}
		if initial := s.Stream.Initial; initial > 0 {
			streams = append(streams, fmt.Sprintf("%s %s", s.dataset(), number(float64(initial), 0)))
		}
		panels = append(panels, p)
	}
	says := []string{seedsSentence("Lines", "bands", drawn), smoothing("each seed", sigma, "steps")}
	says = append(says, "Rows scored at a step: "+chunkSizes(sources)+", before they are learned.")
	if len(streams) > 0 {
		says = append(says, "Rows of the initial phase: "+strings.Join(streams, ", ")+".")
	}
	says = append(says, frozenNote(drawn)...)
	says = append(says, outOfSight(panels)...)
	says = append(says, sourceNotes(sources, "counts up to there")...)
	g := tiled(panels, columnsFor(len(panels)))
	return tall(g, g.width(), 5.4*vg.Centimeter*vg.Length(len(g.panels)), strings.Join(says, " ")), nil
}

// smoothing says what was done to each of the things named.
func smoothing(what string, sigma float64, unit string) string {
	if sigma == 0 {
		return "Not smoothed."
	}
	return fmt.Sprintf("%s smoothed by a Gaussian filter, σ = %v %s.", strings.ToUpper(what[:1])+what[1:], sigma, unit)
}

// frozenNote explains frozen methods, if there are any.
func frozenNote(methods []method) []string {
	for _, m := range methods {
		if m.Frozen {
			return []string{"Frozen: the same initial model, never updated."}
		}
	}
	return nil
}

// chunkSizes lists how many rows the first step of each data set brings; one number where they agree.
func chunkSizes(sources []source) string {
	var parts []string
	same := true
	first := -1
	for _, s := range sources {
		size := 0
		for _, m := range s.methods {
			for _, run := range m.Runs {
				if size == 0 && len(run.Rows) > 0 {
					size = run.Rows[0]
				}
			}
		}
		if first < 0 {
			first = size
		}
		same = same && size == first
		parts = append(parts, fmt.Sprintf("%s %d", s.dataset(), size))
	}
	if same {
		return fmt.Sprint(first)
	}
	return strings.Join(parts, ", ")
}
