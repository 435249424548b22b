package figures

import (
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"gophe/figures/draw"
)

// inFocus are the methods that a crowded figure is about.
var inFocus = []string{onePassName, "PHE"}

// isCrowded reports whether bands would hide each other.
func isCrowded(c *draw.Chart) bool { return len(c.Curves) > 4 }

func isInFocus(m method) bool { return !m.Frozen && slices.Contains(inFocus, m.Name) }

// focused makes the curve heavier if its method is in focus. If another method is, the curve becomes thinner and loses its band.
func (m *method) focused(c draw.Curve) draw.Curve {
	if isInFocus(*m) {
		c.Style.Width = vg.Points(1.7)
	} else if slices.ContainsFunc(m.source.methods, isInFocus) {
		c.Style.Width, c.StdDev = vg.Points(0.8), nil
	}
	return c
}

// focusNote says which lines have bands.
func focusNote(methods []method) string {
	var names []string
	for _, m := range methods {
		names = append(names, when(isInFocus(m) && len(m.Runs) > 1, m.Name))
	}
	return listed("Heavy lines with a band: %s; the other lines have no band.", " and ", names)
}

// bandsSentence is seedsSentence for the lines of charts. In a crowded chart only the methods in focus have bands.
func bandsSentence(spreads string, charts []*draw.Chart, methods []method) string {
	return sentences(seedsSentence("Lines", spreads, methods), when(slices.ContainsFunc(charts, isCrowded), focusNote(methods)))
}

// without returns the methods that are not named.
func without(methods []method, names []string) []method {
	return slices.DeleteFunc(slices.Clone(methods), func(m method) bool { return slices.Contains(names, m.label) })
}

// leftOutNote says which of the named methods a figure leaves out, and which tables hold them.
func leftOutNote(sources []*source, names []string, tables ...string) string {
	var left []string
	for _, s := range sources {
		for _, m := range s.methods {
			if slices.Contains(names, m.label) {
				left = append(left, m.label)
			}
		}
	}
	return listed("Left out: %s (see `phe table "+strings.Join(tables, "`, `phe table ")+"`).", ", ", left)
}
