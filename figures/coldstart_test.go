package figures

import (
	"fmt"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/phe/disk/filetest"
)

// Two seeds have errors of 10 and 15 in 50 ratings, so 25 ± 7.07 %. One cell has no ratings.
func TestColdStartPoints(t *testing.T) {
	f := ratingsFile(20, 2, "authors")
	for i, e := range []float64{10, 15} {
		f.Methods[0].Runs[i].Tallies["user first"][0] = result.Tally{Rows: 50, Error: e}
	}
	fig := filetest.Must(ColdStart(f))(t)
	var got []string
	for _, p := range panels(fig) {
		phe := p.Curves[0]
		got = append(got, fmt.Sprintf("%s: %d of %d, %d whiskers, breaks %v", p.Heading, len(phe.Mean), len(p.Curves), len(phe.StdDev), phe.Breaks))
	}
	want := "(a) Users, MovieLens (ml-latest-small): 4 of 8, 4 whiskers, breaks [1]; (b) Films: 5 of 8, 5 whiskers, breaks []; " +
		"(c) Users: 5 of 8, 5 whiskers, breaks []; (d) Films: 5 of 8, 5 whiskers, breaks []"
	if got := strings.Join(got, "; "); got != want {
		t.Errorf("panels %s, want %s", got, want)
	}
	p := panels(fig)[2]
	if phe := p.Curves[0]; !near(phe.Mean[0], 25) || !near(phe.StdDev[0], 5*1.4142135623730951) {
		t.Errorf("PHE's first ratings: %v ± %v", phe.Mean[0], phe.StdDev[0])
	}
	if rules := p.Curves[7]; rules.Label != "Biases" {
		t.Errorf("the last curve is %s", rules.Label)
	}
	if got := labelled(panels(fig)[0].XAxis.Ticks(0, 4), "|"); got != "none\n520|1\n0|2–4\n30|5–9\n50|10 or more\n400" {
		t.Errorf("ticks %q", got)
	}
	if above, beside := panels(fig)[0], panels(fig)[1]; above.YAxis.Low != beside.YAxis.Low || above.YAxis.High != beside.YAxis.High || above.YAxis.High == p.YAxis.High {
		t.Error("rows must share their y axis, and columns not")
	}
}

// A diverged seed has not met all ratings.
func TestColdStartDiverged(t *testing.T) {
	f := ratingsFile(20, 2, "paper")
	f.Methods[1].Runs[0].Status, f.Methods[1].Runs[0].DivergedAt = result.Diverged, 3
	f.Methods[1].Runs[0].Tallies = nil
	for i := range f.Methods[5].Runs {
		f.Methods[5].Runs[i].Status = result.Diverged
	}
	fig := filetest.Must(ColdStart(f))(t)
	if p := panels(fig)[0]; len(p.Curves) != 7 || len(p.Curves[1].StdDev) != 0 {
		t.Errorf("%d curves; EE has %d whiskers", len(p.Curves), len(p.Curves[1].StdDev))
	}
	fixture.WantText(t, fig.Caption, "EE diverged in 1 of 2 seeds, first at step 3; such a seed is left out", "FastAda diverged in 2 of 2")
}

func TestColdStartErrors(t *testing.T) {
	f := ratingsFile(20, 2, "paper")
	f.Methods[1].Runs[1].Tallies = nil
	filetest.WantError(t, filetest.Failure(ColdStart(f)), `EE, seed 1 has no 5 tallies "user learned"; make the result again: `+"`phe run movielens-synthetic`")
}

// Points to the left of the first cell's tick are in the panel too.
func TestColdStartFirstCell(t *testing.T) {
	f := ratingsFile(20, 2, "paper")
	for i := range f.Methods[0].Runs {
		f.Methods[0].Runs[i].Tallies["film first"][0].Error = 55 // of 200 ratings
	}
	fig := filetest.Must(ColdStart(f))(t)
	p := panels(fig)[3]
	if phe := p.Curves[0]; !(phe.X[0] < 0) || !near(phe.Mean[0], 27.5) || p.YAxis.High <= 27.5 {
		t.Errorf("PHE begins at %v, %v; the panel ends at %v", phe.X[0], phe.Mean[0], p.YAxis.High)
	}
}
