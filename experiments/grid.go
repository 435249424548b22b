package experiments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gophe/experiments/result"
)

// HasGrid tells whether Grid can show a table: those of the paper, which have one metric a cell.
func HasGrid(table string) bool { return paperItems[table] != "" }

// Grid renders a table of the paper as the paper does: a row a data set, a column a method, and in each cell what was
// measured above what the paper says. A cell that differs has the number of the note that says why.
func Grid(cells []Cell) string {
	var rows, methods []string
	at, seeds := map[string]map[string]Cell{}, map[string]int{}
	for _, c := range cells {
		row := strings.Join(slices.DeleteFunc([]string{c.Dataset, variant(c)}, func(s string) bool { return s == "" }), ", ")
		if at[row] == nil {
			at[row] = map[string]Cell{}
			rows = append(rows, row)
		}
		if !slices.Contains(methods, c.Method) {
			methods = append(methods, c.Method)
		}
		at[row][c.Method] = c
		seeds[row] = max(seeds[row], c.Seeds)
	}
	var b strings.Builder
	var why notes
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(methods, " | "), strings.Repeat("---:|", len(methods)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row)
		for _, method := range methods {
			c, ok := at[row][method]
			if !ok {
				b.WriteString(" |")
				continue
			}
			text := plusMinus(c.Measured, c.MeasuredSD, digits(c.Metric)) + why.mark(c)
			if c.Measured != nil && c.Seeds < seeds[row] {
				text += fmt.Sprintf(" (n = %d)", c.Seeds)
			}
			if c.Paper != nil {
				text += "<br>(" + plusMinus(c.Paper, c.PaperSD, min(1, digits(c.Metric))) + ")"
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		b.WriteString("\n")
	}
	return b.String() + why.String()
}

// variant tells apart specs of one item and data set: what their names have beyond the first.
func variant(c Cell) string {
	switch {
	case strings.HasSuffix(c.Spec, "-online-100"):
		return "100 initial epochs"
	case strings.HasSuffix(c.Spec, "-group-stratified"):
		return "stratified cut"
	case strings.HasSuffix(c.Spec, "-all-columns"):
		return "file order, all columns learn"
	case strings.HasSuffix(c.Spec, "-large"):
		return "file order, B = 7, P = 11, d = 20"
	case strings.HasSuffix(c.Spec, "-group"):
		return "file order"
	}
	return ""
}

// paysStreams are the streams of the question when online learning pays, the paper's shuffled one first.
var paysStreams = []string{Online, ByGroup, Growing, Swapped}

// paysMarkdown answers when online learning pays, in three tables: what each method gains over the same model frozen, its
// regret, and what it forgets.
func paysMarkdown(folder string) (string, error) {
	methods := []string{"PHE", "EE", "P-EE", "SlowAda", "MediumAda", "FastAda"}
	beside := append(slices.Clone(methods), "PHE replay", "PHE (frozen)", ItemMajority)
	gain, lost, regrets := newPaysTable(methods), newPaysTable(methods), newPaysTable(beside)
	found := false
	for _, dataset := range []string{"adult", "bank", "mushroom", "covertype"} {
		for _, stream := range paysStreams {
			f, err := readIfThere(folder, dataset+"-"+stream)
			if err != nil {
				return "", err
			}
			if f == nil {
				continue
			}
			found = true
			row := fmt.Sprintf("%s, %s", f.Methods[0].Dataset, cmp.Or(map[string]string{Online: "shuffled"}[stream], stream))
			gain.add(row, func(method string) (mean, sd *float64) {
				m, frozen := f.Method(method, false), f.Method(modelOf(method), true)
				if m == nil || frozen == nil {
					return nil, nil
				}
				return pairedDifference(Accuracy, f, m, f, frozen)
			})
			if stream == Online {
				continue
			}
			lost.add(row, func(method string) (mean, sd *float64) { return summaryOf(Forgetting, f, method) })
			regrets.add(row, func(method string) (mean, sd *float64) { return summaryOf(Regret, f, method) })
		}
	}
	if !found {
		return "", missing(folder, "adult-by-group")
	}
	return "Accuracy along the stream, in points above the same initial model never updated, paired by seed:\n\n" + gain.String() +
		"\nRegret: errors in 1000 rows beyond those of " + Reference + ", which learns from all rows seen so far:\n\n" + regrets.String() +
		"\nForgetting: points lost on the first test (the first group, the items known at the start, the items not swapped) by the end:\n\n" + lost.String(), nil
}

// modelOf is the frozen model that a method started from.
func modelOf(method string) string {
	if strings.HasSuffix(method, "Ada") {
		return "Ada"
	}
	return method
}

// summaryOf a row by its label.
func summaryOf(metric string, f *result.File, label string) (mean, sd *float64) {
	for i := range f.Methods {
		if m := &f.Methods[i]; m.Label() == label {
			mean, sd, _ = summarise(metric, f, m)
		}
	}
	return mean, sd
}

// paysTable is a Markdown table with a column a method.
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
		fmt.Fprintf(&t.text, " %s |", plusMinus(mean, sd, 1))
	}
	t.text.WriteString("\n")
}

func (t *paysTable) String() string { return t.text.String() }
