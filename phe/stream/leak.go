package stream

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"
)

// leak says why a column gives the target away; "" if it does not. Such a column is most often written after the target, or is
// the target under another name.
func (in *inference) leak(p *profile) string {
	const keep = "; --keep it if it is known before the target"
	if in.rows < fewest {
		return ""
	}
	numbers := p.numeric() && len(p.numbers) == p.filled && float64(p.filled) >= 0.5*float64(in.rows)
	switch {
	case in.target.Kind != Classes:
		if numbers && in.follows(p) {
			return "gives the target away: its numbers rise or fall with the target's" + keep
		}
	case in.tells(func(row int) string { return p.fields[row] }):
		return "gives the target away: each of its values goes with one class" + keep
	case in.tells(func(row int) string { return strconv.FormatBool(p.fields[row] == "") }):
		return "gives the target away: it is filled for some classes and empty for the others" + keep
	case numbers && len(in.target.Classes) == 2 && in.separates(p):
		return "gives the target away: a bound on its numbers parts the classes" + keep
	}
	return ""
}

// tells tells whether what a column says of a row names the row's class, but for one row in a thousand. Few rows must name it without
// fail, and one to one. Many rows may have two values for each class. With more values the column may be one of items, each of which
// has its class.
func (in *inference) tells(value func(row int) string) bool {
	came := map[string]map[float64]int{} // by value and class
	rows := map[float64]int{}
	n := 0
	for row, known := range in.known {
		if !known {
			continue
		}
		v, y := value(row), in.labels[row]
		if came[v] == nil {
			came[v] = map[float64]int{}
		}
		came[v][y]++
		rows[y]++
		n++
	}
	right := map[float64]int{} // rows in which the class came and its values name it
	for _, classes := range came {
		named, most := 0.0, 0
		for y, count := range classes {
			if count > most {
				named, most = y, count
			}
		}
		right[named] += most
	}
	const (
		sure = 0.999
		many = 1000 // rows
	)
	oneToOne := len(came) == len(rows)
	if len(rows) < 2 || !oneToOne && (n < many || len(came) > 2*len(rows)) {
		return false
	}
	for y, count := range rows {
		if count < leastOfClass || float64(right[y]) < sure*float64(count) {
			return false
		}
	}
	return true
}

// leastOfClass is the number of records that each class must have, so that chance does not look like a leak.
const leastOfClass = 10

// separates tells whether the numbers of one class lie above those of the other, in nearly all pairs of rows.
func (in *inference) separates(p *profile) bool {
	var numbers []float64
	var classes []int
	var n [2]int
	for i, f := range p.fields {
		if x, ok := parseNumber(f, p.decimalComma); ok && in.known[i] {
			k := int(in.labels[i])
			numbers, classes = append(numbers, x), append(classes, k)
			n[k]++
		}
	}
	if n[0] < leastOfClass || n[1] < leastOfClass {
		return false
	}
	sum := 0.0
	for i, rank := range ranks(numbers) {
		sum += float64(classes[i]) * rank
	}
	area := (sum - float64(n[1])*float64(n[1]-1)/2) / (float64(n[0]) * float64(n[1])) // under the ROC curve
	return max(area, 1-area) >= certain
}

// certain is the area under the ROC curve, or the correlation of ranks, above which a column's numbers tell the target.
const certain = 0.9995

// follows tells whether a column's ranks are those of the target.
func (in *inference) follows(p *profile) bool {
	var x, y []float64
	for i, f := range p.fields {
		if v, ok := parseNumber(f, p.decimalComma); ok && in.known[i] {
			x, y = append(x, v), append(y, in.labels[i])
		}
	}
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
