package stream

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"gophe/phe/count"
	"gophe/phe/disk/filetest"
	"gophe/phe/stream/novelty"
	"gophe/phe/stream/schema"
)

// explained learns all rows of a made stream but the last, and explains these. With late labels, each label comes 50 rows after its record.
func explained(t *testing.T, target string, rows, last int, late bool, weights map[string]float64) (*Learner, *made) {
	t.Helper()
	m := makeStream(rows, target)
	s := filetest.Must(schema.Infer(m.columns, m.records, hintsOf(target)))(t)
	s.Target.Weights = weights
	l := filetest.Must(New(s, Options{}))(t)
	for i, r := range m.records[:rows-last] {
		if !late {
			step(t, l, r)
			continue
		}
		filetest.Must(l.Ask(strconv.Itoa(i), r))(t)
		if i >= 50 {
			filetest.Check(t, l.Label(strconv.Itoa(i-50), m.records[i-50][5]))
		}
	}
	m.records = m.records[rows-last:]
	return l, m
}

// logOdds returns the sum that the lines of a forecast must have.
func logOdds(l *Learner, f *Forecast, class int) float64 {
	p := f.Probability
	switch {
	case len(l.Schema.Target.Classes) == 0:
		return f.Value
	case len(f.Classes) > 0:
		p = f.Classes[class]
	case class == 0:
		p = 1 - p
	}
	return math.Log(p / (1 - p))
}

// The lines, a usual row and what came last add up to the forecast: for two classes, several and a number, with labels at once and late,
// and with weights of classes. A usual row is the same in each row of the same novelty, which no choice of the other lines could bring
// about. The first line's column put back to usual moves the forecast against its sign. An explanation changes nothing.
func TestReasonsAddUp(t *testing.T) {
	const rows = 200
	for _, target := range targets[:3] {
		of := map[string]map[string]float64{"two": {"yes": 5}, "several": {"low": 0.1}}[target]
		for late, weights := range []map[string]float64{nil, of} {
			l, m := explained(t, target, 3000, rows, late > 0, weights)
			filetest.Want(t, l.model.State().Hedge.Late, late > 0, "labels are late")
			before, usual, against, all := bytesOf(t, l), map[[2]int]float64{}, 0, 0
			for i, r := range m.records {
				for class := range max(1, len(l.Schema.Target.Classes)) {
					f, x, err := l.Explain(r, 3, class)
					filetest.Check(t, err)
					name := fmt.Sprintf("%s, late %d, row %d", target, late, i)
					sum := x.UsualRow + x.CameLast + x.Others
					for _, line := range x.Lines {
						sum += line.Adds
					}
					filetest.Near(t, sum, x.Value, 1e-9, "%s: the sum", name)
					filetest.Near(t, x.Value, logOdds(l, &f, class), 1e-9, "%s: the value", name)
					at := [2]int{class, novelty.Tier(f.Novelty)}
					if target != "two" {
						at[1] = 0 // no curve
					}
					if _, ok := usual[at]; !ok {
						usual[at] = x.UsualRow
					}
					filetest.Near(t, x.UsualRow, usual[at], 1e-9, "%s: a usual row", name)
					first, value := x.Lines[0], x.Value
					if other := *first.IfUsual; target == "number" {
						value -= other
					} else {
						value -= math.Log(other / (1 - other))
					}
					if all++; value*first.Adds > 0 {
						against++
					}
				}
			}
			filetest.True(t, float64(against) >= 0.97*float64(all), "%s: %d of %d first lines have the right sign", target, against, all)
			filetest.True(t, bytes.Equal(before, bytesOf(t, l)), "%s: an explanation changed the learner", target)
		}
	}
}

// A pair's contribution to a number depends on its two fields alone. The rest of a line, without half of its pairs, depends on its own
// field alone. So no term goes to another column.
func TestLinesAreOfTheirColumns(t *testing.T) {
	l, m := explained(t, "number", 2000, 2, false, nil)
	a, b := m.records[0], m.records[1]
	adds := func(r []string) map[[2]string]float64 {
		_, x, err := l.Explain(r, 99, -1)
		filetest.Check(t, err)
		filetest.Want(t, [2]int{len(x.Lines), len(x.Pairs)}, [2]int{5, 10}, "lines and pairs")
		parts := map[[2]string]float64{}
		for _, line := range x.Lines {
			filetest.Want(t, line.Field, r[slices.Index(m.columns, line.Column)], "the field of %s", line.Column)
			parts[[2]string{line.Column}] += line.Adds
		}
		for _, pair := range x.Pairs {
			parts[[2]string{pair.Column, pair.With}] = pair.Adds
			parts[[2]string{pair.Column}] -= pair.Adds / 2
			parts[[2]string{pair.With}] -= pair.Adds / 2
		}
		return parts
	}
	was := adds(a)
	for i, column := range m.columns[:5] {
		one := slices.Clone(a)
		one[i] = b[i]
		for name, now := range adds(one) {
			if slices.Contains(name[:], column) {
				filetest.True(t, now != was[name], "%s of another row: %q stays", column, name)
			} else {
				filetest.Near(t, now, was[name], 1e-9, "%s of another row: %q", column, name)
			}
		}
	}
}

// A usual row is in the middle of the rows, so the lines of a column are small on average, also after the numbers have changed their unit.
func TestUsualRowIsInTheMiddle(t *testing.T) {
	l, _ := explained(t, "number", 4000, 0, false, nil)
	m := makeStream(4000, "number")
	for i, r := range m.records {
		y := filetest.Must(strconv.ParseFloat(r[5], 64))(t)
		if r[5] = strconv.FormatFloat(1000*y, 'f', 2, 64); i < 1200 {
			step(t, l, r)
		}
	}
	means, sizes := map[string]float64{}, map[string]float64{}
	for _, r := range m.records[1200:1800] {
		_, x, err := l.Explain(r, 9, -1)
		filetest.Check(t, err)
		for _, line := range x.Lines {
			means[line.Column] += line.Adds / 600
			sizes[line.Column] += math.Abs(line.Adds) / 600
		}
	}
	for _, name := range []string{"user", "item"} { // the others tell little
		filetest.True(t, math.Abs(means[name]) < 0.1*sizes[name], "%s: lines of mean %g and mean size %g", name, means[name], sizes[name])
	}
}

// The mean size of a column's line that a model keeps is about the mean over many explanations, of the likeliest class too.
func TestSizesOfLines(t *testing.T) {
	for _, target := range targets[:3] {
		l, m := explained(t, target, 6000, 1000, false, nil)
		sizes := map[string]float64{}
		for _, r := range m.records {
			_, x, err := l.Explain(r, 9, -1)
			filetest.Check(t, err)
			for _, line := range x.Lines {
				sizes[line.Column] += math.Abs(line.Adds) / 1000
			}
		}
		for _, c := range l.Inspect().Columns[:3] { // the others tell little, and told more when the model was young
			filetest.Near(t, c.Adds, sizes[c.Name], 0.2*sizes[c.Name], "%s, %s: the mean size", target, c.Name)
		}
	}
}

// The lines of a count are what its mean loses if a field is empty.
func TestReasonsOfACount(t *testing.T) {
	l, m := explained(t, "count", 1500, 1, false, nil)
	mean := func(r []string) (mean float64) {
		filetest.Check(t, l.Distribution(r, func(d count.Distribution) { mean = d.Mean() }))
		return mean
	}
	_, x, err := l.Explain(m.records[0], 2, -1)
	filetest.Check(t, err)
	filetest.Want(t, len(x.Lines), 2, "lines")
	filetest.Want(t, x.Value, mean(m.records[0]), "the mean")
	for _, line := range x.Lines {
		r := slices.Clone(m.records[0])
		r[slices.Index(m.columns, line.Column)] = ""
		filetest.Want(t, *line.IfEmpty, mean(r), "%s empty", line.Column)
		filetest.Want(t, line.Adds, x.Value-*line.IfEmpty, "what %s adds", line.Column)
	}
}

// A moment has the first forecast after the moment before, whatever becomes of its record's memory. A record that is only explained has
// none.
func TestForecastOfAMoment(t *testing.T) {
	l, m := explained(t, "two", 300, 2, false, nil)
	l.Moment()
	_, _, err := l.Explain(m.records[1], 1, -1)
	filetest.Check(t, err)
	r := slices.Clone(m.records[0])
	want := Told{m.records[0], filetest.Must(l.Predict(r))(t)}
	r[0] = "another"
	filetest.Must(l.Predict(m.records[1]))(t)
	filetest.Want(t, *l.Moment().Forecast, want, "the forecast")
}
