package streams

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/phe/onepass"
)

// toy is a stream in which one column decides and another does not.
func toy(head onepass.Head, classes int) *Table {
	const n = 3000
	t := &Table{Name: "toy", Head: head, Classes: classes, Target: make([]float64, n), Columns: []Column{
		items("says", n, func(row int) string { return whole(row * 7 % 40) }),
		items("noise", n, func(row int) string { return whole(row * row % 101) }),
		{Name: "number", Numbers: make([]float64, n)},
	}}
	for row := range n {
		t.Target[row] = float64(row * 7 % 40 % max(2, classes))
	}
	return t
}

// Every model is nearly certain of the toy stream after its first tenth, at every kind of target; the base rate is not.
func TestModelsLearn(t *testing.T) {
	for _, target := range []struct {
		head    onepass.Head
		classes int
		most    float64
	}{{onepass.Bernoulli, 0, 0.1}, {onepass.Gaussian, 0, 0.1}, {onepass.Softmax, 3, 0.15}} {
		table := toy(target.head, target.classes)
		if base := BaseRate(table); base < 0.45 {
			t.Errorf("%s: the base rate's loss is %.3f", target.head, base)
		}
		for _, m := range Models() {
			o, err := Run(table, string(m), m.Config(table, 1<<16))
			if err != nil {
				t.Fatal(err)
			}
			if !(o.Loss > 0 && o.Loss < target.most) {
				t.Errorf("%s, %s: loss %.3f", target.head, m, o.Loss)
			}
		}
		for _, pairs := range []bool{false, true} {
			if loss, weights, err := (OneHot{0.2, pairs}).Run(table); err != nil || !(loss < target.most+0.1) || weights < 90 {
				t.Errorf("%s, one-hot: loss %.3f, %d weights, %v", target.head, loss, weights, err)
			}
		}
	}
}

// Late rows are those after the first tenth, and certain errors are cut.
func TestScore(t *testing.T) {
	table := &Table{Head: onepass.Bernoulli, Target: make([]float64, 20)}
	s := newScore(table)
	for row := range 20 {
		p := 0.5
		switch row {
		case 1:
			p = 0.001 // early
		case 2:
			p = 0
		}
		s.add(row, p, 0, 0)
	}
	if want := (17*math.Ln2 - math.Log(1e-6)) / 18; math.Abs(s.value()-want) > 1e-12 {
		t.Errorf("log-loss %g, want %g", s.value(), want)
	}
	table.Head = onepass.Gaussian
	s = newScore(table)
	for row := range 20 {
		s.add(row, 0, float64(row%2)*4-2, 0)
	}
	if s.value() != 2 {
		t.Errorf("RMSE %g, want 2", s.value())
	}
}

func TestPredictionsAreScored(t *testing.T) {
	table := &Table{Head: onepass.Bernoulli, Target: []float64{1, 0, 1, 0, 1, 0, 1, 0, 1, 0}}
	got, err := scorePredictions(table, strings.NewReader(strings.Repeat("0.8\n0.3\n", 5)))
	if want := -(4*math.Log(0.8) + 5*math.Log(0.7)) / 9; err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, %v; want %g", got, err, want)
	}
	if _, err := scorePredictions(table, strings.NewReader("0.8\n")); err == nil {
		t.Error("one prediction of ten rows")
	}
	if _, err := scorePredictions(table, strings.NewReader(strings.Repeat("x\n", 10))); err == nil {
		t.Error("predictions that are no numbers")
	}
}

// Vowpal Wabbit gets a line a row, a namespace a column, and every pair of columns once.
func TestWabbitInput(t *testing.T) {
	table, w := toy(onepass.Bernoulli, 0), Wabbit{Folder: t.TempDir()}
	table.Columns[2].Numbers[1] = -2
	if err := w.Prepare(table); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(w.Folder, "toy.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(string(content), "\n"); len(lines) != 3001 || lines[0] != "-1 |a a0 |b b0 |c c0" || lines[1] != "1 |a a1 |b b1 |c c-6" {
		t.Errorf("%d lines, %q", len(lines), lines[:2])
	}
	settings := Settings(table)
	if len(settings) != 12 || !slices.Contains(settings[1].Args, "ab") || !slices.Contains(settings[1].Args, "bc") || slices.Contains(settings[1].Args, "ba") {
		t.Errorf("%d settings, %v", len(settings), settings[1])
	}
}

// load skips a test where the data is not here.
func load(t *testing.T, name string) *Table {
	t.Helper()
	table, err := Load(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// row reads a row back.
func (t *Table) row(row int) (values []string) {
	for _, c := range t.Columns {
		if c.Items != nil {
			values = append(values, c.Values[c.Items[row]])
		}
	}
	return values
}

// The first line of Online Retail's file is the first sale, and the order within a minute is the file's.
func TestRetailStream(t *testing.T) {
	table := load(t, "retail_12")
	if table.NumRows() != 531285 {
		t.Errorf("%d rows", table.NumRows())
	}
	for row, want := range []string{"85123A 17850 United Kingdom 8 0", "71053 17850 United Kingdom 8 0", "84406B 17850 United Kingdom 8 0"} {
		if got := strings.Join(table.row(row), " "); got != want {
			t.Errorf("row %d is %s, want %s", row, got, want)
		}
	}
	if prices := table.Columns[5].Numbers; prices[0] != 2.55 || prices[1] != 3.39 {
		t.Errorf("prices %g", prices[:2])
	}
}

func TestFilmStream(t *testing.T) {
	table := load(t, "ml_4")
	if table.NumRows() != 100836 {
		t.Errorf("%d rows", table.NumRows())
	}
	years := table.Columns[3].Values
	if slices.Contains(years, "0") || !slices.Contains(years, "1995") || !slices.Contains(years, "?") {
		t.Errorf("years %v", years)
	}
	if classes := load(t, "ml_classes"); slices.Max(classes.Target) != 3 || slices.Min(classes.Target) != 0 {
		t.Errorf("classes %g to %g", slices.Min(classes.Target), slices.Max(classes.Target))
	}
}

// Models without a part are configurations, of few columns and of many.
func TestModelConfigs(t *testing.T) {
	for _, columns := range []int{1, 3, 30} {
		table := &Table{Head: onepass.Softmax, Classes: 3, Columns: make([]Column, columns)}
		for _, m := range Models() {
			c := m.Config(table, 1<<14)
			if err := c.Validate(); err != nil {
				t.Errorf("%d columns, %s: %v", columns, m, err)
			}
			if (c.Evidence == 0) != (m == NoEvidence) {
				t.Errorf("%d columns, %s: %d slots of evidence", columns, m, c.Evidence)
			}
		}
	}
}

func TestStudyRefuses(t *testing.T) {
	if _, err := (Study{Streams: []string{"none"}}).Run(io.Discard); err == nil {
		t.Error("a stream that is not there")
	}
	if _, err := ParseModel("none"); err == nil {
		t.Error("a model that is not there")
	}
}
