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

// paysStreams holds the ways in which rows arrive. The paper's shuffle is first.
var paysStreams = []string{protocol.Online, protocol.ByGroup, protocol.Growing, protocol.Swapped}

// paysMarkdown renders three tables: each method's gain over its frozen model, its regret, and its forgetting.
func paysMarkdown(folder *result.Folder) (string, error) {
	methods := []string{"PHE", "EE", "P-EE", "SlowAda", "MediumAda", "FastAda"}
	beside := append(slices.Clone(methods), "PHE replay", "PHE (frozen)", baseline.ItemMajority)
	gain, lost, regrets := newPaysTable(methods), newPaysTable(methods), newPaysTable(beside)
	found := false
	for _, dataset := range []string{"adult", "bank", "mushroom", "covertype"} {
		for _, stream := range paysStreams {
			f, err := folder.Find(dataset + "-" + stream)
			if err != nil {
				return "", err
			}
			if f == nil {
				continue
			}
			found = true
			row := f.Methods[0].Dataset + ", " + stream
			if stream == protocol.Online {
				row = f.Methods[0].Dataset + ", shuffled"
			}
			gain.add(row, func(method string) (mean, sd *float64) {
				m, frozen := f.Method(method, false), f.Method(modelOf(method), true)
				if m == nil || frozen == nil {
					return nil, nil
				}
				return measure.PairedDifference(measure.Accuracy, f, m, f, frozen)
			})
			if stream == protocol.Online {
				continue
			}
			lost.add(row, func(method string) (mean, sd *float64) { return summaryOf(measure.Forgetting, f, method) })
			regrets.add(row, func(method string) (mean, sd *float64) { return summaryOf(measure.Regret, f, method) })
		}
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
	if strings.HasSuffix(method, "Ada") {
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
