package report

import (
	"fmt"
	"slices"
	"strings"

	"gophe/experiments/baseline"
	"gophe/experiments/measure"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
)

// paysResults lists the results of the question when online learning pays. The paper's shuffled stream stands first for each
// data set.
var paysResults = []string{
	"adult-online", "adult-by-group", "adult-growing", "adult-swapped",
	"bank-online", "bank-by-group", "bank-growing", "bank-swapped",
	"mushroom-online", "mushroom-by-group", "mushroom-growing", "mushroom-swapped",
	"covertype-online", "covertype-by-group", "covertype-growing", "covertype-swapped",
}

// paysMarkdown renders three tables: each method's gain over its frozen model, its regret, and its forgetting.
func paysMarkdown(folder *result.Folder) (string, error) {
	methods := []string{"PHE", "EE", "P-EE", "SlowAda", "MediumAda", "FastAda"}
	beside := append(slices.Clone(methods), "PHE replay", "PHE (frozen)", baseline.ItemMajority)
	gain, lost, regrets := newPaysTable(methods), newPaysTable(methods), newPaysTable(beside)
	found := false
	for _, name := range paysResults {
		f, err := folder.Find(name)
		if err != nil {
			return "", err
		}
		if f == nil {
			continue
		}
		found = true
		first := &f.Methods[0]
		row := first.Dataset + ", " + first.Protocol
		if first.Protocol == protocol.Online {
			row = first.Dataset + ", shuffled"
		}
		gain.add(row, func(method string) (mean, sd *float64) {
			m, frozen := f.Method(method, false), f.Method(modelOf(method), true)
			if m == nil || frozen == nil {
				return nil, nil
			}
			return measure.PairedDifference(measure.Accuracy, f, m, f, frozen)
		})
		if first.Protocol == protocol.Online {
			continue
		}
		lost.add(row, func(method string) (mean, sd *float64) { return summaryOf(measure.Forgetting, f, method) })
		regrets.add(row, func(method string) (mean, sd *float64) { return summaryOf(measure.Regret, f, method) })
	}
	if !found {
		return "", missing(folder, "adult-by-group")
	}
	return "Accuracy along the stream, in points above the same initial model never updated, paired by seed:\n\n" + gain.String() +
		"\nRegret: errors in 1000 rows beyond those of " + measure.Reference + ", which learns from all rows seen so far:\n\n" + regrets.String() +
		"\nForgetting: points lost on the first test (the first group, the items known at the start, the items not swapped) by the end:\n\n" + lost.String(), nil
}

// modelOf returns the name of the frozen model that a method started from.
func modelOf(method string) string {
	switch method {
	case "SlowAda", "MediumAda", "FastAda":
		return "Ada"
	}
	return method
}

// summaryOf returns a metric of the row with a label.
func summaryOf(metric string, f *result.File, label string) (mean, sd *float64) {
	for i := range f.Methods {
		if m := &f.Methods[i]; m.Label() == label {
			mean, sd, _ = measure.OverSeeds(metric, f, m)
		}
	}
	return mean, sd
}

// paysTable is a Markdown table with a column for each method.
type paysTable struct {
	methods []string
	text    strings.Builder
}

func newPaysTable(methods []string) *paysTable {
	t := &paysTable{methods: methods}
	fmt.Fprintf(&t.text, "| stream | %s |\n|---|%s\n", strings.Join(methods, " | "), strings.Repeat("---:|", len(methods)))
	return t
}

func (t *paysTable) add(row string, of func(method string) (mean, sd *float64)) {
	fmt.Fprintf(&t.text, "| %s |", row)
	for _, method := range t.methods {
		mean, sd := of(method)
		fmt.Fprintf(&t.text, " %s |", measure.PlusMinus(mean, sd, 1))
	}
	t.text.WriteString("\n")
}

// String returns the table so far.
func (t *paysTable) String() string { return t.text.String() }
