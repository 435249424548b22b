package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

// synthetic returns a result file made by a formula. It is test data for the drawing, NOT a result: nothing was trained. Chunks
// are equally hard for all methods (common), and each seed differs a little (own). The accuracy of a method goes from one value
// to another.
func synthetic(steps, seeds int) *result.File {
	f := &result.File{Name: "synthetic, not a result", Status: result.Complete}
	for k, row := range []struct {
		name     string
		frozen   bool
		from, to float64
		pace     float64 // steps
		own      float64 // seed to seed
	}{
		{"PHE", false, 0.845, 0.843, 50, 0.002},
		{"EE", false, 0.845, 0.842, 50, 0.001},
		{"P-EE", false, 0.848, 0.848, 50, 0.001},
		{"SlowAda", false, 0.845, 0.80, 150, 0.008},
		{"MediumAda", false, 0.845, 0.725, 100, 0.02},
		{"FastAda", false, 0.845, 0.70, 25, 0.03},
		{"PHE", true, 0.845, 0.8455, 50, 0.001},
		{"Ada", true, 0.844, 0.844, 50, 0.001},
	} {
		m := result.Method{Name: row.name, Frozen: row.frozen, Dataset: "adult", Convention: "authors", Scheme: "mean"}
		for seed := range seeds {
			run := result.Run{Seed: int64(seed), Status: result.Complete}
			for step := range steps {
				i := float64(step)
				common := 0.03*math.Sin(2.1*i) + 0.012*math.Sin(0.13*i+1)
				own := row.own*math.Cos(2.5*float64(seed)+float64(k)) + 0.006*math.Sin(1.7*i*float64(1+seed+3*k))
				start := math.Exp(-i / row.pace)
				run.Rows = append(run.Rows, 100)
				run.Accuracy = append(run.Accuracy, row.from*start+(row.to+own)*(1-start)+common)
			}
			m.Runs = append(m.Runs, run)
		}
		f.Methods = append(f.Methods, m)
	}
	return f
}

// pick returns a copy of f with the methods at the given places. The copy shares no runs with f.
func pick(f *result.File, places ...int) *result.File {
	out := *f
	out.Methods = nil
	for _, i := range places {
		m := f.Methods[i]
		m.Runs = slices.Clone(m.Runs)
		out.Methods = append(out.Methods, m)
	}
	return &out
}

// panels returns the panels of a figure that is a grid, row by row. Empty places are nil.
func panels(fig *draw.Figure) []*draw.Chart { return slices.Concat(fig.Content.(*draw.Grid).Rows...) }

func TestFigure3Errors(t *testing.T) {
	share := func(v float64) func(*result.File) {
		return func(f *result.File) { f.Methods[1].Runs[0].Accuracy = []float64{0.5, v, 0.5} }
	}
	for _, test := range []struct {
		name   string
		damage func(*result.File)
		want   string // part of the message
	}{
		{"NaN", share(math.NaN()), "EE: seed 0, step 1: accuracy NaN"},
		{"infinite", share(math.Inf(1)), "accuracy +Inf is not in [0, 1]"},
		{"percent", share(84.3), "accuracy 84.3 is not in [0, 1]"},
		{"no methods", func(f *result.File) { f.Methods = nil }, "none of its runs is finished"},
		{"rows", func(f *result.File) { f.Methods[1].Runs[0].Rows = []int{100} }, "3 scores but 1 row counts"},
		{"other seeds", func(f *result.File) {
			for i := range f.Methods[6].Runs {
				f.Methods[6].Runs[i].Seed += 10
			}
		}, "PHE frozen and PHE have no seed in common"},
		{"all diverged at once", func(f *result.File) {
			for i := range f.Methods {
				f.Methods[i].Runs = []result.Run{{Status: result.Diverged}}
			}
		}, "nothing to draw"},
	} {
		f := synthetic(3, 2)
		test.damage(f)
		_, err := Figure3(f, 5)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), f.Name) {
			t.Errorf("%s: got error %v, want %q and the file's name", test.name, err, test.want)
		}
	}
}

// A diverged seed counts up to its divergence. Later scores do not matter. A seed that is not finished does not count.
func TestUnequalSeeds(t *testing.T) {
	f := pick(synthetic(60, 3), 0, 5)
	fast := f.Methods[1].Runs
	for i, at := range []int{20, 40, 10} {
		fast[i].Status, fast[i].DivergedAt = result.Diverged, at
	}
	fast[0].Accuracy = slices.Clone(fast[0].Accuracy)
	fast[0].Accuracy[20] = math.NaN() // never looked at
	short := &f.Methods[0].Runs[1]
	short.Status, short.Accuracy = result.Partial, slices.Clone(short.Accuracy)
	short.Accuracy[59] = math.NaN() // never looked at
	fig := filetest.Must(Figure3(f, 0))(t)
	phe, ada := panels(fig)[0].Curves[0], panels(fig)[0].Curves[1]
	if len(phe.Mean) != 60 || len(phe.StdDev) != 60 || phe.Diverged {
		t.Errorf("PHE: %d steps, band %d, diverged %v; want 60, 60, false", len(phe.Mean), len(phe.StdDev), phe.Diverged)
	}
	if len(ada.Mean) != 40 || len(ada.StdDev) != 20 || !ada.Diverged {
		t.Errorf("FastAda: %d steps, band %d, diverged %v; want 40, 20, true", len(ada.Mean), len(ada.StdDev), ada.Diverged)
	}
	if want := 100 * fast[1].Accuracy[30]; ada.Mean[30] != want {
		t.Errorf("FastAda at step 30: %v, want the only seed left: %v", ada.Mean[30], want)
	}
	fixture.WantText(t, fig.Caption, "FastAda diverged in 3 of 3 seeds, first at step 10", "PHE (1 of 3 seeds)", "Not smoothed")
	filetest.Must(fig.SVG())(t)
}

// Panel (b) is calculated by hand for two seeds and two chunks, of 100 and 50 rows.
func TestCorrectRowsAhead(t *testing.T) {
	run := func(seed int64, a, b float64) result.Run {
		return result.Run{Seed: seed, Status: result.Complete, Rows: []int{100, 50}, Accuracy: []float64{a, b}}
	}
	f := &result.File{Methods: []result.Method{
		{Name: "PHE", Runs: []result.Run{run(1, 0.80, 0.60), run(2, 0.70, 0.80)}},
		{Name: "PHE", Frozen: true, Runs: []result.Run{run(1, 0.82, 0.60), run(2, 0.74, 0.84)}}, // +2, +2; +4, +6
	}}
	fig := filetest.Must(Figure3(f, 5))(t)
	online, frozen := panels(fig)[1].Curves[0], panels(fig)[1].Curves[1]
	if online.Mean[1] != 0 || online.Label != "PHE online" || frozen.Label != "PHE frozen" {
		t.Errorf("the zero line is %v, labels %q and %q", online.Mean, online.Label, frozen.Label)
	}
	for step, want := range []struct{ mean, stdDev float64 }{{3, math.Sqrt2}, {4, 2 * math.Sqrt2}} {
		if math.Abs(frozen.Mean[step]-want.mean) > 1e-12 || math.Abs(frozen.StdDev[step]-want.stdDev) > 1e-12 {
			t.Errorf("step %d: %v ± %v, want %v", step, frozen.Mean[step], frozen.StdDev[step], want)
		}
	}
}

func ExampleFigure3() {
	f := synthetic(317, 5) // usually result.Read("out/adult.json")
	fig, err := Figure3(f, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := fig.SVG(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(fig.Caption)
	// Output: Lines: mean over 5 seeds; bands and whiskers: ±1 standard deviation between seeds. Heavy lines with a band: PHE; the other lines have no band. (a): each seed smoothed by a Gaussian filter, σ = 5 chunks. (b): correct rows up to the step, minus the correct rows of online PHE; not smoothed. Frozen: the same initial model, never updated.
}
