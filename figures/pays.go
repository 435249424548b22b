package figures

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// paysProtocols are the columns of Pays.
var paysProtocols = []string{protocol.ByGroup, protocol.Growing, protocol.Swapped}

// paysLeaves are the methods that Pays leaves out to keep its lines readable.
var paysLeaves = []string{"EE", "PHE replay", "MediumAda", baseline.Majority}

// Pays draws when online learning pays, from results of protocols by-group, growing and swapped. A row is a data set, a column a protocol.
// Each panel shows the cumulative regret of online methods and of frozen PHE: the number of wrong rows up to the step, minus the wrong
// rows of the reference with the same seed. Rows share their y axis. A result of one pass may follow; its method One pass joins the panel
// of the same stream.
func Pays(files []*result.File, reference string, sigma float64) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := withOnePass(readSources(files, sigma, paysProtocols...))
	rows, columns := paysLayout(sources)
	panels := make([]*draw.Chart, len(rows)*len(columns))
	var charts []*draw.Chart // the panels without empty places
	var drawn []method
	for _, s := range sources {
		m := s.methods[0]
		at := slices.Index(rows, m.Dataset)*len(columns) + slices.Index(columns, m.Protocol)
		p, methods := s.regretPanel(reference, sigma)
		panels[at], charts, drawn = p, append(charts, p), append(drawn, methods...)
	}
	g := draw.Tiled(panels, len(columns))
	for _, row := range g.Rows {
		shareY(row)
	}
	if len(columns) > 1 {
		g.UseLegend()
	}
	return g.Figure(4.5*vg.Centimeter, 2, sentences(
		fmt.Sprintf("Cumulative regret: wrong rows up to the step, minus the wrong rows of %s with the same seed; "+
			"below zero a method is ahead. Dotted: the stream shows something new.", reference),
		seedsSentence("Lines", "bands", drawn), focusNote(drawn), smoothing("each seed", sigma, "steps"), frozenNote(drawn),
		leftOutNote(sources, paysLeaves, "by-group", "growing", "swapped"), draw.BeyondEdge(charts),
		sourceNotes(sources, "counts up to there"))), nil
}

// paysLayout returns the data sets in order of appearance, and the protocols of the results.
func paysLayout(sources []*source) (datasets, protocols []string) {
	for _, s := range sources {
		if name := s.methods[0].Dataset; !slices.Contains(datasets, name) {
			datasets = append(datasets, name)
		}
	}
	return datasets, slices.DeleteFunc(slices.Clone(paysProtocols), func(protocol string) bool {
		return !slices.ContainsFunc(sources, func(s *source) bool { return s.methods[0].Protocol == protocol })
	})
}

// regretPanel draws one result. It notes methods without a finished seed in common with the reference as left out.
func (s *source) regretPanel(reference string, sigma float64) (*draw.Chart, []method) {
	at := slices.IndexFunc(s.methods, func(m method) bool { return m.label == reference })
	if at < 0 {
		s.fail("it has no finished run of %s; `phe run %s --resume` makes one, if its spec has the method", reference, s.Name)
	}
	against := s.methods[at]
	p := draw.New("Step", "Extra errors").Title(s.dataset() + ", " + strings.ReplaceAll(against.Protocol, "-", " "))
	p.NoVertical, p.XAxis.Ticks, p.YAxis.Ticks = true, draw.RoundTicks(3), draw.RoundTicks(3)
	s.markChanges(p)
	var drawn []method
	right := against.correct()
	for _, m := range without(s.methods, paysLeaves) {
		if m.Frozen && m.Name != "PHE" && m.label != reference {
			continue
		}
		regret := right.minus(m.correct())
		if regret.steps() == 0 {
			s.left = append(s.left, fmt.Sprintf("%s (no seed in common with %s)", m.label, reference))
			continue
		}
		c := m.curve(regret, sigma)
		if m.label == reference {
			c.StdDev = nil // it is 0 by definition
		}
		p.Curves, drawn = append(p.Curves, m.focused(c)), append(drawn, m)
	}
	if len(p.Curves) == 0 {
		s.fail("every run of %s diverged before its first score", reference)
	}
	return p, drawn
}

// shareY gives the panels of a row one y axis. It covers all their lines; bands add at most a quarter below. If a few methods
// would press the others together, it ends at three times the need of the median line.
func shareY(row []*draw.Chart) {
	var highest []float64
	low, bandLow := 0.0, 0.0
	row = slices.DeleteFunc(slices.Clone(row), func(p *draw.Chart) bool { return p == nil })
	for _, p := range row {
		for _, c := range p.Curves {
			low = min(low, slices.Min(c.Mean))
			if top := slices.Max(c.Mean); top > 0 {
				highest = append(highest, top)
			}
			for i, sd := range c.StdDev {
				bandLow = min(bandLow, c.Mean[i]-sd)
			}
		}
	}
	high := 0.0
	if slices.Sort(highest); len(highest) > 0 {
		high = min(highest[len(highest)-1], max(3*highest[len(highest)/2], -low))
	}
	span := max(high-low, 1)
	low, high = min(low, max(bandLow, low-span/4))-0.04*span, high+0.08*span
	for _, p := range row {
		p.Y(low, high)
	}
}
