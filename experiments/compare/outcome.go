package compare

import (
	"fmt"
	"gophe/experiments/measure"
	"math"
	"slices"
	"strings"
)

// Outcome is what became of a cell of the paper.
type Outcome string

// A number comes out or differs where it was measured on the paper's data; a size comes out where it rounds to the
// paper's.
const (
	ComesOut     Outcome = "comes out"
	DoesDiffer   Outcome = "differs"
	OtherData    Outcome = "other data"
	NotPublished Outcome = "not published" // the paper prints a dash
	NotRun       Outcome = "not run"
	NotInPaper   Outcome = "not in the paper"
)

// Outcome of the cell.
func (c Cell) Outcome() Outcome {
	switch {
	case !c.InPaper:
		return NotInPaper
	case c.Measured == nil:
		return NotRun
	case c.Paper == nil:
		return NotPublished
	case c.Substitute != "":
		return OtherData
	case c.Differs(), c.isSize() && math.Abs(*c.Measured-*c.Paper) > math.Pow(10, -float64(measure.Named(c.Metric).Paper))/2:
		return DoesDiffer
	}
	return ComesOut
}

// isSize tells a cell that is counted, not measured.
func (c Cell) isSize() bool {
	return c.Metric == measure.Parameters || c.Metric == measure.CompressionRatio
}

// key names the paper's cell that this one is compared with. Several may be: "covertype-49999" and "covertype" are compared
// with one row of the paper.
func (c Cell) key() string {
	dataset, _, _ := strings.Cut(c.published, "-")
	return c.Item + " | " + dataset + " | " + c.Method
}

// Published picks the cells that the paper has, in the order of its tables.
func Published(cells []Cell) []Cell {
	order := []string{"Table 1", "Table 4", "Table 5", "Table 6", "Double memory", "Ablation B", "Ablation K"}
	var published []Cell
	for _, c := range cells {
		if c.InPaper {
			published = append(published, c)
		}
	}
	slices.SortStableFunc(published, func(a, b Cell) int { return slices.Index(order, a.Item) - slices.Index(order, b.Item) })
	return published
}

// Outcomes tells as Markdown how many of the paper's cells come out, which do not and why, and which means are those of a
// single seed.
func Outcomes(cells []Cell) string {
	cells = Published(cells)
	if !slices.ContainsFunc(cells, func(c Cell) bool { return c.Spec != "" && c.Measured != nil }) {
		return nothingRun(cells)
	}
	first, best := map[string]Outcome{}, map[string]Outcome{} // of the comparisons with a cell of the paper
	rank := []Outcome{NotRun, NotPublished, OtherData, DoesDiffer, ComesOut}
	for _, c := range cells {
		key, outcome := c.key(), c.Outcome()
		if first[key] == "" {
			first[key], best[key] = outcome, outcome
		}
		if slices.Index(rank, outcome) > slices.Index(rank, best[key]) {
			best[key] = outcome
		}
	}
	count := func(outcomes map[string]Outcome, of Outcome) (n int) {
		for _, o := range outcomes {
			if o == of {
				n++
			}
		}
		return n
	}
	lines, sizes := map[Outcome]int{}, map[string]bool{}
	for _, c := range cells {
		lines[c.Outcome()]++
		if c.isSize() {
			sizes[c.key()] = true
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%d of %d cells of the paper come out** in the first run that stands beside them, %d in at least one: within two of the paper's standard deviations, or half a point, "+
		"or a twentieth of a unit sold. %d of the cells are sizes, which are counted. Where paper and program part, several runs stand beside a cell; one by one, %d of %d comparisons come out.\n\n",
		count(first, ComesOut), len(first), count(best, ComesOut), len(sizes), lines[ComesOut], len(cells))
	fmt.Fprintln(&b, "| outcome | cells, by the first run | cells, by the best run | comparisons |\n|---|---:|---:|---:|")
	for _, row := range []struct {
		outcome Outcome
		what    string
	}{
		{ComesOut, "come out"}, {DoesDiffer, "differ"}, {OtherData, "measured on other data, for want of the paper's"},
		{NotPublished, "measured, but a dash in the paper"}, {NotRun, "not run"},
	} {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", row.what, count(first, row.outcome), count(best, row.outcome), lines[row.outcome])
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d |\n", len(first), len(best), len(cells))
	b.WriteString(differences(cells))
	b.WriteString(fragile(cells))
	return b.String()
}

// nothingRun tells what Outcomes tells of no results. Sizes that are counted without a run are no credit.
func nothingRun(cells []Cell) string {
	keys := map[string]bool{}
	for _, c := range cells {
		keys[c.key()] = true
	}
	return fmt.Sprintf("Nothing has been run: of the %d cells of the paper, no result is here. Make some with `phe reproduce classification`.\n", len(keys))
}

// differences lists the cells that differ, by the reason, and the results in which their numbers come out.
func differences(cells []Cell) string {
	elsewhere := map[string][]string{}
	for _, c := range cells {
		if c.Outcome() == ComesOut {
			elsewhere[c.key()] = append(elsewhere[c.key()], "`"+c.Spec+"`")
		}
	}
	var notes []string
	members := map[string][]string{}
	for _, c := range cells {
		if c.Outcome() != DoesDiffer {
			continue
		}
		note := c.Note
		if note == "" {
			note = "Not explained."
		}
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
		member := fmt.Sprintf("%s `%s` %s: %s against %s", c.Item, c.Spec, c.Method, measured(c), measure.PlusMinus(c.Paper, c.PaperSD, measure.Named(c.Metric).Paper))
		if specs := elsewhere[c.key()]; len(specs) > 0 {
			member += ", comes out in " + strings.Join(specs, ", ")
		}
		members[note] = append(members[note], member)
	}
	var b strings.Builder
	if len(notes) > 0 {
		fmt.Fprintln(&b, "\nWhat differs, by the reason, and where the same number of the paper comes out:")
	}
	for i, note := range notes {
		fmt.Fprintf(&b, "\n%d. %s\n", i+1, note)
		for _, member := range members[note] {
			fmt.Fprintf(&b, "    - %s\n", member)
		}
	}
	return b.String()
}

// fragile lists what a mean over seeds hides: seeds that diverged, and means that one seed makes.
func fragile(cells []Cell) string {
	var diverged, single []string
	for _, c := range cells {
		name := fmt.Sprintf("%s `%s` %s", c.Item, c.Spec, c.Method)
		if c.Diverged > 0 {
			diverged = append(diverged, fmt.Sprintf("%s (%d of %d seeds)", name, c.Diverged, c.Diverged+c.Seeds))
		}
		if c.Measured != nil && c.MeasuredSD != nil && *c.MeasuredSD > *c.Measured && *c.Measured > 0 {
			single = append(single, name+" "+measured(c))
		}
	}
	var b strings.Builder
	if len(diverged) == 0 {
		fmt.Fprintln(&b, "\nNo seed of these results diverged: every parameter and score stayed finite.")
	} else {
		fmt.Fprintf(&b, "\nSeeds that diverged, a parameter or a score no longer finite, and are left out of the mean: %s.\n", strings.Join(diverged, "; "))
	}
	if len(single) > 0 {
		fmt.Fprintf(&b, "\nMeans that one seed makes, the deviation over seeds being larger than they are: %s.\n", strings.Join(single, "; "))
	}
	return b.String()
}
