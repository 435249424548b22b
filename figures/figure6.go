package figures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/protocol"
	"gophe/experiments/result"
)

// Figure6 draws panels of Fig. 6, one for each data set. It shows each online method and frozen PHE at each step: the accuracy,
// in %, in results of protocol online, and the error in results of protocols daily and recommend. GaussianFilter smooths each
// seed with sigma, in steps. Days of ratings are smoothed with four times sigma, because many days have few ratings. Lines are
// means over the seeds that reached the step, bands ±1 standard deviation (n−1).
func Figure6(files []*result.File, sigma float64) (*Figure, error) {
	sources, err := readSources(files, protocol.Online, protocol.Daily, protocol.Recommend)
	if err != nil {
		return nil, err
	}
	var panels []*panel
	var drawn []method
	var streams []string
	for _, s := range sources {
		p, methods, err := s.stepPanel(series.whole, s.widened(sigma))
		if err != nil {
			return nil, errors.WithMessagef(err, "result %q", s.Name)
		}
		panels, drawn = append(panels, p), append(drawn, methods...)
		if initial := s.Stream.Initial; initial > 0 {
			streams = append(streams, fmt.Sprintf("%s %s", s.dataset(), number(float64(initial), 0)))
		}
	}
	says := []string{seedsSentence("Lines", "bands", drawn), smoothingOf(sources, sigma)}
	if sizes := chunkSizes(sources); sizes != "" {
		says = append(says, "Rows per step, scored before they are learned: "+sizes+".")
	}
	says = append(says, errorNotes(sources)...)
	if slices.ContainsFunc(sources, func(s source) bool { return len(s.Stream.Days) > 0 }) {
		says = append(says, "Days are equally spaced; a day without data is left out.")
	}
	if len(streams) > 0 {
		says = append(says, "Rows of the initial phase: "+strings.Join(streams, ", ")+".")
	}
	says = append(says, frozenNote(drawn)...)
	says = append(says, rulesNote(drawn)...)
	says = append(says, outOfSight(panels)...)
	says = append(says, cutBands(panels)...)
	says = append(says, sourceNotes(sources, "counts up to there")...)
	g := tiled(panels, columnsFor(len(panels)))
	if len(panels) > 1 {
		g.useLegend()
	}
	return New(g, g.width(), 5.4*vg.Centimeter*vg.Length(len(g.panels))+g.legendHeight(), strings.Join(says, " ")), nil
}

// stepPanel draws a quantity of the methods' scores at each step, and returns the methods shown.
func (s *source) stepPanel(quantity func(series) series, sigma float64) (*panel, []method, error) {
	p := &panel{title: s.title(), xLabel: "Step", yLabel: s.metric().label}
	s.metric().bound(p, 25)
	var drawn []method
	for _, m := range s.shown() {
		if err := m.readScores(); err != nil {
			return nil, nil, err
		}
		if m.scores.steps() == 0 {
			continue // diverged at once
		}
		c, err := m.curve(quantity(m.scores), sigma)
		if err != nil {
			return nil, nil, err
		}
		p.curves, drawn = append(p.curves, c), append(drawn, m)
	}
	if len(p.curves) == 0 {
		return nil, nil, errors.New("every run diverged before its first score")
	}
	return p, drawn, s.datePanel(p)
}

// smoothing returns a sentence about the filter that smooths what is named.
func smoothing(what string, sigma float64, unit string) string {
	if sigma == 0 {
		return "Not smoothed."
	}
	return fmt.Sprintf("%s smoothed by a Gaussian filter, σ = %v %s.", strings.ToUpper(what[:1])+what[1:], sigma, unit)
}

// widened returns the filter's width for the source.
func (s *source) widened(sigma float64) float64 {
	if s.methods[0].Protocol == protocol.Recommend {
		return 4 * sigma
	}
	return sigma
}

// smoothingOf returns a sentence about the filters of the sources.
func smoothingOf(sources []source, sigma float64) string {
	isRatings := func(s source) bool { return s.methods[0].Protocol == protocol.Recommend }
	at := slices.IndexFunc(sources, isRatings)
	switch {
	case at < 0 || sigma == 0:
		return smoothing("each seed", sigma, "steps")
	case !slices.ContainsFunc(sources, func(s source) bool { return !isRatings(s) }):
		return smoothing("each seed", sources[at].widened(sigma), "days")
	}
	return strings.TrimSuffix(smoothing("each seed", sigma, "steps"), ".") + fmt.Sprintf(" (%v days for ratings).", sources[at].widened(sigma))
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

// chunkSizes lists the number of rows in the first step of each data set, or one number where all agree. Streams of days are
// left out, because each day has another number.
func chunkSizes(sources []source) string {
	var parts []string
	same := true
	first := -1
	for _, s := range sources {
		if len(s.Stream.Days) > 0 {
			continue
		}
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
	if same && len(parts) > 0 {
		return fmt.Sprint(first)
	}
	return strings.Join(parts, ", ")
}
