package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gophe/experiments/measure"
	"gophe/experiments/table"
)

// isRepeat reports whether another item of the paper prints the cell's number too.
func (c Cell) isRepeat() bool {
	switch c.Item {
	case "Table 4":
		return c.Metric == measure.CompressionRatio
	case "Double memory": // half the memory of the Adas there
		return c.Method == "PHE"
	case "Table 6": // the scope of Table 1
		return c.Method == "P-EE incremental-column"
	}
	return c.Item == "Ablation K" && c.Method == "PHE K=2" // of the ablation of B's last column
}

// key names the cell of the paper. Several cells may have one key: "covertype-49999" and "covertype" have the same row of the paper.
func (c Cell) key() string {
	return c.Item + " | " + c.published + " | " + c.Method
}

// ofPaper picks the cells that the paper has, as its program fills them, in the order of its tables.
func ofPaper(cells []Cell) []Cell {
	order := []string{"Table 1", "Table 4", "Table 5", "Table 6", "Double memory", "Ablation B", "Ablation K"}
	picked := slices.DeleteFunc(slices.Clone(cells), func(c Cell) bool { return !c.InPaper || c.Reading == textReading })
	slices.SortStableFunc(picked, func(a, b Cell) int { return slices.Index(order, a.Item) - slices.Index(order, b.Item) })
	return picked
}

// About picks the cells of one item about the paper's data sets. An empty item is all items, and no data set is all of them.
func About(cells []Cell, item string, datasets ...string) []Cell {
	return slices.DeleteFunc(slices.Clone(cells), func(c Cell) bool {
		return item != "" && c.Item != item || len(datasets) > 0 && !slices.Contains(datasets, c.published)
	})
}

// cameOut counts the cells of the paper, and those that come out in at least one run.
func cameOut(cells []Cell) (came, all int) {
	_, best, _ := tallies(ofPaper(cells))
	return best[comesOut], best[anyOutcome]
}

// anyOutcome counts all cells in a tally.
const anyOutcome outcome = "all"

// tallies counts the outcomes of the paper's cells: of each cell in its first run, of each in its best run, and of all runs.
func tallies(cells []Cell) (first, best, runs map[outcome]int) {
	ofFirst, ofBest := map[string]outcome{}, map[string]outcome{}
	first, best, runs = map[outcome]int{}, map[outcome]int{}, map[outcome]int{}
	rank := []outcome{notRun, notPublished, otherData, doesDiffer, comesOut}
	count := func(tally map[outcome]int, o outcome) { tally[o], tally[anyOutcome] = tally[o]+1, tally[anyOutcome]+1 }
	for _, c := range cells {
		key, outcome := c.key(), c.outcome()
		count(runs, outcome)
		ofFirst[key] = cmp.Or(ofFirst[key], outcome)
		if slices.Index(rank, outcome) >= slices.Index(rank, ofBest[key]) {
			ofBest[key] = outcome
		}
	}
	for key := range ofBest {
		count(first, ofFirst[key])
		count(best, ofBest[key])
	}
	return first, best, runs
}

// Outcomes returns the outcomes of the paper's cells: their numbers, the reason for each difference, and the means that one seed makes.
func Outcomes(cells []Cell) table.Page {
	return append(outcomeTable(cells), table.Table{Above: differences(cells) + "\n" + fragile(cells)})
}

// outcomeTable returns the number of the paper's cells for each outcome.
func outcomeTable(cells []Cell) table.Page {
	cells = ofPaper(cells)
	first, best, runs := tallies(cells)
	once, numbers := cameOut(slices.DeleteFunc(slices.Clone(cells), Cell.isRepeat))
	_, sizes := cameOut(slices.DeleteFunc(slices.Clone(cells), func(c Cell) bool { return !c.isSize() }))
	t := table.New(1, "outcome", "cells, by the best run", "cells, by the first run", "comparisons")
	t.Above = fmt.Sprintf("**%d of %d cells of the paper come out** in at least one run. A cell comes out if it lies within two of the "+
		"paper's standard deviations, "+
		"within half a point, or within a twentieth of a unit sold. %d of the cells are sizes, which are counted. "+
		"The paper prints some numbers twice. "+
		"Counted once, %d of %d come out. Some cells have several runs, because the paper and its program say different things.\n\n",
		best[comesOut], best[anyOutcome], sizes, once, numbers)
	for _, row := range []struct {
		outcome outcome
		what    string
	}{
		{comesOut, "come out"}, {doesDiffer, "differ"}, {otherData, "measured on other data, as the paper's cannot be had"},
		{notPublished, "measured, but a dash in the paper"}, {notRun, "not run"}, {anyOutcome, "all"},
	} {
		t.Add(row.what, best[row.outcome], first[row.outcome], runs[row.outcome])
	}
	return t.Page()
}

// doubts are kinds of measured comparisons that come out, by the names that pages give them.
var doubts = map[string]func(Cell) bool{"none": func(Cell) bool { return true }, "outside": Cell.isOutside, "unequal": Cell.isUnequal,
	"vague": Cell.isVague, "printed 0": func(c Cell) bool { return c.isOutside() && *c.PaperSD == 0 }}

// came lists the measured comparisons of the paper that come out, of one kind.
func (s *source) came(kind string) (list []string) {
	for _, c := range ofPaper(s.compare()) {
		if c.outcome() == comesOut && !c.isSize() && doubts[kind](c) {
			list = append(list, c.against())
		}
	}
	return list
}

// against names a cell, and shows it next to the paper's.
func (c Cell) against() string {
	return fmt.Sprintf("%s `%s` %s: %s against %s", c.Item, c.Spec, c.Method, measured(c), c.printed())
}

// differences lists the paper's cells that differ, by the reason, and the results in which their numbers come out.
func differences(cells []Cell) string {
	cells = ofPaper(cells)
	elsewhere := map[string][]string{}
	for _, c := range cells {
		if c.outcome() == comesOut {
			elsewhere[c.key()] = append(elsewhere[c.key()], "`"+c.Spec+"`")
		}
	}
	var notes []string
	members := map[string][]string{}
	for _, c := range cells {
		if c.outcome() != doesDiffer {
			continue
		}
		note := cmp.Or(c.Note, "Not explained.")
		notes = with(notes, note)
		member := c.against()
		if specs := elsewhere[c.key()]; len(specs) > 0 {
			member += ", comes out in " + strings.Join(specs, ", ")
		}
		members[note] = append(members[note], member)
	}
	var b strings.Builder
	if len(notes) == 0 {
		return "No cell of the paper that was run differs.\n"
	}
	fmt.Fprintln(&b, "These cells differ. Each reason names its cells, and the results in which the same number of the paper comes out.")
	for i, note := range notes {
		fmt.Fprintf(&b, "\n%d. %s\n", i+1, note)
		for _, member := range members[note] {
			fmt.Fprintf(&b, "    - %s\n", member)
		}
	}
	return b.String()
}

// fragile lists the facts that a mean over seeds hides: seeds that diverged, and means that one seed makes.
func fragile(cells []Cell) string {
	var diverged, single []string
	for _, c := range ofPaper(cells) {
		name := fmt.Sprintf("%s `%s` %s", c.Item, c.Spec, c.Method)
		if c.Diverged > 0 {
			diverged = append(diverged, fmt.Sprintf("%s (%d of %d seeds)", name, c.Diverged, c.Diverged+c.Seeds))
		}
		if c.Measured != nil && c.MeasuredSD != nil && *c.MeasuredSD > *c.Measured && *c.Measured > 0 {
			single = append(single, name+" "+measured(c))
		}
	}
	text := "No seed of these results diverged: every parameter and score stayed finite.\n"
	if len(diverged) > 0 {
		text = fmt.Sprintf("These seeds diverged: a parameter or a score is no longer finite. They are left out of the mean: %s.\n",
			strings.Join(diverged, "; "))
	}
	if len(single) > 0 {
		text += fmt.Sprintf("\nOne seed makes these means. Their deviation over seeds is larger than they are: %s.\n",
			strings.Join(single, "; "))
	}
	return text
}
