package figures

import (
	"fmt"
	"slices"
	"strings"

	"gophe/experiments/result"
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
