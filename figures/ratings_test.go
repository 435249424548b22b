package figures

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// ratingsFile returns a result made by a formula, like synthetic: every third day from 30 January 2000. It has the methods and
// the four rules for ratings.
func ratingsFile(steps, seeds int, convention string) *result.File {
	f := &result.File{Name: "movielens-synthetic", Status: result.Complete}
	f.Manifest.Spec = json.RawMessage(`{"model": {"encoder": {"embedding_dim": 50}}}`)
	f.Manifest.Parallel = "all seeds in one program, 2 jobs at a time"
	f.Manifest.PeakMemoryMB = 950
	f.Stream.Initial, f.Stream.Steps = 8721, steps
	for step := range steps {
		f.Stream.Days = append(f.Stream.Days, time.Date(2000, 1, 30+3*step, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
		f.Stream.Users = append(f.Stream.Users, 100+9*step)
	}
	for k, row := range syntheticMethods {
		f.Methods = append(f.Methods, ratingsMethod(k, row.name, row.frozen, 1000*row.parameters, steps, seeds, convention))
	}
	for k, name := range []string{"Global mean", "User mean", "Film mean", "Biases"} {
		f.Methods = append(f.Methods, ratingsMethod(20+k, name, false, 0, steps, seeds, convention))
	}
	return f
}

func ratingsMethod(k int, name string, frozen bool, parameters, steps, seeds int, convention string) result.Method {
	m := result.Method{Name: name, Frozen: frozen, Dataset: "ml-latest-small", Protocol: protocol.Recommend, Convention: convention, Parameters: parameters}
	for seed := range seeds {
		run := result.Run{Seed: int64(seed), Status: result.Complete}
		for step := range steps {
			i := float64(step)
			e := 0.16 + 0.02*math.Sin(0.02*i) + 0.05*math.Sin(1.9*i) + 0.006*float64(k%5) + 0.004*noise(step, seed, k)
			run.Rows = append(run.Rows, 1+step%30)
			run.Append("rating_error", e)
			run.Append("sample_error", e+0.02)
			if parameters > 0 && step%10 == 9 {
				run.Memory = append(run.Memory, result.Memory{Step: step + 1, Megabytes: 800 + 20*float64(k) + math.Round(6*noise(step, seed, k))})
			}
		}
		for cell := range 20 {
			bend := float64(cell)/19 - 0.5
			run.Calibration = append(run.Calibration, 1000*(1+(float64(k%4)-1)*(bend*bend-0.08)*4)+40*noise(cell, seed, k))
		}
		run.Tally(ratingsTallies(k, seed))
		m.Runs = append(m.Runs, run)
	}
	return m
}

// ratingsTallies returns tallies of 1000 ratings. No user has exactly one rating on earlier days.
func ratingsTallies(k, seed int) map[string][]result.Tally {
	tallies := map[string][]result.Tally{}
	for i, name := range []string{"user first", "film first", "user learned", "film learned"} {
		for cell, rows := range [][]float64{{50, 60, 170, 220, 500}, {200, 100, 150, 150, 400}, {520, 0, 30, 50, 400}, {210, 95, 145, 150, 400}}[i] {
			e := 0.15 + 0.07*math.Exp(-float64(cell)) + 0.006*float64(k%5) + 0.003*noise(cell, seed, k+i)
			tallies[name] = append(tallies[name], result.Tally{Rows: rows, Error: rows * e})
		}
	}
	return tallies
}

func ratingsFiles(seeds int) []*result.File {
	return []*result.File{ratingsFile(60, seeds, "paper")}
}

// Errors are drawn in %. The convention chooses the quantity.
func TestFigure6Ratings(t *testing.T) {
	for _, test := range []struct{ convention, metric, says string }{
		{"authors", "sample_error", "by the samples of the prediction"},
		{"paper", "rating_error", "by the mean of the prediction"},
	} {
		f := ratingsFile(60, 2, test.convention)
		fig := filetest.Must(Figure6(append(onlineFiles(60, 2), f), 2.5))(t)
		p := panels(fig)[4]
		if p.Heading != "MovieLens (ml-latest-small)" || p.XAxis.Label != "Day of 2000" || p.YAxis.Label != "Error (%)" {
			t.Errorf("the fifth panel is %q, by %q, of %q", p.Heading, p.XAxis.Label, p.YAxis.Label)
		}
		var labels []string
		for _, c := range p.Curves {
			labels = append(labels, c.Label)
		}
		if got := strings.Join(labels, ", "); got != "PHE, EE, P-EE, SlowAda, MediumAda, FastAda, PHE frozen, Global mean, Biases" {
			t.Errorf("curves %s", got)
		}
		want := 0.0
		for _, run := range f.Methods[0].Runs {
			want += 50 * gaussianFilter(run.Series(test.metric), 10)[7]
		}
		if got := p.Curves[0].Mean[7]; !near(got, want) {
			t.Errorf("%s: PHE's eighth day is %v, want %v", test.convention, got, want)
		}
		fixture.WantText(t, fig.Caption, test.says, "MovieLens (ml-latest-small): the mean absolute error", "in % of five stars", "MovieLens (ml-latest-small) 8,721", "σ = 2.5 steps (10 days for ratings).",
			"Gray: rules without a model (Global mean, Biases)")
	}
}

func TestFigure7Ratings(t *testing.T) {
	f := ratingsFile(60, 2, "paper")
	fig := filetest.Must(Figure7([]*result.File{dailyFile(60, 2, "authors"), f}))(t)
	if p := panels(fig)[1]; len(p.Curves) != 9 || len(p.Curves[0].Mean) != 10 || p.YAxis.Label != "Error (%)" {
		t.Errorf("%d curves of %d days, %q", len(p.Curves), len(p.Curves[0].Mean), p.YAxis.Label)
	}
	filetest.WantError(t, filetest.Failure(Figure3(f, 3)), "`phe figure 6 --spec movielens-synthetic`")
	f.Methods[0].Runs[0].Scores["rating_error"][3] = math.NaN()
	filetest.WantError(t, filetest.Failure(Figure7([]*result.File{f})), "PHE: seed 0, step 3: rating_error NaN")
}
