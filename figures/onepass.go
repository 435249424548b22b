package figures

import (
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// onePassName is the name in the specs of the method that starts from nothing and learns each row once.
const onePassName = "One pass"

// slow is the factor of sigma in OnePass. Its streams are short, and their changes must stay visible.
const slow = 0.25

// OnePass compares one pass over the rows with PHE's published update and with the frozen model, along streams whose items come group by
// group. A stream has two files: its published result and its result of one pass.
//
// Each panel shows the accuracy at each step of a stream. gaussianFilter smooths each seed with a quarter of sigma, in steps. Lines are
// means over seeds, bands ±1 standard deviation (n−1).
func OnePass(files []*result.File, sigma float64) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := withOnePass(readSources(files, sigma, protocol.ByGroup))
	var panels []*draw.Chart
	var drawn []method
	for _, s := range sources {
		three := []method{*s.need("PHE", true), *s.need("PHE", false), *s.need(onePassName, false)}
		panels, drawn = append(panels, s.panel(three, slow*sigma)), append(drawn, three...)
	}
	g := draw.Tiled(panels, 0)
	g.UseLegend()
	return g.Figure(4.2*vg.Centimeter, 1, sentences("Accuracy along the stream. Dotted: new items appear.",
		seedsSentence("Lines", "bands", drawn), focusNote(drawn), smoothing("each seed", slow*sigma, "steps"), draw.EdgeNotes(panels),
		"Frozen: the initial model of PHE, never updated. One pass starts from nothing.", sourceNotes(sources, "counts up to there"))), nil
}

// need returns the method of that name. Without it the figure ends.
func (s *source) need(name string, frozen bool) *method {
	m := s.find(name, frozen)
	if m == nil {
		s.fail("neither it nor its result of one pass has a finished run of %s; "+
			"`phe run %s --resume` makes one, if its spec has the method", suffixed(name, frozen), s.Name)
	}
	return m
}

// panel draws methods along the stream.
func (s *source) panel(methods []method, sigma float64) *draw.Chart {
	p := draw.New(s.stepLabel(), "Accuracy (%)").Title(s.dataset() + ", by group")
	p.Range.Share = true
	s.markChanges(p)
	for _, m := range methods {
		scores := m.scores()
		if scores.steps() == 0 {
			s.fail("every run of %s diverged before its first score", m.label)
		}
		p.Curves = append(p.Curves, m.focused(m.curve(scores, sigma)))
	}
	return p
}
