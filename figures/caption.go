package figures

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"gophe/experiments/result"
	"gophe/figures/draw"
)

// sentences joins the sentences of a caption. Empty ones are left out.
func sentences(says ...string) string {
	return strings.Join(slices.DeleteFunc(says, func(s string) bool { return s == "" }), " ")
}

// when returns a sentence if it holds.
func when(holds bool, sentence string) string {
	if holds {
		return sentence
	}
	return ""
}

// listed returns a sentence with a list in it, each item once, or nothing if there is none.
func listed(format, separator string, items []string) string {
	var once []string
	for _, item := range items {
		if item != "" && !slices.Contains(once, item) {
			once = append(once, item)
		}
	}
	if len(once) == 0 {
		return ""
	}
	return fmt.Sprintf(format, strings.Join(once, separator))
}

// seedsSentence returns the number of seeds behind the lines (or bars) and the meaning of their spreads.
func seedsSentence(lines, spreads string, methods []method) string {
	fewest, most := len(methods[0].Runs), 0
	for _, m := range methods {
		fewest, most = min(fewest, len(m.Runs)), max(most, len(m.Runs))
	}
	switch {
	case most == 1:
		spread, _, _ := strings.Cut(spreads, " ")
		return fmt.Sprintf("%s: a single seed, hence no %s.", lines, spread)
	case fewest == most:
		return fmt.Sprintf("%s: mean over %d seeds; %s: ±1 standard deviation between seeds.", lines, most, spreads)
	}
	return fmt.Sprintf("%s: mean over %d to %d seeds; %s: ±1 standard deviation between seeds.", lines, fewest, most, spreads)
}

// divergences returns a sentence for each method with a diverged seed. The fate says what happened to such a seed.
func divergences(dataset string, methods []method, fate string) string {
	var says []string
	for _, m := range methods {
		var at []int
		for _, run := range m.ended(result.Diverged) {
			at = append(at, run.DivergedAt)
		}
		if len(at) > 0 {
			says = append(says, fmt.Sprintf("%s%s diverged in %d of %d seeds, first at step %d; such a seed %s.",
				dataset, m.label, len(at), len(m.Runs), slices.Min(at), fate))
		}
	}
	return sentences(says...)
}

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

// leftOutNote names the methods that a figure leaves out, and the tables that hold them.
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
