package schema

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// findLeaks finds the columns that give the target away, and why. Most are written after the target, or are the target under another name.
func (in *inference) findLeaks(target *profile) {
	const why = "gives the target away: %s; keep it if it is known before the target"
	in.leaks = map[string]string{}
	if in.rows < Fewest {
		return
	}
	in.findClasses()
	var numbers []*profile
	for _, p := range in.profiles {
		if p == target || p.filled == 0 || slices.Contains([]Kind{Dropped, ID, Weight}, in.hints.Kinds[p.name]) {
			continue
		}
		numeric := p.numeric && len(p.numbers) == p.filled && float64(p.filled) >= 0.5*float64(in.rows)
		if how := in.leak(p, numeric); how != "" {
			in.leaks[p.name] = fmt.Sprintf(why, how)
		} else if numeric {
			numbers = append(numbers, p)
		}
	}
	if !target.numeric || len(target.items) <= fewNumbers {
		return
	}
	for parts := sum(target, numbers); len(parts) > 1; parts = sum(target, numbers) {
		shown := parts
		if len(parts) > 5 {
			shown = append(parts[:5:5], "…")
		}
		for _, name := range parts {
			in.leaks[name] = fmt.Sprintf(why, fmt.Sprintf("%q add up to it", shown))
		}
		numbers = slices.DeleteFunc(numbers, func(p *profile) bool { return in.leaks[p.name] != "" })
	}
}

// findClasses finds the rows of each class that is not rare. With few rows of a class, chance can look like a leak.
func (in *inference) findClasses() {
	classes, rare := make([][]int, len(in.target.Classes)), 0
	for row, known := range in.known {
		if y := int(in.labels[row]); known && in.target.Kind == Classes {
			classes[y] = append(classes[y], row)
		}
	}
	for _, rows := range classes {
		if len(rows) >= minOfClass {
			in.classes = append(in.classes, rows)
		} else {
			rare += len(rows)
		}
	}
	if float64(rare) > (1-mostly)*float64(in.rows) {
		in.classes = nil
	}
}

// leak says how a column alone gives the target away; "" if it does not.
func (in *inference) leak(p *profile, numeric bool) string {
	switch {
	case in.target.Kind != Classes:
		if numeric && in.follows(p) {
			return "its numbers rise or fall with the target's"
		}
	case len(in.classes) < 2:
	case in.determines(p):
		return "each of its values goes with one class"
	case in.fills(p):
		return "it is filled for some classes and empty for the others"
	case numeric && in.separates(p):
		return "a bound on its numbers parts the classes"
	}
	return ""
}

const (
	minOfClass = 10     // rows
	most       = 500    // rows that show that columns do not follow the target, or do not add up to it
	sure       = 0.999  // share of each class's rows that must agree
	certain    = 0.9995 // area under the ROC curve, or correlation of ranks, above which a column's numbers tell the target
)

// determines reports whether a value fixes the class. If there are fewer than many rows, values and classes must match one to one. With
// many rows each class may have two values. A column with more values may hold items, and an item of one class is no leak.
func (in *inference) determines(p *profile) bool {
	const many = 1000 // rows
	came, n := in.count(p, 2*len(in.classes))
	right := make([]float64, len(in.classes)) // number of rows of a class whose value fixes the class
	for _, rows := range came {
		right[floats.MaxIdx(rows)] += floats.Max(rows)
	}
	for y, rows := range in.classes {
		if right[y] < sure*float64(len(rows)) {
			return false
		}
	}
	return n >= many || len(came) == len(in.classes)
}

// count returns the number of rows by item and class, and of all; nil if there are more items than allowed.
func (in *inference) count(p *profile, most int) (came map[int32][]float64, n int) {
	came = map[int32][]float64{}
	for y, rows := range in.classes {
		n += len(rows)
		for _, row := range rows {
			item := p.at(row).item
			if came[item] == nil {
				came[item] = make([]float64, len(in.classes))
			}
			if came[item][y]++; len(came) > most {
				return nil, n
			}
		}
	}
	return came, n
}

// nearly says that each value of a column goes with one class, except one value or the empty field; "" if not. A reason that is written
// after the target looks so, and so does the smell of a mushroom. Few rows have rare values, and chance does not explain the others.
func (in *inference) nearly(p *profile) string {
	const often, nats = 20, 20 // rows of a value; logarithm of the odds against chance
	came, n := in.count(p, in.rows/often+in.rows/100)
	mixed, rare, odds := []string{}, 0., 0.
	for item, rows := range came {
		of, y := floats.Sum(rows), floats.MaxIdx(rows)
		switch {
		case of < often:
			rare += of
		case rows[y] >= sure*of:
			odds += of * math.Log(float64(n)/float64(len(in.classes[y])))
		case item == 0:
			mixed = append(mixed, ", except the empty field")
		default:
			mixed = append(mixed, ", except "+strconv.Quote(p.items[item-1]))
		}
	}
	if len(mixed) > 1 || odds < nats || rare > (1-mostly)*float64(n) || in.hints.Kinds[p.name] != "" {
		return ""
	}
	return "each of its values goes with one class" + strings.Join(mixed, "") + "; leave it out if it is known only after the target"
}

// fills reports whether the class decides if a column is filled. A mark of a missing value fills nothing, but "none" may say something.
func (in *inference) fills(p *profile) bool {
	full, says := 0, make([]bool, len(p.spellings)) // classes
	for i, s := range p.spellings {
		says[i] = s.item > 0 && (!missing(s.text) || strings.EqualFold(s.text, "none"))
	}
	for _, rows := range in.classes {
		filled, n := 0., float64(len(rows))
		for _, row := range rows {
			if says[p.rows[row]] {
				filled++
			}
		}
		if filled >= sure*n {
			full++
		} else if filled > (1-sure)*n {
			return false
		}
	}
	return full > 0 && full < len(in.classes)
}

// separates reports whether bounds on a column's numbers part the classes, in nearly all pairs of rows.
func (in *inference) separates(p *profile) bool {
	var classes [][]float64
	for _, rows := range in.classes {
		var numbers []float64
		for _, row := range rows {
			if s := p.at(row); s.isNumber {
				numbers = append(numbers, s.x)
			}
		}
		if len(numbers) < minOfClass {
			return false
		}
		slices.Sort(numbers)
		classes = append(classes, numbers)
	}
	slices.SortFunc(classes, func(a, b []float64) int { return cmp.Compare(a[len(a)/2], b[len(b)/2]) })
	for i, above := range classes[1:] {
		below, less, upTo, pairs := classes[i], 0, 0, 0 // pairs of rows in order, each twice; a pair of equals once
		for _, x := range above {
			for ; less < len(below) && below[less] < x; less++ {
			}
			for ; upTo < len(below) && below[upTo] <= x; upTo++ {
			}
			pairs += less + upTo
		}
		if area := float64(pairs) / 2 / float64(len(below)*len(above)); area < certain { // under the ROC curve
			return false
		}
	}
	return true
}

// follows reports whether a column ranks the rows as the target does. For most columns some of the rows show that it does not.
func (in *inference) follows(p *profile) bool {
	var x, y []float64
	for _, step := range []int{1 + len(p.rows)/most, 1} {
		x, y = x[:0], y[:0]
		for row := 0; row < len(p.rows); row += step {
			if s := p.at(row); s.isNumber && in.known[row] {
				x, y = append(x, s.x), append(y, in.labels[row])
			}
		}
		if likeness := stat.Correlation(ranks(x), ranks(y), nil); !(math.Abs(likeness) >= certain) || len(x) < Fewest { // or no number
			return false
		}
	}
	return true
}

// ranks returns the ranks of the numbers. Equal numbers share the mean of their ranks.
func ranks(numbers []float64) []float64 {
	sorted, ranks := slices.Sorted(slices.Values(numbers)), make([]float64, len(numbers))
	for i, x := range numbers {
		above := sort.SearchFloat64s(sorted, math.Nextafter(x, math.Inf(1)))
		ranks[i] = float64(sort.SearchFloat64s(sorted, x)+above-1) / 2
	}
	return ranks
}

// sum returns the names of columns that add up to the target, in some unit and with some of them subtracted. A sum with other weights is no
// leak: its weights are worth learning. A missing number counts as 0.
func sum(target *profile, columns []*profile) (names []string) {
	vectors, sizes := make([][]float64, len(columns)+1), make([]float64, len(columns)+1)
	for i, p := range append(slices.Clip(columns), target) {
		for row := 0; row < len(p.rows); row += 1 + len(p.rows)/most {
			if target.at(row).isNumber {
				vectors[i] = append(vectors[i], p.at(row).x)
			}
		}
		floats.AddConst(-stat.Mean(vectors[i], nil), vectors[i])
		sizes[i] = floats.Norm(vectors[i], 2)
		floats.Scale(1/sizes[i], vectors[i])
	}
	y, vectors := vectors[len(columns)], vectors[:len(columns)]
	taken, left := regress(y, vectors)
	n, sorted := len(y), slices.Sorted(slices.Values(y))
	if n < Fewest || len(taken) == 0 || math.IsInf(left, 1) || // at the ends of float64 no number is left
		!(left <= 0.005*math.Sqrt(float64(n))*(sorted[n-1-n/20]-sorted[n/20])) { // a few huge numbers may agree
		return nil
	}
	x := mat.NewDense(n, len(taken), nil)
	for i, column := range taken {
		x.SetCol(i, vectors[column])
	}
	var weights mat.VecDense
	if weights.SolveVec(x, mat.NewVecDense(n, y)) != nil {
		return nil
	}
	unit := 0.0
	for i, column := range taken {
		w := math.Abs(weights.AtVec(i))
		if w < 0.01 { // of the target's deviation
			continue
		}
		w /= sizes[column]
		if unit = cmp.Or(unit, w); math.Abs(w-unit) > 0.01*unit {
			return nil
		}
		names = append(names, columns[column].name)
	}
	return names
}

// regress chooses vectors that say much about y, and returns the length of the residual. Each step takes the vector that says most about
// the residual before. There are far fewer steps than rows, so that chance says little.
func regress(y []float64, vectors [][]float64) (taken []int, length float64) {
	left := slices.Clone(y)
	var basis [][]float64
	for range len(y) / 10 {
		next, says := -1, 1e-6
		for i, v := range vectors {
			if much := math.Abs(floats.Dot(v, left)); much > says {
				next, says = i, much
			}
		}
		if next < 0 {
			break
		}
		v := slices.Clone(vectors[next])
		for _, b := range basis {
			floats.AddScaled(v, -floats.Dot(v, b), b)
		}
		floats.Scale(1/floats.Norm(v, 2), v)
		floats.AddScaled(left, -floats.Dot(v, left), v)
		taken, basis = append(taken, next), append(basis, v)
	}
	slices.Sort(taken)
	return taken, floats.Norm(left, 2)
}
