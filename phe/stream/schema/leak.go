package schema

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// leak returns the reason why a column gives the target away, or "" if it does not. Most such columns are written after the target,
// or are the target under another name.
func (in *inference) leak(p *profile) string {
	const keep = "; keep it if it is known before the target"
	if in.rows < Fewest {
		return ""
	}
	numbers := p.numeric && len(p.numbers) == p.filled && float64(p.filled) >= 0.5*float64(in.rows)
	switch {
	case in.target.Kind != Classes:
		if numbers && in.follows(p) {
			return "gives the target away: its numbers rise or fall with the target's" + keep
		}
	case in.tells(func(row int) string { return p.rows[row].value }):
		return "gives the target away: each of its values goes with one class" + keep
	case p.filled < in.rows && in.tells(func(row int) string { return strconv.FormatBool(p.rows[row].value == "") }):
		return "gives the target away: it is filled for some classes and empty for the others" + keep
	case numbers && len(in.target.Classes) == 2 && in.separates(p):
		return "gives the target away: a bound on its numbers parts the classes" + keep
	}
	return ""
}

// tells tells whether a column's value names the class of a row, in all but one row in a thousand. value returns the value of a row. If
// there are fewer than many rows, values and classes must match one to one. With many rows each class may have two values. A column
// with more values may hold items, and an item of one class is no leak.
func (in *inference) tells(value func(row int) string) bool {
	came := map[string]map[float64]int{} // number of rows by value and class
	rows := map[float64]int{}
	n := 0
	for row, known := range in.known {
		if !known {
			continue
		}
		v, y := value(row), in.labels[row]
		if came[v] == nil {
			if len(came) > 2*len(in.target.Classes) {
				return false
			}
			came[v] = map[float64]int{}
		}
		came[v][y]++
		rows[y]++
		n++
	}
	right := map[float64]int{} // number of rows of a class whose value names the class
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
		if count < minOfClass || float64(right[y]) < sure*float64(count) {
			return false
		}
	}
	return true
}

// minOfClass is the least number of records of each class. With fewer records, chance can look like a leak.
const minOfClass = 10

// certain is the area under the ROC curve, or the correlation of ranks, above which a column's numbers tell the target.
const certain = 0.9995

// separates tells whether the numbers of one class lie above the numbers of the other class, in nearly all pairs of rows.
func (in *inference) separates(p *profile) bool {
	numbers, classes := in.pairs(p)
	sum, second := 0.0, 0.0
	for i, rank := range ranks(numbers) {
		sum += classes[i] * rank
		second += classes[i]
	}
	first := float64(len(classes)) - second
	if first < minOfClass || second < minOfClass {
		return false
	}
	area := (sum - second*(second-1)/2) / (first * second) // under the ROC curve
	return max(area, 1-area) >= certain
}

// follows tells whether a column has the same ranks as the target.
func (in *inference) follows(p *profile) bool {
	x, y := in.pairs(p)
	return len(x) >= Fewest && math.Abs(stat.Correlation(ranks(x), ranks(y), nil)) >= certain
}

// pairs returns the numbers of a column and the labels beside them.
func (in *inference) pairs(p *profile) (numbers, labels []float64) {
	for i, s := range p.rows {
		if s.isNumber && in.known[i] {
			numbers, labels = append(numbers, s.x), append(labels, in.labels[i])
		}
	}
	return numbers, labels
}

// ranks returns the ranks of the numbers. Equal numbers share the mean of their ranks.
func ranks(values []float64) []float64 {
	sorted, places, ranks := slices.Clone(values), make([]int, len(values)), make([]float64, len(values))
	floats.Argsort(sorted, places)
	for from := 0; from < len(sorted); {
		to := from
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		for _, i := range places[from:to] {
			ranks[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return ranks
}
