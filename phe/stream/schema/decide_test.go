package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gophe/phe/count"
	"gophe/phe/disk/filetest"
)

// few returns a field in some of 1,000 rows, and the fields of another function in all others.
func few(n int, odd string, others func(i int) string) func(i int) string {
	return func(i int) string {
		if i%(1000/n) == 0 && i/(1000/n) < n {
			return odd
		}
		return others(i)
	}
}

// The first rows choose how a column is read, by shares of them and never by one cell.
func TestReadings(t *testing.T) {
	format := func(format string) func(int) string {
		return func(i int) string { return fmt.Sprintf(format, float64(i%700)/40) }
	}
	days := func(i int) string { return fmt.Sprintf("2026-03-%02d", 1+i%28) }
	truths := func(i int) string { return []string{"True", "FALSE", "true"}[i%3] }
	half := func(i int) string {
		return strings.TrimSuffix(strings.TrimSuffix(fmt.Sprintf("%.2f", float64(i%91)/10), strings.Repeat("0", i%2)), ".")
	}
	thousands := func(i int) string { return fmt.Sprintf("%d,%03d", 1+i%9, i%997) }
	for _, test := range []struct {
		column string
		field  func(i int) string
		want   Reading
		comma  bool
	}{
		{"one 0%", few(1, "0%", format("%.2f%%")), Numbers, false}, {"one 0E-8", few(1, "0E-8", format("%g")), Numbers, false},
		{"one word", few(1, "free", format("%g")), Numbers, false}, {"96 % numbers", few(40, "free", format("%g")), Numbers, false},
		{"94 % numbers", few(62, "free", format("%g")), Text, false}, {"a third marks", few(333, "NA", format("%g")), Numbers, false},
		{"some names", few(9, "007", format("%.0f")), Numbers, false}, {"names", few(20, "007", format("%.0f")), Text, false},
		{"marks", func(int) string { return "None" }, Numbers, false}, {"truth", truths, Truth, false},
		{"truths and one 1", few(1, "1", truths), Truth, false}, {"94 % truths", few(62, "maybe", truths), Text, false},
		{"yes", func(i int) string { return []string{"yes", "no"}[i%2] }, Text, false}, {"days", days, Times, false},
		{"days and NaT", few(100, "NaT", days), Times, false}, {"dash", few(995, "-", format("%g")), Text, false},
		{"price", half, Numbers, false}, {"conversion", half, Numbers, false}, {"version", half, Versions, false},
		{"appVersion", half, Versions, false}, {"release", format("1%.2f"), Numbers, false},
		{"comma", func(i int) string { return strings.Replace(format("%.3f")(i), ".", ",", 1) }, Numbers, true},
		{"thousands and one comma", few(1, "66,22", thousands), Numbers, false},
		{"thousands and commas", few(100, "66,22", thousands), Numbers, true},
		{"German thousands", few(100, "1.234.567", func(i int) string { return fmt.Sprintf("%d.%03d", 1+i%9, i%997) }), Numbers, true},
	} {
		fields := make([]string, 1000)
		for i := range fields {
			fields[i] = test.field(i)
		}
		p := newProfile(test.column, fields)
		filetest.Want(t, p.as.Reading, test.want, "the reading of %s", test.column)
		filetest.Want(t, p.as.DecimalComma, test.comma, "the comma of %s", test.column)
		if items := len(p.items); test.column == "price" && items != 91 || test.column == "version" && items <= 91 {
			t.Errorf("%s has %d items", test.column, items)
		}
	}
}

// Each column of a schema has a reading: the one that the user asks for, and one for columns that share their items.
func TestReadingOfKinds(t *testing.T) {
	hints := Hints{Target: "y", Kinds: map[string]Kind{"when": Category, "ts": Number, "some": Number, "w": Weight},
		Multi: map[string]string{"tags": " "}, Same: map[string]string{"to": "from"}}
	whole := func(i int) string { return fmt.Sprint(i % 9) }
	s := filetest.Must(inferred(t, 1000, hints, map[string]func(int) string{
		"when": func(i int) string { return fmt.Sprintf("2026-03-%02d", 1+i%28) }, "empty": func(int) string { return "" },
		"some": few(100, "x", whole), "w": few(1, "1,5", whole), "tags": whole, "from": whole,
		"ts": func(i int) string { return fmt.Sprint(1774440000 + i) },
		"to": few(70, "none given", func(i int) string { return whole(i) + ".0" }), "y": few(5, "-", whole),
	}, "when", "ts", "some", "w", "tags", "from", "to", "empty", "y"))(t)
	var got []Reading
	for _, c := range filetest.Must(Parse(filetest.Must(json.Marshal(s))(t)))(t).Columns {
		got = append(got, c.Reading)
	}
	filetest.Want(t, got, []Reading{Text, Numbers, Numbers, Numbers, Text, Numbers, Numbers, Numbers, Verbatim}, "the readings")
	filetest.Want(t, strings.Join(s.Target.Classes, " "), "- 0 1 2 3 4 5 6 7 8 "+Other, "the classes")
	for field, want := range map[string]float64{"-": 0, "1": 2, "1.0": 2, "8e0": 9, "nine": 10} {
		y, known, err := s.Target.Parse(field)
		filetest.Check(t, err)
		filetest.Want(t, y, want, "the class of %s", field)
		filetest.True(t, known, "%s is not known", field)
	}
	_, known, err := s.Target.Parse("NA")
	filetest.Check(t, err)
	filetest.True(t, !known, "NA is a class")
	for i, wrong := range []Reading{"digits", Times, "digits"} {
		list := `["text" "numbers" "numbers, zeros kept" "truth" "times"]`
		one := s
		one.Columns = slices.Clone(s.Columns)
		if i < 2 {
			one.Columns[0].Reading = wrong
		} else {
			one.Target.Reading = wrong
		}
		filetest.WantError(t, one.Validate(), []string{list, "make it one", list}[i])
	}
}

// Numbers above 0 whose deviation is more than 1.5 means get a suggestion, and only these.
func TestHeavyTarget(t *testing.T) {
	for _, test := range []struct {
		target string
		number func(i int) float64
		want   string
	}{
		{"sum", func(i int) float64 { return math.Pow(10, float64(i%5)) }, "sum reaches from 1 to 1e+04; the target log(sum)"},
		{"sum", func(i int) float64 { return math.Pow(10, float64(i%5)) - 1 }, ""}, // 0 has no logarithm
		{"sum", func(i int) float64 { return float64(1 + i%20*50) }, ""},
		{"log(sum)", func(i int) float64 { return math.Pow(10, float64(i%5)) }, ""},
	} {
		fields := map[string]func(int) string{"sum": func(i int) string { return fmt.Sprint(test.number(i)) },
			"shop": func(i int) string { return fmt.Sprint("S", i%3) }}
		s := filetest.Must(inferred(t, 200, Hints{Target: test.target, As: "number"}, fields, "sum", "shop"))(t)
		filetest.True(t, strings.HasPrefix(s.Target.Note, test.want), "%s: %q", test.target, s.Target.Note)
		filetest.Want(t, s.Target.Note == "", test.want == "", "%s has no note", test.target)
	}
}

// A count in the last cell of package count is warned of.
func TestHugeCount(t *testing.T) {
	cells := count.Octaves()
	filetest.Want(t, cells.First(cells.Len()-1), lastCell, "the first count of the last cell")
	for most, want := range map[int]string{1 << 20: "", 1<<20 + 1: "visits reaches 1.05e+06, and the intervals of counts above 1,048,576 " +
		"are too narrow; the target log1p(visits) has no such bound"} {
		fields := map[string]func(int) string{"visits": few(1, fmt.Sprint(most), func(i int) string { return fmt.Sprint(i % 9) }),
			"shop": func(i int) string { return fmt.Sprint("S", i%3) }}
		s := filetest.Must(inferred(t, 200, Hints{Target: "visits", As: Count}, fields, "visits", "shop"))(t)
		filetest.Want(t, s.Target.Note, want, "the note of %d", most)
	}
}

// A condition compares values. One that the first rows always give the same answer is warned of.
func TestConditionsOnValues(t *testing.T) {
	fields := map[string]func(int) string{"flag": func(i int) string { return []string{"True", "False"}[i%2] },
		"shop":  func(i int) string { return fmt.Sprint("S", i%3) },
		"preis": few(200, "2,5", func(i int) string { return fmt.Sprintf("%d,%03d", 1+i%9, i%10) })}
	for condition, want := range map[string]string{"flag=true": "", "flag=1": "", "preis>=2.5": "", "preis=2,50": "", "shop=S1": "",
		"shop= S1":   "",
		"shop=s1":    `no row of the first 200 has shop=s1; the column holds "S0", "S1", "S2"`,
		"preis<9000": `each row of the first 200 has preis<9000`, "flag=NA": "no row"} {
		s := filetest.Must(inferred(t, 200, Hints{Target: condition}, fields, "flag", "preis", "shop"))(t)
		filetest.WantWords(t, s.Target.Note, want)
		filetest.Want(t, s.Target.Note == "", want == "", "%s has no note", condition)
		c := filetest.Must(Where(condition, []string{"flag", "preis", "shop"}))(t)
		c.Fit(s)
		for i := range 20 {
			record := []string{fields["flag"](i), fields["preis"](i), fields["shop"](i)}
			y, _, _ := s.Target.Parse(record[c.Place])
			filetest.Want(t, c.Holds(record), y == 1, "%s of %q, and as a target %v", condition, record, y)
		}
	}
}

// A value that is read again stays, and its number is the field's. It has a decimal point.
func TestValueTwice(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 30_000 {
		field := make([]rune, 1+random.IntN(12))
		for i := range field {
			field[i] = []rune("000123456789.,.,-+eE $%'()NATx\u00a0\u2009\u2212\u0308")[random.IntN(32)]
		}
		for _, c := range []Column{{Reading: Text}, {Reading: Numbers}, {Reading: Numbers, DecimalComma: true}, {Reading: Versions},
			{Reading: Truth}, {Reading: Times}} {
			value, ok := c.Value(string(field))
			x, isNumber := c.Number(string(field))
			c.DecimalComma = false
			again, okAgain := c.Value(value)
			y, alsoNumber := c.Number(value)
			if again != value || ok != okAgain || c.Reading == Numbers &&
				(isNumber != alsoNumber || x != y || isNumber != (ok && value != "")) {
				t.Fatalf("%+v reads %q as %q, %t, %v, and that as %q, %t, %v", c, string(field), value, ok, x, again, okAgain, y)
			}
		}
	}
}

// A number of few digits has the bits that strconv gives it.
func TestParseDigits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	check := func(s string) {
		want, err := strconv.ParseFloat(s, 64)
		got, _, ok := simple(s, false)
		likeGo := strings.Contains(s, "_") // strconv reads Go's 1_000
		if ok && (err != nil || math.Float64bits(got) != math.Float64bits(want)) || !ok && err == nil && len(s) < 15 && !likeGo {
			t.Fatalf("%q is %g, %t; strconv says %g, %v", s, got, ok, want, err)
		}
	}
	for range 200_000 {
		s := fmt.Sprint(random.Int64N(int64(math.Pow(10, float64(random.IntN(18)))) + 1))
		if n := random.IntN(len(s) + 1); random.IntN(2) == 0 {
			s = s[:n] + "." + s[n:]
		}
		if random.IntN(3) == 0 {
			s = "-" + s
		}
		check(s)
	}
	for _, s := range []string{"", "-", ".", "-.", "0", "-0", "00012", "1.", ".5", "--1", "1-", "1.2.3",
		"1_000", "٣", "999999999999999", "9999999999999999"} {
		check(s)
	}
}

// A condition compares instants in any layout, and numbers as the column's first rows tell, before a schema is known and after.
func TestConditionComparesValues(t *testing.T) {
	when := func(layout string) func(i int) string {
		return func(i int) string {
			return time.Date(2024, 1, 1, 4*i, 0, 0, 0, time.FixedZone("", 3600)).Format(layout)
		}
	}
	commas := func(i int) string { return fmt.Sprintf("%d,%03d", i/10, i%10*100) }
	for _, test := range []struct {
		condition string
		field     func(i int) string
		want      int // of 200
	}{
		{"x<2024-01-02", when(time.DateTime), 6}, {"x<=2.1.2024", when(time.RFC3339), 7}, {"x>2024-01-02T00:00Z", when(time.RFC3339), 193},
		{"x<2/1/2024", when("02/01/2006 15:04"), 6}, {"x<02/01/24 3:00 PM", when("2.1.2006 15:04"), 0},
		{"x>=02-Jan-2024", when("Jan 2, 2006 15:04"), 194},
		{"x=2024-01-02", when(time.RFC1123Z), 1}, {"x<1704150000", when(time.RFC3339), 6},
		{"x=2024-01-02T01:00+02:00", when("2006-01-02 15:04Z07:00"), 1},
		{"x<3", commas, 30}, {"x=1.5", commas, 1}, {"x>=1,500", commas, 185},
	} {
		sample := [][]string{{"zero", "0,5"}}[:0]
		for i := range 200 {
			sample = append(sample, []string{test.field(i), fmt.Sprint("a", i%7), fmt.Sprint(i % 2)})
		}
		columns := []string{"x", "a", "y"}
		for _, target := range []string{"y", test.condition} {
			c := filetest.Must(Where(test.condition, columns))(t)
			c.Look(sample)
			count := func() (n int) {
				for _, record := range sample {
					if c.Holds(record) {
						n++
					}
				}
				return n
			}
			looked := count()
			hints := Hints{Target: target, Where: c, Kinds: map[string]Kind{"x": Dropped}}
			if target == test.condition {
				hints.Kinds = nil
			}
			s, err := Infer(columns, sample, hints)
			if err != nil && strings.Contains(test.condition, "PM") {
				continue
			}
			filetest.Check(t, err)
			yes := 0.
			for i := 0; target != "y" && i < len(sample); i++ {
				y, _, err := s.Target.Parse(sample[i][0])
				filetest.Check(t, err)
				yes += y
			}
			if c.Fit(s); looked != test.want || count() != test.want || target != "y" && int(yes) != test.want {
				t.Errorf("%s on %q: %d rows, then %d, and %g targets, want %d", test.condition, test.field(0), looked, count(), yes,
					test.want)
			}
		}
	}
}
