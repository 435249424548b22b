package stream

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// sticky returns targets that mostly repeat: a walk of steps of a size, or classes that rarely change. Without a size nothing repeats.
func sticky(t schema.Target, rows int, size float64) (y []float64) {
	r := rand.New(rand.NewPCG(3, uint64(len(t.Classes))))
	for now := 50 * cmp.Or(size, 1); len(y) < rows; y = append(y, now) {
		switch isClass := t.Kind == schema.Classes; {
		case size == 0, isClass && (len(y) == 0 || r.IntN(20) == 0):
			now = float64(r.IntN(cmp.Or(len(t.Classes), 100)))
		case t.Kind == schema.Count:
			now = max(0, now+float64(r.IntN(7))-3)
		case !isClass:
			now += size * r.NormFloat64()
		}
	}
	return y
}

// The verdict says plainly that the base rate or the last target known is ahead of the learner, and only then. This test computes the
// score of the last target itself, after the first tenth of 500 rows. All digits of a column are of one form, and no line is wide.
func TestReportSaysWhatIsBetter(t *testing.T) {
	const rows = 500
	said, kept := 0, 0
	for _, c := range []struct {
		kind    schema.TargetKind
		classes []string
		size    float64
		delay   int
	}{
		{schema.Amount, nil, 1, 0}, {schema.Amount, nil, 1e6, 90}, {schema.Amount, nil, 1e-4, 3},
		{schema.Amount, nil, 1e-12, 3}, {schema.Count, nil, 1, 0},
		{schema.Count, nil, 1, 60},
		{schema.Classes, []string{"no", "yes"}, 1, 0}, {schema.Classes, []string{"no", "yes"}, 1, 25},
		{schema.Classes, []string{"a", "b", "c"}, 1, 40},
		{schema.Amount, nil, 0, 3}, {schema.Count, nil, 0, 0}, {schema.Classes, []string{"a", "b", "c"}, 0, 3},
	} {
		target := schema.Target{Kind: c.kind, Classes: c.classes}
		l := filetest.Must(New(tableOf(target), Options{Memory: 8 << 10}))(t)
		y, sum := sticky(target, rows, c.size), 0.
		for i, v := range y {
			label := strconv.FormatFloat(v, 'g', -1, 64)
			if c.classes != nil {
				label = c.classes[int(v)]
			}
			filetest.Must(l.StepLate(int64(i), schema.Record{fmt.Sprint(i * i % 17), label}, c.delay))(t)
			if i < rows/10 {
				continue
			}
			last := 0.
			if i > c.delay {
				last = y[i-1-c.delay]
			}
			switch d := math.Abs(v - last); c.kind {
			case schema.Amount:
				sum += d * d
			case schema.Count:
				sum += d
			default:
				sum += min(d, 1) * float64(min(len(c.classes)-1, 2))
			}
		}
		filetest.Must(l.LearnWaiting(0))(t)
		r := l.Report()
		own, base := r.Models[0].Late.Means(), r.Models[len(r.Models)-1].Late.Means()
		last, score, name := sum/(rows-rows/10), own.Brier, "Brier"
		loss, least := own.LogLoss, base.LogLoss
		switch c.kind {
		case schema.Amount:
			last, score, name, loss, least = math.Sqrt(last), own.RMSE, "RMSE", own.RMSE, base.RMSE
		case schema.Count:
			score, name, loss, least = own.MAE, "MAE", own.MAE, base.MAE
		}
		text := fmt.Sprintf("%s late by %d: ", c.kind, c.delay) + r.String()
		worse := regexp.MustCompile(`Ahead of this model.*the last known value of the target \(` + name + ` (\S+) in place`)
		if found := worse.FindStringSubmatch(text); found != nil {
			said++
			filetest.True(t, last < score, "%s %g, of the last value %g, in the report\n%s", name, score, last, text)
			v, err := strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64)
			filetest.True(t, err == nil && math.Abs(v-last) <= max(5e-3*last, 5.1e-5),
				"the last value has %s %g, and the report says\n%s", name, last, text)
		} else {
			kept++
		}
		for says, so := range map[string]bool{"is better than the base rate: ": loss < least, "base rate (": loss > least} {
			filetest.True(t, so || !strings.Contains(text, says), "%g, of the base rate %g, in the report\n%s", loss, least, text)
		}
		evenColumns(t, text)
		var read struct {
			Models []struct {
				Means struct{ Late map[string]float64 }
			}
		}
		filetest.Check(t, json.Unmarshal(filetest.Must(json.Marshal(r))(t), &read))
		means := read.Models[0].Means.Late
		filetest.Want(t, means[strings.ToLower(name)], score, "the mean beside the sums")
	}
	filetest.True(t, said >= 3 && kept >= 2, "the last value was better in %d streams, and not in %d", said, kept)
}

// evenColumns: the numbers of each column of a table have the same number of decimals, and no table is wider than a terminal.
func evenColumns(t *testing.T, text string) {
	t.Helper()
	decimals := map[int]int{}
	for _, line := range strings.Split(text, "\n") {
		cells := regexp.MustCompile(` {2,}`).Split(line, -1)
		if len(cells) < 3 {
			clear(decimals)
			continue
		}
		filetest.True(t, utf8.RuneCountInString(line) <= 80, "%q is wider than 80 columns", line)
		for i, cell := range cells[1:] {
			number := strings.ReplaceAll(strings.TrimSuffix(cell, " %"), ",", "")
			if _, err := strconv.ParseFloat(number, 64); err != nil {
				continue // a head, or a dash
			}
			_, after, _ := strings.Cut(number, ".")
			n, seen := decimals[i]
			filetest.True(t, !seen || n == len(after), "%q has %d decimals where the column has %d:\n%s", cell, len(after), n, text)
			decimals[i] = len(after)
		}
	}
}

// TestJSON: a learner's descriptions can be written as JSON, also before the first row and before the first target.
func TestJSON(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]schema.Target{
		"a b":    {Column: "y", Kind: schema.Classes, Classes: []string{"a", "b"}},
		"a b c":  {Column: "y", Kind: schema.Classes, Classes: []string{"a", "b", "c"}},
		"7 1e30": {Column: "y", Kind: schema.Amount}, "7 12345678": {Column: "y", Kind: schema.Count},
	} {
		for _, joins := range onepass.AllInteractions() {
			s := schema.Schema{Target: target, Columns: []schema.Column{
				{Name: "u", Kind: schema.Category}, {Name: "x", Kind: schema.Number}, {Name: "y", Kind: schema.Label}}}
			l := filetest.Must(New(s, Options{Memory: 64 << 10, Interactions: joins}))(t)
			check := func() {
				t.Helper()
				forecast, item := filetest.Must(l.Predict(schema.Record{"new", "1e308", ""}))(t), filetest.Must(l.Item("u", "new"))(t)
				for _, told := range []any{l.Inspect(), l.Report(), l.Moment(), forecast, item} {
					filetest.Must(json.Marshal(told))(t)
				}
			}
			check()
			for _, y := range append([]string{""}, strings.Fields(name)...) { // at first a row without a target
				_, _, err := l.Step(schema.Record{"u" + y, "-1e300", y})
				filetest.Check(t, err)
				check()
			}
		}
	}
}

// TestLongName: the census keeps the first 200 bytes of a name, and no item has that short name. Inspect must not show the belief about
// another item.
func TestLongName(t *testing.T) {
	s := schema.Schema{Target: schema.Target{Column: "y", Kind: schema.Classes, Classes: []string{"no", "yes"}},
		Columns: []schema.Column{{Name: "page", Kind: schema.Category}, {Name: "y", Kind: schema.Label}}}
	l := filetest.Must(New(s, Options{}))(t)
	long := strings.Repeat("a/", 150)
	for range 20 {
		for _, r := range []schema.Record{{long, "yes"}, {"short", "no"}} {
			filetest.Check(t, l.Learn(r))
		}
	}
	known := filetest.Must(l.Item("page", long))(t)
	filetest.True(t, known.Effect > 0 && known.Spread > 0 && known.Count == 20, "%+v", known)
	list := l.Inspect().Columns[0].Frequent
	filetest.Want(t, len(list), 2, "items of the list")
	filetest.Want(t, list[0], ItemState{Name: list[0].Name, Count: 20}, "the long name")
	filetest.Want(t, len(list[0].Name), 200, "letters of the long name")
	filetest.True(t, list[1].Name == "short" && list[1].Effect < 0 && list[1].Spread > 0, "short name: %+v", list[1])
}

// In a table of few buckets some items share all slots, which hold bucket and sign. An inspection names these and no others.
func TestMergedItems(t *testing.T) {
	s := schema.Schema{Target: schema.Target{Column: "y", Kind: schema.Classes, Classes: strings.Split("abcdefgh", "")},
		Columns: []schema.Column{{Name: "y", Kind: schema.Label}}}
	for c := range 20 {
		s.Columns = append(s.Columns, schema.Column{Name: fmt.Sprint("page", c), Kind: schema.Category})
	}
	l := filetest.Must(New(s, Options{Memory: 1 << 10, Interactions: onepass.None}))(t)
	for i := range 50 {
		filetest.Check(t, l.Learn(append(schema.Record{"a"}, slices.Repeat([]string{fmt.Sprint("p", i)}, 20)...)))
	}
	pairs := 0
	for c, column := range l.Inspect().Columns {
		slots := func(name string) []uint32 { row, _ := l.model.Item(c, name); return row.Slots }
		for i, a := range column.Frequent {
			for _, b := range column.Frequent[:i] {
				together := slices.ContainsFunc(column.Merged, func(g []string) bool {
					return slices.Contains(g, a.Name) && slices.Contains(g, b.Name)
				})
				same := slices.Equal(slots(a.Name), slots(b.Name))
				filetest.Want(t, together, same, "%s: %s and %s are merged", column.Name, a.Name, b.Name)
				if same {
					pairs++
				}
			}
		}
	}
	filetest.True(t, pairs > 0, "no two items share all slots")
}
