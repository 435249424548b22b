package figures

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

// dailyFile returns a result made by a formula, like synthetic: the days from 1 February 2011 without Saturdays. Two days are
// hard for all methods. It has the methods and two rules. FastAda gets worse and worse.
func dailyFile(steps, seeds int, convention string) *result.File {
	f := &result.File{Name: "retail-synthetic", Status: result.Complete}
	for date := time.Date(2011, 2, 1, 0, 0, 0, 0, time.UTC); len(f.Stream.Days) < steps; date = date.AddDate(0, 0, 1) {
		if date.Weekday() != time.Saturday {
			f.Stream.Days = append(f.Stream.Days, date.Format(time.DateOnly))
		}
	}
	f.Stream.Initial, f.Stream.Steps = 44480, steps
	rows := append(syntheticMethods[:len(syntheticMethods):len(syntheticMethods)], syntheticMethods[0], syntheticMethods[0], syntheticMethods[0])
	for k, row := range rows {
		rule := k - len(syntheticMethods)
		if rule >= 0 {
			row.name, row.parameters = []string{"Median of nine", "Counting rule", "Last value"}[rule], 0
		}
		m := result.Method{Name: row.name, Frozen: row.frozen, Dataset: "retail", Protocol: protocol.Daily, Convention: convention, Parameters: row.parameters}
		for seed := range seeds {
			run := result.Run{Seed: int64(seed), Status: result.Complete}
			for step := range steps {
				i := float64(step)
				day := 5 + math.Sin(1.05*i) + 0.8*math.Sin(0.05*i)
				if step == steps/3 || step == steps-2 {
					day += 60
				}
				own := 0.2*float64(k%3) + 0.15*noise(step, seed, k) + 4*row.forgets*row.forgets*math.Exp(3*i/float64(steps))*(1+0.3*noise(0, seed, k))
				if rule >= 0 {
					own = 3 / float64(1+rule)
				}
				run.Rows = append(run.Rows, 1000)
				run.Append("absolute_error", day+own+0.3)
				run.Append("whole_absolute_error", day+own)
			}
			if rule > 0 || convention == "paper" && rule < 0 {
				for cell := range 20 {
					bend := float64(cell)/19 - 0.5
					run.Calibration = append(run.Calibration, 1000*(1+(float64(k%4)-1)*(bend*bend-0.08)*4)+40*noise(cell, seed, k))
				}
			}
			m.Runs = append(m.Runs, run)
		}
		f.Methods = append(f.Methods, m)
	}
	return f
}

func retailFiles(seeds int) []*result.File { return []*result.File{dailyFile(60, seeds, "paper")} }

// productsFile returns a result of protocol products with ten groups.
func productsFile(seeds int) *result.File {
	f := dailyFile(0, seeds, "authors")
	f.Stream.Days, f.Stream.Steps = nil, 9
	for a := range 10 {
		f.Stream.Tests = append(f.Stream.Tests, result.Test{Name: fmt.Sprintf("group %d", a+1), Train: 30000, Rows: 15000})
	}
	for k := range f.Methods {
		m := &f.Methods[k]
		m.Protocol = protocol.Products
		for r := range m.Runs {
			for after := range 10 {
				for set := range 10 {
					e := 9 + noise(set, 0, 1) + 0.3*noise(after, r, k)
					if k < len(syntheticMethods) && set <= after {
						e += 0.8 * syntheticMethods[k].forgets * float64(after-set)
					}
					m.Runs[r].Tests = append(m.Runs[r].Tests, result.Score{After: after, Set: set, AbsoluteError: e})
				}
			}
		}
	}
	return f
}

// A method that fails leaves the panel and does not press the others together. A diverged seed ends where it diverged.
func TestErrorsThatGrow(t *testing.T) {
	f := dailyFile(60, 3, "authors")
	fast, slow := f.Methods[5].Runs, f.Methods[3].Runs
	for i := range fast {
		fast[i].Status, fast[i].DivergedAt = result.Diverged, 30+i
		fast[i].Scores["absolute_error"][29] = 1e30
		fast[i].Scores["absolute_error"][35] = math.Inf(1) // never looked at
	}
	slow[1].Status = result.Partial
	fig := filetest.Must(Figure7([]*result.File{f}))(t)
	if c := panels(fig)[0].Curves[5]; len(c.Mean) != 10 || c.Diverged {
		t.Errorf("FastAda has %d of ten days, diverged: %v", len(c.Mean), c.Diverged)
	}
	fig = filetest.Must(Figure3Right(f, 3))(t)
	p := panels(fig)[0]
	if _, high := p.YRange(); high > 100 {
		t.Errorf("the axis goes up to %v", high)
	}
	if c := p.Curves[5]; len(c.Mean) != 32 || !c.Diverged {
		t.Errorf("FastAda has %d days, diverged: %v; want 32, true", len(c.Mean), c.Diverged)
	}
	fixture.WantText(t, fig.Caption, "beyond the panel's edge: (a): FastAda; (b): FastAda. An error line that leaves its panel has no band.", "FastAda diverged in 3 of 3 seeds, first at step 30",
		"left out: Retail SlowAda (1 of 3 seeds)")
	fast[0].DivergedAt = 50
	filetest.WantError(t, filetest.Failure(Figure3Right(f, 3)), "FastAda: seed 0, step 35: absolute_error +Inf")
}

func TestRetailErrors(t *testing.T) {
	right := func(f *result.File) error { _, err := Figure3Right(f, 3); return err }
	for _, test := range []struct {
		name   string
		damage func(*result.File)
		draw   func(*result.File) error
		want   string
	}{
		{"no dates", func(f *result.File) { f.Stream.Days = nil }, right, "the dates of 0; make it again: `phe run retail-synthetic`"},
		{"no date", func(f *result.File) { f.Stream.Days[3] = "Tuesday" }, right, "step 3 has no date"},
		{"no errors", func(f *result.File) { f.Methods[1].Runs[0].Scores = nil }, right, "EE: seed 0: 0 scores but 60 row counts"},
		{"no calibration", func(*result.File) {}, func(f *result.File) error { _, err := Calibration(f); return err }, "only ratings and forecasts have"},
		{"the left figure", func(*result.File) {}, func(f *result.File) error { _, err := Figure3(f, 3); return err },
			"`phe figure 3-retail --spec retail-synthetic`"},
		{"the frontier", func(*result.File) {}, func(f *result.File) error { _, err := Frontier([]*result.File{f}); return err }, "shows accuracy"},
	} {
		f := dailyFile(60, 1, "authors")
		test.damage(f)
		filetest.WantError(t, test.draw(f), test.want)
	}
	f := dailyFile(60, 1, "paper")
	f.Methods[0].Runs[0].Calibration = []float64{1, 2, 3}
	filetest.WantError(t, filetest.Failure(Calibration(f)), "PHE, seed 0: calibration [1 2 3]")
}

// titled returns the titles of a figure's panels, each with its number of curves.
func titled(fig *draw.Figure) string {
	var titles []string
	for _, p := range panels(fig) {
		titles = append(titles, fmt.Sprintf("%s %d", p.Heading, len(p.Curves)))
	}
	return strings.Join(titles, ", ")
}

// The first of four cells holds half of the counts.
func TestReliability(t *testing.T) {
	density, held := reliability([]float64{4, 1, 1, 2})
	if fmt.Sprint(density) != "[2 2 0.5 0.5 0.5 0.5 1 1]" || fmt.Sprint(held) != "[0 25 100]" {
		t.Errorf("density %v, held %v", density, held)
	}
	fig := filetest.Must(Calibration(dailyFile(40, 2, "paper")))(t)
	if got := titled(fig); got != "(a) Methods 3, (b) Methods 3, (c) Rules 2,  3,  3,  2" {
		t.Errorf("panels %s", got)
	}
}

// Days may cover several months or years.
func TestDayTicks(t *testing.T) {
	for _, test := range []struct {
		file *result.File
		want string
	}{
		{dailyFile(150, 0, "authors"), "Feb|Mar|Apr|May|Jun|Jul"},
		{dailyFile(255, 0, "authors"), "Feb||Apr||Jun||Aug||Oct|"},
		{ratingsFile(488, 0, "paper"), "2000|2001|2002|2003|2004"}, // five years of about 122 steps
		{ratingsFile(1340, 0, "paper"), "2000||2002||2004||2006||2008||2010|"},
	} {
		var days []time.Time
		for _, day := range test.file.Stream.Days {
			days = append(days, filetest.Must(time.Parse(time.DateOnly, day))(t))
		}
		if got := labelled(dayTicks(days), "|"); got != test.want {
			t.Errorf("%s, %d days: %q, want %q", test.file.Name, len(days), got, test.want)
		}
	}
}
