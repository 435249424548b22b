package figures

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
)

// Calibration draws how well predicted distributions fit the data, from a result of protocol daily or recommend. It shows each online
// method and rule that predicts a distribution. The upper panels show the density of the probability integral transforms, which is 1
// everywhere for calibrated predictions. The lower panels show the share of data inside central prediction intervals, against the share
// that the intervals promise.
func Calibration(f *result.File) (fig *draw.Figure, err error) {
	defer caught(&err)
	sources := readSources([]*result.File{f}, 0, protocol.Daily, protocol.Recommend)
	s := sources[0]
	groups := s.calibrated()
	if len(groups) == 0 || !s.isRatings() && s.metric() != forecast {
		s.fail("it has no calibration of methods, which only ratings and forecasts have; %s", remedy)
	}
	var upper, lower []*draw.Chart
	var drawn []method
	for i, group := range groups {
		density, held := calibrationPanels(group)
		kind := "Methods"
		if group[0].isRule() {
			kind = "Rules"
		}
		density.Title(fmt.Sprintf("(%c) %s", 'a'+i, kind))
		upper, lower, drawn = append(upper, density), append(lower, held), append(drawn, group...)
	}
	for _, p := range upper {
		p.YAxis.High = highestDensity(upper)
	}
	whose, words := "", calibrationWords("forecast", "sales", "quantity")
	if s.isRatings() {
		whose, words = s.title()+".", calibrationWords("predicted", "ratings", "rating")
	}
	g := draw.Tiled(append(upper, lower...), len(groups))
	g.UseLegend()
	return g.Figure(4.2*vg.Centimeter, 2, sentences(whose, words, seedsSentence("Lines", "bands", drawn),
		draw.EdgeNotes(upper), sourceNotes(sources, "is left out"))), nil
}

// calibrationWords returns the sentences that explain the upper and the lower panels.
func calibrationWords(predicted, many, one string) string {
	return "Above: where in the " + predicted + " distribution the " + many + " lay, by the density of their probability integral " +
		"transforms: more than 1 at both ends, too sure; a hump, too unsure. Below: how many " + many + " the central prediction " +
		"intervals held, and how many they promised. Thin dark line: calibrated. A " + one + " counts over all of its own probability."
}

// maxInPanel is the largest number of methods in one panel.
const maxInPanel = 4

// calibrated returns the online methods with a calibration and then the rules, in one group for each panel. There are as few
// groups as possible, of about equal size.
func (s *source) calibrated() (groups [][]method) {
	for _, rules := range []bool{false, true} {
		list := slices.DeleteFunc(slices.Clone(s.methods), func(m method) bool {
			has := slices.ContainsFunc(m.ended(result.Complete), func(r *result.Run) bool { return len(r.Calibration) > 0 })
			return m.Frozen || m.isRule() != rules || !has
		})
		for panels := (len(list) + maxInPanel - 1) / maxInPanel; panels > 0; panels-- {
			n := (len(list) + panels - 1) / panels
			groups, list = append(groups, list[:n]), list[n:]
		}
	}
	return groups
}

// calibrationPanels returns the panel of the methods' densities and the panel of their intervals.
func calibrationPanels(methods []method) (density, held *draw.Chart) {
	density, held = draw.New("Place in the distribution", "Density"), draw.New("Promised (%)", "Held (%)")
	three := draw.RoundTicks(3)
	density.YAxis.Ticks, held.XAxis.Ticks, held.YAxis.Ticks, held.YAxis.High = three, three, three, 100
	density.Guide, held.Guide = plotter.XYs{{X: 0, Y: 1}, {X: 1, Y: 1}}, plotter.XYs{{X: 0, Y: 0}, {X: 100, Y: 100}}
	for _, m := range methods {
		densities, shares := series{}, series{}
		for _, run := range m.ended(result.Complete) { // the others lack some data
			counts := run.Calibration
			if floats.Sum(counts) <= 0 || len(counts)%2 == 1 {
				m.source.fail("%s, seed %d: calibration %v is not a list of counts in an even number of cells; "+
					"make the result again by `phe run`", m.label, run.Seed, counts)
			}
			densities[run.Seed], shares[run.Seed] = reliability(counts)
		}
		above, below := m.curve(densities, 0), m.curve(shares, 0)
		cells := len(above.Mean) / 2
		for i := range above.Mean {
			above.X = append(above.X, float64((i+1)/2)/float64(cells))
		}
		for i := range below.Mean {
			below.X = append(below.X, 100*float64(i)/float64(len(below.Mean)-1))
		}
		density.Curves, held.Curves = append(density.Curves, above), append(held.Curves, below)
	}
	return density, held
}

// reliability converts counts in equal cells from 0 to 1. The density has two values for each cell, because it is drawn in
// steps. Value i of held is the share of all data, in %, in the middle 2i cells.
func reliability(counts []float64) (density, held []float64) {
	total := floats.Sum(counts)
	for _, cell := range counts {
		here := cell / total * float64(len(counts))
		density = append(density, here, here)
	}
	for half := range len(counts)/2 + 1 {
		middle := counts[len(counts)/2-half : len(counts)/2+half]
		held = append(held, 100*floats.Sum(middle)/total)
	}
	return density, held
}

// highestDensity returns the end of the densities' axis. A cell with more than three times its share leaves the panel.
func highestDensity(panels []*draw.Chart) float64 {
	high := 1.2
	for _, p := range panels {
		for _, c := range p.Curves {
			high = max(high, 1.04*floats.Max(c.Mean))
		}
	}
	return min(high, 3)
}
