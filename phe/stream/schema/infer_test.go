package schema

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

func inferred(t *testing.T, n int, h Hints, columns map[string]func(i int) string, order ...string) (Schema, error) {
	t.Helper()
	sample := make([][]string, n)
	for i := range sample {
		for _, name := range order {
			sample[i] = append(sample[i], columns[name](i))
		}
	}
	return Infer(order, sample, h)
}

// inferredColumn infers a column from n records, with another column and the target.
func inferredColumn(t *testing.T, n int, name string, field, label func(i int) string) Column {
	t.Helper()
	other := func(i int) string { return fmt.Sprint("o", i%3) }
	columns := map[string]func(i int) string{name: field, "other": other, "y": label}
	return filetest.Must(inferred(t, n, Hints{Target: "y"}, columns, name, "other", "y"))(t).Columns[0]
}

func label(i int) string { return []string{"no", "yes"}[i*i%7%2] }

// mixed is a number of six digits that never comes twice and does not rise.
func mixed(i int) string { return fmt.Sprint(100003 + i*7919%104729) }

// Infer finds the kind of each column.
func TestInferKinds(t *testing.T) {
	for _, test := range []struct {
		name  string
		field func(i int) string
		kind  Kind
		note  string
	}{
		{"words", func(i int) string { return "w" + fmt.Sprint(i%9) }, Category, ""},
		{"codes with zeros", func(i int) string { return fmt.Sprintf("%05d", i%50) }, Category, ""},
		{"userId", func(i int) string { return fmt.Sprint(i % 50) }, Category, "name"},
		{"customer_id", func(i int) string { return fmt.Sprint(i % 50) }, Category, "name"},
		{"age", func(i int) string { return fmt.Sprint(20 + i%50) }, Both, ""},
		{"flag", func(i int) string { return fmt.Sprint(i % 2) }, Category, ""},
		{"price", func(i int) string { return fmt.Sprintf("%d.99", i%20) }, Both, ""},
		{"price in euros", func(i int) string { return fmt.Sprintf("%d,99", i%20) }, Both, ""},
		{"price with sign", func(i int) string { return fmt.Sprintf("$%d,000.50", i%20+1) }, Both, ""},
		{"weight", func(i int) string { return fmt.Sprintf("%.6f", 1/float64(i+3)) }, Number, "once"},
		{"mostly numbers", func(i int) string {
			if i%40 == 0 {
				return "unknown"
			}
			return fmt.Sprintf("%d.5", i%30)
		}, Both, ""},
		{"when", func(i int) string { return fmt.Sprintf("2026-01-%02d %02d:00:00", 1+i%28, i%24) }, Time, "hour and weekday"},
		{"day", func(i int) string { return fmt.Sprintf("%d/%d/2026", 1+i%12, 1+i%28) }, Time, "weekday"},
		{"timestamp", func(i int) string { return fmt.Sprint(1700000000 + 61*i) }, Time, ""},
		{"created_at", func(i int) string { return fmt.Sprint(1700000000000 + 61000*int64(i)) }, Time, ""},
		{"row", func(i int) string { return fmt.Sprint(i) }, Dropped, "twice"},
		{"uuid", func(i int) string { return fmt.Sprintf("%08x-%04x", i*2654435761%4294967296, i) }, Dropped, "twice"},
		{"text", func(i int) string { return fmt.Sprint("a long remark, number ", i) }, Dropped, "twice"},
		{"title", func(i int) string { return fmt.Sprint("a long remark, number ", i/2) }, Category, TextNote},
		{"remark", func(i int) string { return fmt.Sprint("a long remark, number ", i) }, Dropped, "a name of the row; " + TextNote},
		{"order_id", mixed, Dropped, "no value comes twice"},
		{"user.id", mixed, Dropped, "no value comes twice"},
		{"shop/user/id", mixed, Dropped, "no value comes twice"},
		{"userID#", mixed, Dropped, "no value comes twice"},
		{"Order No.", mixed, Dropped, "no value comes twice"},
		{"order no", func(i int) string { return []string{"", "A"}[i%2] + mixed(i) }, Dropped, "no value comes twice"},
		{"population", mixed, Number, "once"},
		{"paid", mixed, Number, "once"},
		{"latitude", func(i int) string { return "48." + mixed(i) }, Number, "once"},
		{"empty", func(int) string { return "" }, Dropped, "empty"},
		{"constant", func(int) string { return "EU" }, Category, ""},
		{"copy", func(i int) string { return strings.ToUpper(label(i)) }, Dropped, "gives the target away"},
		{"paid", func(i int) string { return map[string]string{"yes": "12.5", "no": "0."}[label(i)] + fmt.Sprint(i%3) }, Dropped,
			"gives the target away"},
		{"nearly a copy", func(i int) string {
			if i == 100 {
				return "MAYBE"
			}
			return strings.ToUpper(label(i))
		}, Category, ""},
	} {
		c := inferredColumn(t, 200, test.name, test.field, label)
		filetest.Want(t, c.Kind, test.kind, "the kind of %s (%s)", test.name, c.Note)
		filetest.WantWords(t, c.Note, test.note)
	}
}

// A column of text that comes once for each row is left out. With a separator it is no name of its row.
// The error names it if no column is left.
func TestOnlyText(t *testing.T) {
	columns := map[string]func(int) string{"remark": func(i int) string { return fmt.Sprint("a long remark, number ", i) }, "y": label}
	_, err := inferred(t, 200, Hints{Target: "y"}, columns, "remark", "y")
	filetest.WantError(t, err, `no column is left to learn from, and "remark" holds text: the separator " " makes items of its words`)
	s, err := inferred(t, 200, Hints{Target: "y", Multi: map[string]string{"remark": " "}}, columns, "remark", "y")
	filetest.Check(t, err)
	c := s.Columns[0]
	filetest.Want(t, fmt.Sprint(c.Kind, c.Note, c.Once), "category0", "kind, note and rows without a repeat")
}

// Infer drops a column that is written after the target, even if it is not a copy of the target. A column that says much and is known
// before the target stays. It is suspect if all of its frequent values but one go with one class, and chance does not explain that.
func TestInferLeaks(t *testing.T) {
	const rows = 4000
	label := func(i int) string { return []string{"no", "no", "yes"}[i*7919%rows%3] }
	yes := func(i int) bool { return label(i) == "yes" }
	for _, test := range []struct {
		name    string
		field   func(i int) string
		dropped string // "": it stays
		suspect string
	}{
		{"refund", func(i int) string {
			if yes(i) {
				return fmt.Sprintf("%d.%02d", i%40, i%97)
			}
			return ""
		}, "filled for some classes", ""},
		{"reason", func(i int) string {
			if yes(i) {
				return []string{"too small", "damaged", "late"}[i%3]
			}
			return ""
		}, "each of its values", ""},
		{"copy with an error", func(i int) string {
			if i == 100 {
				return "no"
			}
			return label(i)
		}, "each of its values", ""},
		{"score afterwards", func(i int) string {
			return fmt.Sprintf("%.4f", map[bool]float64{true: 1, false: 0}[yes(i)]+float64(i*31%1000)/900)
		}, "", ""},
		{"score long afterwards", func(i int) string {
			return fmt.Sprintf("%.4f", map[bool]float64{true: 1, false: 0}[yes(i)]+float64(i*31%1000)/999)
		}, "a bound on its numbers", ""},
		{"remark in half of them", func(i int) string {
			if yes(i) && i%2 == 0 {
				return "called " + fmt.Sprint(i%10)
			}
			return ""
		}, "", "each of its values goes with one class, except the empty field"},
		{"smell", func(i int) string { return map[bool]string{true: "foul", false: "none"}[yes(i) != (i%60 == 0)] }, "", ""},
		{"odor", func(i int) string {
			if rare := i < 400 && i%22 == 1; rare || i%2 == 0 { // 19 rows
				return map[bool]string{true: "rare", false: "none"}[rare]
			}
			return map[bool]string{true: "foul", false: "sweet"}[yes(i)]
		}, "", `each of its values goes with one class, except "none"`},
		{"a tenth rare", func(i int) string { return []string{label(i), fmt.Sprint(i / 10 % 50)}[max(0, i%10-8)] }, "", ""},
		{"two mixed values", func(i int) string { return []string{"none", "some", label(i)}[i%3] }, "", ""},
		{"chance", func(i int) string { // 24 rows of no, which two rows in three have: 24 ln 1.5 = 10
			return map[bool]string{true: "seldom"}[label(i) == "no" && i%1000 < 9]
		}, "", ""},
		{"customer", func(i int) string { return fmt.Sprint(label(i), i%5) }, "", "one class; leave"}, // ten names, each all of one class
		{"constant", func(int) string { return "EU" }, "", ""},
		{"order", func(i int) string { return fmt.Sprintf("o%d", max(i, 30)) }, "hardly a value", ""},
	} {
		c := inferredColumn(t, rows, test.name, test.field, label)
		filetest.Want(t, c.Kind == Dropped, test.dropped != "", "%s is dropped", test.name)
		filetest.Want(t, c.Suspect != "", test.suspect != "", "%s is suspect", test.name)
		filetest.WantWords(t, c.Note+c.Suspect, test.dropped, test.suspect)
	}
}

// A column that gives one of several classes away is dropped, however many there are. Rare classes do not hide it.
func TestInferLeaksOfManyClasses(t *testing.T) {
	for _, classes := range []int{3, 23} {
		class := func(i int) int { return i * 7919 % 4001 % classes } // and the last one is rare
		label := func(i int) string {
			if i%997 == 3 {
				return "rare"
			}
			return fmt.Sprint("c", class(i))
		}
		one := func(is, not string) func(i int) string {
			return func(i int) string { return map[bool]string{true: is + fmt.Sprint(i%9), false: not}[label(i) == "c1"] }
		}
		for _, test := range []struct {
			name    string
			field   func(i int) string
			dropped string // "": it stays
		}{
			{"reason", one("reason ", ""), "filled for some classes"},
			{"reason of R", one("reason ", "NA"), "filled for some classes"},
			{"grade", one("grade ", "none"), ""},
			{"translated", func(i int) string { return "klasse " + label(i) }, "each of its values"},
			{"number", func(i int) string { return fmt.Sprintf("%.2f", float64(class(i)*5%classes)+float64(i%97)/100) },
				"a bound on its numbers"},
			{"number that overlaps", func(i int) string { return fmt.Sprintf("%.2f", float64(class(i))+float64(i%97)/60) }, ""},
			{"number that parts one class", func(i int) string { return fmt.Sprintf("%.2f", float64(min(class(i), 1))+float64(i%97)/100) },
				""},
		} {
			c := inferredColumn(t, 2000, test.name, test.field, label)
			filetest.Want(t, c.Kind == Dropped, test.dropped != "", "of %d classes, %s is dropped", classes, test.name)
			filetest.WantWords(t, c.Note, test.dropped)
		}
	}
}

// Columns that add up to the target are dropped. What has other weights, or noise, is worth learning.
func TestInferSums(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const rows, others = 400, 20
	names, table := []string{"fee", "a", "b", "c", "gap", "y"}, make([][]string, rows)
	numbers := make([][5]float64, rows) // of a, b, c and gap, and noise
	for i := range rows {
		n := &numbers[i]
		n[0], n[1], n[2], n[4] = 100+math.Round(3000*random.NormFloat64())/100, math.Round(100*random.ExpFloat64()+1)/10,
			float64(1+random.IntN(5)), random.NormFloat64()
		n[3] = math.Round(max(0, 20*random.NormFloat64()))
		gap := strings.TrimPrefix(fmt.Sprint(" ", n[3]), "  0")
		table[i] = []string{"0.5", fmt.Sprint(n[0]), fmt.Sprint(n[1]), fmt.Sprint(n[2]), gap, ""}
		for range others {
			table[i] = append(table[i], fmt.Sprintf("%.2f", random.NormFloat64()))
		}
	}
	for i := range others {
		names = append(names, fmt.Sprint("x", i))
	}
	for _, test := range []struct {
		name   string
		target string
		y      func(n [5]float64) float64
		want   string // columns that are dropped
	}{
		{"sum", "y", func(n [5]float64) float64 { return n[0] + n[1] }, "a b"},
		{"in cents, and shifted", "y", func(n [5]float64) float64 { return 100*(n[0]-n[1]+n[2]) + 7 }, "a b c"},
		{"rounded", "y", func(n [5]float64) float64 { return math.Round(n[0] + n[1]) }, "a b"},
		{"less what may be empty", "y", func(n [5]float64) float64 { return n[0] - n[3] }, "a gap"},
		{"condition on a sum", "y>=120", func(n [5]float64) float64 { return n[0] + n[1] }, "a b"},
		{"logarithm of a sum", "log1p(y)", func(n [5]float64) float64 { return max(0, n[1]+n[2]) }, "b c"},
		{"weights", "y", func(n [5]float64) float64 { return 2*n[0] + 3*n[1] }, ""},
		{"noise", "y", func(n [5]float64) float64 { return n[0] + n[1] + 2*n[4] }, ""},
		{"a few huge numbers", "y", func(n [5]float64) float64 { return n[4] }, ""},
	} {
		for i, n := range numbers {
			table[i][5], table[i][1], table[i][2] = fmt.Sprint(test.y(n)), fmt.Sprint(n[0]), fmt.Sprint(n[1])
			if test.name == "a few huge numbers" && i%300 == 7 {
				table[i][1+i/300], table[i][5] = "1e7", "1e7"
			}
		}
		s := filetest.Must(Infer(names, table, Hints{Target: test.target}))(t)
		var got []string
		for _, c := range s.Columns {
			if c.Kind == Dropped {
				got = append(got, c.Name)
			}
		}
		filetest.Want(t, strings.Join(got, " "), test.want, "%s: columns that are dropped", test.name)
	}
}

// A table's only column stays, even if it gives the target away.
func TestInferKeepsTheOnlyColumn(t *testing.T) {
	s := filetest.Must(inferred(t, 200, Hints{Target: "y"}, map[string]func(i int) string{"x": label, "y": label}, "x", "y"))(t)
	filetest.Want(t, s.Columns[0].Kind, Category, "the only column's kind")
	filetest.WantWords(t, s.Columns[0].Note, "no other column is left")
}

// A few records say nothing about repetition, so no column is dropped for it.
func TestInferFewRecords(t *testing.T) {
	s := filetest.Must(inferred(t, 3, Hints{Target: "y"},
		map[string]func(i int) string{
			"name": func(i int) string { return fmt.Sprint("n", i) },
			"y":    func(i int) string { return fmt.Sprint(i % 2) },
		}, "name", "y"))(t)
	filetest.Want(t, s.Columns[0].Kind, Category, "the column's kind")
}

// The kind of the target follows from its labels and from the user's hints.
func TestInferTargets(t *testing.T) {
	text := func(labels ...string) func(i int) string {
		return func(i int) string { return labels[i%len(labels)] }
	}
	sixtyFour := Other
	for i := range 64 {
		sixtyFour = fmt.Sprint("c", 163-i, " ", sixtyFour)
	}
	for _, test := range []struct {
		name    string
		hints   Hints
		field   func(i int) string
		kind    TargetKind
		classes string
		problem string
	}{
		{"two words", Hints{Target: "y"}, text("b", "a"), Classes, "a b", ""},
		{"0 and 1", Hints{Target: "y"}, text("1", "0"), Classes, "0 1", ""},
		{"several words", Hints{Target: "y"}, text("b", "c", "a"), Classes, "a b c " + Other, ""},
		{"whole numbers, few", Hints{Target: "y"}, text("10", "9", "2"), Classes, "2 9 10 " + Other, ""},
		{"numbers and words", Hints{Target: "y"}, text("9", "1a", "10", "-", "2b", "100"), Classes, "- 9 10 100 1a 2b " + Other, ""},
		{"stars that have no halves yet", Hints{Target: "y"}, text("4.0", "3.0", "5.0"), Amount, "", ""},
		{"stars with halves", Hints{Target: "y"}, text("4", "3.5", "5"), Amount, "", ""},
		{"whole numbers, many", Hints{Target: "y"}, func(i int) string { return fmt.Sprint(i % 37) }, Amount, "", ""},
		{"as a count", Hints{Target: "y", As: Count}, text("0", "3"), Count, "", ""},
		{"as classes", Hints{Target: "y", As: Classes}, text("4.0", "3.5", "5.0"), Classes, "3.5 4.0 5.0 " + Other, ""},
		{"named classes", Hints{Target: "y", Classes: []string{"yes", "no"}}, text("no", "yes"), Classes, "yes no", ""},
		{"one named class of two", Hints{Target: "y", Classes: []string{"yes"}}, text("no", "yes"), "", "", "has 1 classes; it needs 2"},
		{"a comparison", Hints{Target: "y >= 3"}, text("1", "3"), Classes, "no y >= 3", ""},
		{"a class", Hints{Target: "y=b"}, text("a", "b", "c"), Classes, "no y=b", ""},
		{"a logarithm", Hints{Target: "log2(y)"}, text("1", "3"), Amount, "", ""},
		{"one class", Hints{Target: "y"}, text("a"), "", "", "in all of the first"},
		{"empty", Hints{Target: "y"}, text(""), "", "", "is empty"},
		{"mistyped", Hints{Target: "Y1"}, text("a", "b"), "", "", `did you mean "y"`},
		{"none", Hints{}, text("a", "b"), "", "", "such as y"},
		{"a comparison with a word", Hints{Target: "y>many"}, text("1", "2"), "", "", "compares with no number"},
		{"a comparison and classes", Hints{Target: "y>1", Classes: []string{"a", "b"}}, text("1", "2"), "", "", "leave out other classes"},
		{"64 classes and others", Hints{Target: "y", As: Classes}, func(i int) string { return fmt.Sprint("c", 100+i%64) },
			Classes, sixtyFour, ""},
		{"65 classes", Hints{Target: "y"}, func(i int) string { return fmt.Sprint("c", i%65) }, "", "",
			"has 65 classes; it needs 2 to 64. Name those that matter and (other)"},
		{"an unknown column", Hints{Target: "y", Kinds: map[string]Kind{"x1": Dropped}}, text("a", "b"), "", "",
			`"x1" is no column; did you mean "x"?`},
		{"the target as the weight", Hints{Target: "y>1", Kinds: map[string]Kind{"y": Weight}}, text("1", "2"), "", "",
			`column "y" is given as target and as weight; give it once`},
		{"the target as the id", Hints{Target: "y", Kinds: map[string]Kind{"y": ID}}, text("1", "2"), "", "", "as target and as id"},
		{"the target is left out", Hints{Target: "log(y)", Kinds: map[string]Kind{"y": Dropped}}, text("1", "2"), Amount, "", ""},
	} {
		columns := map[string]func(i int) string{"x": func(i int) string { return fmt.Sprint("x", i*i%5) }, "y": test.field}
		s, err := inferred(t, 200, test.hints, columns, "x", "y")
		if test.problem != "" {
			filetest.WantError(t, err, test.problem)
			continue
		}
		filetest.Check(t, err)
		filetest.Want(t, s.Target.Kind, test.kind, "the kind of %s", test.name)
		filetest.Want(t, strings.Join(s.Target.Classes, " "), test.classes, "the classes of %s", test.name)
	}
}

// Numbers far from 0 get bins of their own, since one logarithmic bin would hold all of them.
func TestEdges(t *testing.T) {
	columns := map[string]func(i int) string{
		"year":      func(i int) string { return fmt.Sprint(1990 + i%30) },
		"longitude": func(i int) string { return fmt.Sprintf("%.3f", 151+float64(i%50)/100) },
		"price":     func(i int) string { return fmt.Sprintf("%.2f", float64(i%50)+0.5) },
		"y":         label,
	}
	s := filetest.Must(inferred(t, 300, Hints{Target: "y"}, columns, "year", "longitude", "price", "y"))(t)
	for i, want := range []bool{true, true, false} {
		c := s.Columns[i]
		filetest.Want(t, len(c.Edges) > 0, want, "%s has edges", c.Name)
	}
}

// A sample has four million fields and 256 MiB of text at most before its last record.
func TestFirstIsBounded(t *testing.T) {
	for _, c := range []struct{ fields, bytes, want int }{{400_001, 0, 10}, {1, 100 << 20, 3}, {1, 1, Sample}} {
		record, left := slices.Repeat([]string{strings.Repeat("x", c.bytes)}, c.fields), c.want+1
		sample := filetest.Must(First(func() ([]string, error) {
			if left--; left < 0 {
				return nil, io.EOF
			}
			return record, nil
		}, nil, Sample))(t)
		filetest.Want(t, len(sample), c.want, "records of %d fields of %d bytes", c.fields, c.bytes)
	}
}

// A count is a whole number from 0 to 2⁵⁰.
func TestCount(t *testing.T) {
	for field, isOne := range map[string]bool{"2.5": false, "-1": false, "1125899906842625": false, "1125899906842624": true} {
		_, known, err := Target{Column: "y", Kind: Count}.Parse(field)
		filetest.True(t, known == isOne && (err == nil) == isOne, "%s: known %t, %v", field, known, err)
	}
}

func TestSchemaErrors(t *testing.T) {
	two := Target{Column: "y", Kind: Classes, Classes: []string{"no", "yes"}}
	x, y := Column{Name: "x", Kind: Category}, Column{Name: "y", Kind: Label}
	opponent := Column{Name: "z", Kind: Category, Same: "x", Opposite: true}
	weighted := func(class string, weight float64) Target {
		return Target{Column: "y", Kind: Classes, Classes: []string{"a", "b"}, Weights: map[string]float64{class: weight}}
	}
	for problem, s := range map[string]struct {
		Target  Target
		Columns []Column
	}{
		"appears twice":             {two, []Column{x, x, y}},
		"without a name":            {two, []Column{{Kind: Category}, y}},
		"of kind \"odd\"":           {two, []Column{{Name: "x", Kind: "odd"}, y}},
		"no column is left":         {two, []Column{{Name: "x", Kind: Dropped}, y}},
		"make it \"target\"":        {two, []Column{x, {Name: "y", Kind: Category}}},
		"the target \"y\" is no":    {two, []Column{x}},
		"has a separator":           {two, []Column{{Name: "x", Kind: Number, Separator: "|"}, y}},
		"they must ascend":          {two, []Column{{Name: "x", Kind: Number, Edges: []float64{2, 1}}, y}},
		"name a layout":             {two, []Column{{Name: "x", Kind: Time}, y}},
		"derives \"year\"":          {two, []Column{{Name: "x", Kind: Time, Layout: unix, Derived: []string{"year"}}, y}},
		"which is no column":        {two, []Column{{Name: "x", Kind: Category, Same: "z"}, y}},
		"must have its own":         {two, []Column{{Name: "x", Kind: Category, Same: "x"}, y}},
		"2 columns of kind \"id\"":  {two, []Column{x, {Name: "a", Kind: ID}, {Name: "b", Kind: ID}, y}},
		"needs 2 to 64":             {Target{Column: "y", Kind: Classes, Classes: []string{"a"}}, []Column{x, y}},
		"they must differ":          {Target{Column: "y", Kind: Classes, Classes: []string{"a", "a"}}, []Column{x, y}},
		"is not one of the classes": {weighted("c", 2), []Column{x, y}},
		"weights are positive":      {weighted("b", 0), []Column{x, y}},
		"choose log2":               {Target{Column: "y", Kind: Amount, Transform: "exp"}, []Column{x, y}},
		"counts negatively":         {Target{Column: "y", Kind: Classes, Classes: []string{"a", "b", "c"}}, []Column{x, opponent, y}},
	} {
		filetest.WantError(t, Schema{Target: s.Target, Columns: s.Columns}.Validate(), problem)
	}
	unknown := `{"target": {"column": "y", "kind": "number"}, "colums": []}`
	filetest.WantError(t, filetest.Failure(Parse([]byte(unknown))), "colums")
}
