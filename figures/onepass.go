package figures

import (
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// onePassName is the name in the specs of the method that starts from nothing and learns each row once.
const onePassName = "One pass"

// onePassProtocols are the protocols of the streams, in the order of the figure.
var onePassProtocols = []string{protocol.Online, protocol.ByGroup, protocol.Growing, protocol.Swapped}

// slow is the factor of sigma in OnePass. Its streams are short, and their changes must stay visible.
const slow = 0.25

// OnePass compares one pass over the rows with PHE's published update and with the frozen model. A stream has two files: its
// published result and its result of one pass.
//
// Above is a panel for each stream whose items come group by group. It shows the accuracy at each step. gaussianFilter smooths
// each seed with a quarter of sigma, in steps. Lines are means over seeds, bands ±1 standard deviation (n−1). Below, a line for
// each stream shows the accuracy of one pass minus the accuracy of each of the other two: the mean over steps, paired by seed.
func OnePass(files []*result.File, sigma float64) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := withOnePass(readSources(files, sigma, onePassProtocols...))
	slices.SortStableFunc(sources, func(a, b *source) int {
		return slices.Index(onePassProtocols, a.methods[0].Protocol) - slices.Index(onePassProtocols, b.methods[0].Protocol)
	})
	ahead := draw.Leads{Over: [2]string{"PHE as published", "PHE frozen"}}
	var panels []*draw.Chart
	var drawn, points []method
	var along []*source
	for _, s := range sources {
		frozen, phe, own := s.need("PHE", true), s.need("PHE", false), s.need(onePassName, false)
		lead := draw.Lead{Name: s.rowsAndProtocol(), By: [2]draw.Estimate{own.ahead(phe), own.ahead(frozen)}}
		if lead.By[0].Seeds == 0 || lead.By[1].Seeds == 0 {
			s.fail("PHE and %s have no finished seed in common", onePassName)
		}
		ahead.Rows, ahead.Styles, points = append(ahead.Rows, lead), [2]draw.Style{phe.style, frozen.style}, append(points, *own)
		if own.Protocol != protocol.ByGroup {
			continue
		}
		three := []method{*frozen, *phe, *own}
		panels, drawn, along = append(panels, s.panel(three, slow*sigma)), append(drawn, three...), append(along, s)
	}
	above, where := seedsSentence("Points", "whiskers", points[:1]), "For each stream:"
	if len(panels) > 0 {
		ahead.Above = draw.Tiled(panels, 0)
		ahead.Above.UseLegend()
		above = sentences("Above: accuracy along the stream. Dotted: new items appear.",
			seedsSentence("Lines and points", "bands and whiskers", drawn), focusNote(drawn),
			smoothing("each seed", slow*sigma, "steps"), draw.EdgeNotes(panels))
		where = "Below, for each stream:"
	}
	return ahead.Figure(sentences(above, "Frozen: the initial model of PHE, never updated.", where,
		"accuracy of one pass from nothing, minus the other model's accuracy with the same seed. "+
			"The axis is linear near zero and logarithmic beyond.",
		sourceNotes(along, "counts up to there"))), nil
}

// need returns the method of that name. Without it the figure ends.
func (s *source) need(name string, frozen bool) *method {
	m := s.find(name, frozen)
	if m == nil {
		s.fail("neither it nor its result of one pass has a finished run of %s; `phe run %s --resume` makes one, if its spec has the method",
			suffixed(name, frozen), s.Name)
	}
	return m
}

// rowsAndProtocol returns the data set and the protocol.
func (s *source) rowsAndProtocol() string {
	rows := ""
	if s.methods[0].Dataset == "covertype" {
		rows = ", all rows"
	}
	return s.dataset() + rows + ", " + strings.ReplaceAll(s.methods[0].Protocol, "-", " ")
}

// panel draws methods along the stream.
func (s *source) panel(methods []method, sigma float64) *draw.Chart {
	p := draw.New(s.stepLabel(), "Accuracy (%)").Title(s.rowsAndProtocol())
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

// ahead returns the method's accuracy minus the other's with the same seed, each a mean over steps. Diverged seeds are left
// out, as in the tables.
func (m *method) ahead(other *method) draw.Estimate {
	var differences []float64
	own, their := m.scores(), other.scores()
	for _, run := range m.ended(result.Complete) {
		if theirs := other.Run(run.Seed); theirs != nil && theirs.Status == result.Complete {
			differences = append(differences, stat.Mean(own[run.Seed], nil)-stat.Mean(their[run.Seed], nil))
		}
	}
	return estimateOf(differences)
}
