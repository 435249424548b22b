package figures

import (
	"fmt"
	"slices"
	"strings"

	"gophe/experiments/result"
)

// caption returns the caption of Figure 3. It explains lines and bands and names the runs that are not finished. With compare
// there is a panel (b), whose zero line is the reference.
func caption(s source, sigma float64, compare bool, reference string) string {
	smoothed, spreads := "Accuracy", "bands"
	if compare {
		smoothed, spreads = "(a)", "bands and whiskers"
	}
	filter, second := smoothed+": not smoothed.", ""
	if sigma > 0 {
		filter = fmt.Sprintf("%s: each seed smoothed by a Gaussian filter, σ = %v chunks.", smoothed, sigma)
	}
	if compare {
		second = fmt.Sprintf("(b): correct rows up to the step, minus the correct rows of online %s; not smoothed. "+
			"Frozen: the same initial model, never updated.", reference)
	}
	return sentences(seedsSentence("Lines", spreads, s.methods), filter, second, divergences("", s.methods, "counts up to there"),
		listed("Not finished and left out: %s.", ", ", s.left))
}

// sentences joins the sentences of a caption. Empty ones are left out.
func sentences(says ...string) string {
	return strings.Join(slices.DeleteFunc(says, func(s string) bool { return s == "" }), " ")
}

// listed returns a sentence with a list in it, or nothing if the list is empty.
func listed(format, separator string, items []string) string {
	if len(items) == 0 {
		return ""
	}
	return fmt.Sprintf(format, strings.Join(items, separator))
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
		if first, n := m.divergence(); n > 0 {
			says = append(says, fmt.Sprintf("%s%s diverged in %d of %d seeds, first at step %d; such a seed %s.",
				dataset, m.label, n, len(m.Runs), first, fate))
		}
	}
	return sentences(says...)
}

// count returns the number of seeds whose run has the given status.
func (m *method) count(status string) (n int) {
	for _, run := range m.Runs {
		if run.Status == status {
			n++
		}
	}
	return n
}

// divergence counts the diverged seeds and returns the first step at which a seed diverged.
func (m *method) divergence() (first, count int) {
	for _, run := range m.Runs {
		if run.Status == result.Diverged {
			if count == 0 || run.DivergedAt < first {
				first = run.DivergedAt
			}
			count++
		}
	}
	return first, count
}
