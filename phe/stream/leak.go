package stream

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// leak says why a column gives the target away; "" if it does not. Such a column is most often written after the target, or is
// the target under another name.
func (in *inference) leak(p *profile) string {
	if in.rows < fewest || float64(p.filled) < 0.5*float64(in.rows) {
		return ""
	}
	if in.target.Kind == Classes && in.target.Compare == "" {
		if in.isLabel(p) {
			return "gives the target away: each of its values goes with one class; --keep it if it is known before the target"
		}
	}
	if p.numeric() && float64(len(p.numbers)) == float64(p.filled) {
		if in.target.Kind == Classes && len(in.target.Classes) == 2 && in.separates(p) {
			return "gives the target away: a bound on its numbers parts the classes; --keep it if it is known before the target"
		}
		if in.target.Kind != Classes && in.follows(p) {
			return "gives the target away: its numbers rise or fall with the target's; --keep it if it is known before the target"
		}
	}
	return ""
}

// isLabel tells whether a column's values and the classes stand for each other, one to one.
func (in *inference) isLabel(p *profile) bool {
	classes, values, rows := map[float64]string{}, map[string]float64{}, map[float64]int{}
	for i, f := range p.fields {
		if f == "" || !in.known[i] {
			continue
		}
		y := in.labels[i]
		if v, seen := classes[y]; seen && v != f {
			return false
		}
		if v, seen := values[f]; seen && v != y {
			return false
		}
		classes[y], values[f] = f, y
		rows[y]++
	}
	for _, n := range rows {
		if n < leastOfClass {
			return false
		}
	}
	return len(classes) > 1
}

// leastOfClass is the number of records that each class must have, so that chance does not look like a leak.
const leastOfClass = 10

// separates tells whether all numbers of one class lie below all of the other, in samples of which no chance makes that.
func (in *inference) separates(p *profile) bool {
	var low, high [2]float64
	var n [2]int
	low[0], low[1], high[0], high[1] = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i, f := range p.fields {
		x, ok := parseNumber(f, p.decimalComma)
		if !ok || !in.known[i] {
			continue
		}
		k := int(in.labels[i])
		low[k], high[k] = min(low[k], x), max(high[k], x)
		n[k]++
	}
	return n[0] >= leastOfClass && n[1] >= leastOfClass && (high[0] < low[1] || high[1] < low[0])
}

// follows tells whether a column's ranks are those of the target.
func (in *inference) follows(p *profile) bool {
	var x, y []float64
	for i, f := range p.fields {
		if v, ok := parseNumber(f, p.decimalComma); ok && in.known[i] {
			x, y = append(x, v), append(y, in.labels[i])
		}
	}
	const certain = 0.9995
	return len(x) >= fewest && math.Abs(stat.Correlation(ranks(x), ranks(y), nil)) >= certain
}

// ranks returns the numbers' ranks; equal numbers share the mean of theirs.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return ranks
}

// Summary lists the columns and the target for people, a line each.
func (s Schema) Summary() string {
	text := "target    " + s.Target.String() + "\n"
	for _, c := range s.Columns {
		if c.Kind == Label {
			continue
		}
		text += fmt.Sprintf("%-9s %s", c.Kind, c.Name)
		if c.Note != "" {
			text += "  (" + c.Note + ")"
		}
		text += "\n"
	}
	return text
}

// String describes the target for people.
func (t Target) String() string {
	name := t.Column
	if t.Transform != "" {
		name = t.Transform + "(" + t.Column + ")"
	}
	switch {
	case t.Kind == Classes && len(t.Classes) == 2:
		return fmt.Sprintf("the probability of %s: %q", name, t.Classes[1])
	case t.Kind == Classes:
		return fmt.Sprintf("%s, one of %d classes: %q", name, len(t.Classes), t.Classes)
	case t.Kind == Count:
		return name + ", a count"
	}
	return name + ", a number"
}
