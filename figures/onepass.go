package figures

import (
	"slices"
	"strings"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/stat"

	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/figures/draw"
)

// onePassName is the name in the specs of the method that starts from nothing and learns each row once.
const onePassName = "One pass"

// onePassProtocols are the protocols of the streams, in the order of the figure.
var onePassProtocols = []string{protocol.Online, protocol.ByGroup, protocol.Growing, protocol.Swapped}

// onePassStream is one stream with both its results. A method has the same style in both.
type onePassStream struct {
	published, own source
	phe, frozen    *method // of the published result: PHE's update, and its initial model without updates
	onePass        *method
}

// slow is the factor of sigma in OnePass. Its streams are short, and their changes must stay visible.
const slow = 0.25

// OnePass compares one pass over the rows with PHE's published update and with the frozen model. The files come in pairs: the
// published result of a stream, then its result of one pass.
//
// Above is a panel for each stream whose items come group by group. It shows the accuracy at each step. GaussianFilter smooths
// each seed with a quarter of sigma, in steps. Lines are means over seeds, bands ±1 standard deviation (n−1). Below, a line for
// each stream shows the accuracy of one pass minus the accuracy of each of the other two: the mean over steps, paired by seed.
func OnePass(files []*result.File, sigma float64) (*Figure, error) {
	streams, err := onePassStreams(files)
	if err != nil {
		return nil, err
	}
	var panels []*draw.Chart
	var drawn []method
	var sources []source
	for i := range streams {
		s := &streams[i]
		if s.onePass.Protocol != protocol.ByGroup {
			continue
		}
		p, err := s.panel(slow * sigma)
		if err != nil {
			return nil, errors.WithMessagef(err, "result %q", s.own.Name)
		}
		panels = append(panels, p)
		drawn = append(drawn, *s.phe, *s.frozen, *s.onePass)
		sources = append(sources, s.published, s.own)
	}
	ahead, err := leads(streams)
	if err != nil {
		return nil, err
	}
	above, where := seedsSentence("Points", "whiskers", []method{*streams[0].onePass}), "For each stream:"
	if len(panels) > 0 {
		ahead.Above = draw.Tiled(panels, 0)
		ahead.Above.UseLegend()
		above = sentences("Above: accuracy along the stream. Dotted: new items appear.",
			seedsSentence("Lines and points", "bands and whiskers", drawn), smoothing("each seed", slow*sigma, "steps"), draw.EdgeNotes(panels))
		where = "Below, for each stream:"
	}
	return ahead.Figure(sentences(above, "Frozen: the initial model of PHE, never updated.", where,
		"accuracy of one pass from nothing, minus the other model's accuracy with the same seed. "+
			"The axis is linear near zero and logarithmic beyond.",
		sourceNotes(sources, "counts up to there"))), nil
}

// onePassStreams reads the pairs and finds the three methods of each.
func onePassStreams(files []*result.File) ([]onePassStream, error) {
	sources, err := readSources(files, onePassProtocols...)
	if err != nil {
		return nil, err
	}
	if len(sources)%2 != 0 {
		return nil, errors.Errorf("%d results; they come in pairs, a stream's published result and then its result of one pass", len(sources))
	}
	var streams []onePassStream
	for i := 0; i < len(sources); i += 2 {
		s := onePassStream{published: sources[i], own: sources[i+1]}
		for _, wanted := range []struct {
			at     **method
			from   *source
			name   string
			frozen bool
		}{{&s.phe, &s.published, "PHE", false}, {&s.frozen, &s.published, "PHE", true}, {&s.onePass, &s.own, onePassName, false}} {
			m := wanted.from.find(wanted.name, wanted.frozen)
			if m == nil {
				return nil, errors.Errorf("result %q has no finished run of %s; `phe run %s --resume` makes one, if its spec has the method",
					wanted.from.Name, suffixed(wanted.name, wanted.frozen), wanted.from.Name)
			}
			if err := m.readScores(); err != nil {
				return nil, errors.WithMessagef(err, "result %q", wanted.from.Name)
			}
			*wanted.at = m
		}
		if s.phe.Dataset != s.onePass.Dataset || s.phe.Protocol != s.onePass.Protocol || !s.published.sameStream(&s.own) {
			return nil, errors.Errorf("results %q and %q are not of one stream; give a stream's published result and then its result of one pass",
				s.published.Name, s.own.Name)
		}
		streams = append(streams, s)
	}
	slices.SortStableFunc(streams, func(a, b onePassStream) int {
		return slices.Index(onePassProtocols, a.onePass.Protocol) - slices.Index(onePassProtocols, b.onePass.Protocol)
	})
	return streams, nil
}

// name returns the data set and the protocol.
func (s *onePassStream) name() string {
	rows := ""
	if s.onePass.Dataset == "covertype" {
		rows = ", all rows"
	}
	return s.own.dataset() + rows + ", " + strings.ReplaceAll(s.onePass.Protocol, "-", " ")
}

// panel draws the three methods along the stream.
func (s *onePassStream) panel(sigma float64) (*draw.Chart, error) {
	p := draw.New(stepLabel(s.onePass.Method), "Accuracy (%)").Title(s.name())
	p.Range.Share = true
	s.own.markChanges(p)
	for _, m := range []*method{s.frozen, s.phe, s.onePass} {
		c, err := m.curve(m.scores, sigma)
		if err != nil {
			return nil, err
		}
		if len(c.Mean) == 0 {
			return nil, errors.Errorf("every run of %s diverged before its first score", m.label)
		}
		p.Curves = append(p.Curves, c)
	}
	return p, nil
}

// leads returns the leads on every stream.
func leads(streams []onePassStream) (draw.Leads, error) {
	p := draw.Leads{Over: [2]string{"PHE as published", "PHE frozen"}, Styles: [2]draw.Style{streams[0].phe.style, streams[0].frozen.style}}
	for i := range streams {
		s := &streams[i]
		l := draw.Lead{Name: s.name(), By: [2]draw.Estimate{s.onePass.ahead(s.phe), s.onePass.ahead(s.frozen)}}
		if l.By[0].Seeds == 0 || l.By[1].Seeds == 0 {
			return p, errors.Errorf("results %q and %q have no finished seed in common", s.published.Name, s.own.Name)
		}
		p.Rows = append(p.Rows, l)
	}
	return p, nil
}

// ahead returns the method's accuracy minus the other's with the same seed, each a mean over steps. Diverged seeds are left
// out, as in the tables.
func (m *method) ahead(other *method) draw.Estimate {
	var differences []float64
	for _, run := range m.Runs {
		theirs := other.Run(run.Seed)
		if theirs == nil || run.Status != result.Complete || theirs.Status != result.Complete {
			continue
		}
		differences = append(differences, stat.Mean(m.scores[run.Seed], nil)-stat.Mean(other.scores[run.Seed], nil))
	}
	return estimateOf(differences)
}
