package figures

import (
	"fmt"
	"strings"

	"gophe/experiments/result"
)

// caption returns the caption of Figure 3. It explains lines and bands and names the runs that are not complete. With compare
// there is a panel (b), whose zero line is the reference.
func caption(methods []method, sigma float64, compare bool, reference string) string {
	smoothed, spreads := "Accuracy", "bands"
	if compare {
		smoothed, spreads = "(a)", "bands and whiskers"
	}
	says := []string{seedsSentence("Lines", spreads, methods)}
	if sigma > 0 {
		says = append(says, fmt.Sprintf("%s: each seed smoothed by a Gaussian filter, σ = %v chunks.", smoothed, sigma))
	} else {
		says = append(says, smoothed+": not smoothed.")
	}
	if compare {
		says = append(says, fmt.Sprintf("(b): correct rows up to the step, minus the correct rows of online %s; not smoothed. "+
			"Frozen: the same initial model, never updated.", reference))
	}
	says = append(says, divergences("", methods, "counts up to there")...)
	var unfinished []string
	for _, m := range methods {
		if n := len(m.seeds(result.Partial)); n > 0 {
			unfinished = append(unfinished, fmt.Sprintf("%s (%d of %d seeds)", m.label, n, len(m.Runs)))
		}
	}
	if len(unfinished) > 0 {
		says = append(says, "Not finished, drawn as far as it goes: "+strings.Join(unfinished, ", ")+".")
	}
	return strings.Join(says, " ")
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
func divergences(dataset string, methods []method, fate string) (says []string) {
	for _, m := range methods {
		if first, n := m.divergence(); n > 0 {
			says = append(says, fmt.Sprintf("%s%s diverged in %d of %d seeds, first at step %d; such a seed %s.",
				dataset, m.label, n, len(m.Runs), first, fate))
		}
	}
	return says
}

// seeds returns the seeds whose run has the given status.
func (m *method) seeds(status string) []int64 {
	var seeds []int64
	for _, run := range m.Runs {
		if run.Status == status {
			seeds = append(seeds, run.Seed)
		}
	}
	return seeds
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
