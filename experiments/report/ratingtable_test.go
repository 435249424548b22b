package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec/protocol"
)

// ratingMethods returns the methods of a made-up result of three days. Errors are whole numbers of thousandths of the scale, so
// that shares and percents cannot be confused, nor differences be rounded away.
func ratingMethods(convention string) []result.Method {
	run := func(seed int64, thousandths ...float64) result.Run {
		r := result.Run{Seed: seed, Status: result.Complete, Seconds: result.Seconds{Initial: 1, Predict: 1}}
		for i, e := range thousandths {
			r.Rows = append(r.Rows, 1+2*(i/2)) // 1, 1, 3
			r.Append(measure.RatingError, e/1000)
			r.Append(measure.SampleError, (e+10)/1000)
			r.Append(measure.SquaredError, e*e/1e6)
			r.Append(measure.LogLikelihood, -e/1000)
		}
		return r
	}
	method := func(name string, frozen bool, parameters int, runs ...result.Run) result.Method {
		return result.Method{Name: name, Frozen: frozen, Dataset: "ml-latest-small", Protocol: protocol.Recommend, Convention: convention, Parameters: parameters, Runs: runs}
	}
	broken := run(1, 1, 1)
	broken.Status, broken.DivergedAt = result.Diverged, 2
	return []result.Method{
		method("PHE", false, 460414, run(0, 150, 160, 170), run(1, 152, 162, 172)),
		method("FastAda", false, 230207, run(0, 151, 163, 169), broken),
		method("PHE", true, 460414, run(0, 150, 163, 176), run(1, 152, 165, 178)), // 0, 3 and 6 more
		method("User mean", false, 0, run(0, 200, 210, 220), run(1, 200, 210, 220)),
	}
}

// Errors of ratings are in percent of the scale, and so are differences, which pair the days; rivals have no ±.
func TestRatingTable(t *testing.T) {
	all := results{"movielens-small-wide": ratingMethods(protocol.Paper)}
	rms := func(e1, e2, e3 float64) string { // of 1, 1 and 3 ratings
		return fmt.Sprintf("%.2f", math.Sqrt((e1*e1+e2*e2+3*e3*e3)/5)/10)
	}
	rows := []string{
		// Seeds 0 and 1 have 16.0 and 16.2 %.
		"| PHE | 460414 | 16.10 ± 0.14 | – | 17.10 ± 0.14 | – | 16.52 ± 0.14 | -0.1610 ± 0.0014 | 2 | 2.0 |",
		// Of seed 0: 1, 3 and −1 thousandths, whose deviation is 2: a standard error of 2/√3.
		"| FastAda | 230207 | 16.10 | +0.10 (0.12) | 17.10 | +0.10 (0.12) | " + rms(151, 163, 169) + " | -0.1610 | 1; seed 1 diverged at step 2 | 2.0 |",
		"| PHE (frozen) | 460414 | 16.40 ± 0.14 | +0.30 (0.17) | 17.40 ± 0.14 | +0.30 (0.17) | 16.95 ± 0.14 | -0.1640 ± 0.0014 | 2 | 2.0 |",
		// 50 less 1 on each day, since seeds differ by 2.
		"| User mean | none | 21.00 | +4.90 (0.00) | 22.00 | +4.90 (0.00) | " + rms(200, 210, 220) + " | -0.2100 | 2 | 2.0 |",
	}
	want := "| method | parameters | error of the mean, % | less PHE | error of samples, % | less PHE | RMSE, % | log-likelihood | seeds | s per seed |\n" +
		"|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n" + strings.Join(rows, "\n") + "\n"
	got, err := markdown("movielens", all.open(t))
	if err != nil || got != want {
		t.Errorf("%v, table\n%s\nwant\n%s", err, got, want)
	}

	// By the authors' convention the error of samples comes first; two results of a data set are told apart.
	all["movielens-small"] = ratingMethods(protocol.Authors)
	both, err := markdown("movielens", all.open(t))
	if err != nil || !strings.HasPrefix(both, "movielens-small-wide\n\n"+want+"\nmovielens-small\n\n| method | parameters | error of samples, % | less PHE | error of the mean, % |") {
		t.Errorf("%v, tables\n%s", err, both)
	}
	fixture.WantText(t, both, "| PHE (frozen) | 460414 | 17.40 ± 0.14 | +0.30 (0.17) | 16.40 ± 0.14 | +0.30 (0.17) | ")
}
