package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/linear"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/table"
	"gophe/phe/disk/filetest"
)

// runOf is a complete run that got a share of two steps of 100 and 300 rows right.
func runOf(seed int64, first, second float64) result.Run {
	return result.Run{Seed: seed, Status: result.Complete, Rows: []int{100, 300}, Accuracy: []float64{first, second},
		LogLikelihood: []float64{-1, -1}, Summary: map[string]float64{measure.Accuracy: 50 * (first + second)}}
}

func methodWith(name string, frozen bool, named string, runs ...result.Run) result.Method {
	return result.Method{Name: name, Frozen: frozen, Dataset: "adult", Protocol: named, Convention: protocol.Paper, Hash: "x", Runs: runs}
}

// The worst seed is paired with the same seed of the frozen model, and regret is of all rows, against the published reference.
func TestOnePassStream(t *testing.T) {
	own := methodWith(fromNothing, false, protocol.Swapped, runOf(0, 0.8, 0.9), runOf(1, 0.7, 0.9), runOf(2, 0, 0))
	s := onePassStream{name: "adult-swapped", own: &result.File{Methods: []result.Method{own}},
		published: &result.File{Methods: []result.Method{
			methodWith(measure.Reference, false, protocol.Swapped, runOf(0, 0.9, 0.8), runOf(1, 0.7, 0.9)),
			methodWith("PHE", true, protocol.Swapped, runOf(0, 0.5, 0.9), runOf(1, 0.7, 0.86)),
		}}}
	r := measure.Rows(s.own)[0]
	if got := s.worstCell(r); got != "2.00" { // seed 0 gains 15 points, seed 1 gains 2, seed 2 has no pair
		t.Errorf("least gain %s, want 2.00", got)
	}
	if got := s.lessCell(s.row(frozenPHE)); got != "+8.50 ± 82.59" {
		t.Errorf("less the frozen model %s, want +8.50 ± 82.59", got)
	}
	if got := s.regretCell(r); got != "-25.0 ± 35.4" { // seed 0: (0.1·100 − 0.1·300)/400; seed 1: 0
		t.Errorf("regret %s, want -25 ± 35.36", got)
	}
	alone := onePassStream{own: s.own}
	if s.worstCell(measure.Row{}) != "–" || alone.worstCell(r) != "–" {
		t.Error("a least gain of nothing")
	}
	if alone.regretCell(r) != "–" {
		t.Error("a regret without its reference")
	}
}

// A table of days names the seeds that diverged, each with its step.
func TestDivergedSeeds(t *testing.T) {
	broken := result.Run{Seed: 7, Status: result.Diverged, DivergedAt: 3}
	f := &result.File{Methods: []result.Method{methodWith("PHE", false, protocol.Recommend, runOf(0, 0.8, 0.9), broken)}}
	filetest.WantWords(t, ResultTable(f).String(), "; seed 7 diverged at step 3 |")
}

// A screen explains each heading that it has, and no other.
func TestLegend(t *testing.T) {
	online := methodWith("PHE", false, protocol.Online, runOf(0, 0.8, 0.9))
	days := methodWith("PHE", false, protocol.Recommend, runOf(0, 0.8, 0.9))
	for want, p := range map[string]table.Page{
		"scheme: loss: less METHOD,": ResultTable(&result.File{Methods: []result.Method{online}}).Page(),
		"less METHOD,":               ResultTable(&result.File{Methods: []result.Method{days}}).Page(),
		"":                           {*table.New(1, "method", "lost")},
	} {
		got := strings.Join(regexp.MustCompile(`(?m)^(\w+:|less METHOD,)`).FindAllString(Legend(p), -1), " ")
		filetest.Want(t, got, want, "the words that are explained")
	}
}

// The spread over orders is a deviation within each seed, not over all runs.
func TestSpread(t *testing.T) {
	s := onePassStream{name: "adult-order", own: &result.File{}}
	at := func(seed int64, accuracy float64) result.Run {
		return result.Run{Seed: seed, Status: result.Complete, Summary: map[string]float64{measure.FinalAverage: accuracy}}
	}
	for i, v := range []float64{80, 82} {
		name := fmt.Sprint(fromNothing, " order ", i)
		s.own.Methods = append(s.own.Methods, methodWith(name, false, protocol.Order, at(0, v), at(1, 10+2*v)))
	}
	s.own.Methods = append(s.own.Methods, methodWith(fromNothing+" order 0", true, protocol.Order, at(0, 0), at(1, 0)))
	sd, widest, orders := overOrders(s.own, fromNothing+" order ")
	if orders != 2 || math.Abs(sd-1.5*math.Sqrt2) > 1e-9 || widest != 4 {
		t.Errorf("deviation %v and range %v of %d orders, want 2.12 and 4 of 2", sd, widest, orders)
	}
	if text := orderTable([]onePassStream{s}).String(); !strings.Contains(text, "| adult | One pass | 2 | 2.121 | 4.00 |") {
		t.Errorf("table:\n%s", text)
	}
	if _, _, orders := overOrders(s.own, exactName+" order "); orders != 0 {
		t.Error("orders of a method that has none")
	}
}

// The table names the interval of the fits where the result's spec gives one above 1. Whole groups are fitted one by one.
func TestRefittedCell(t *testing.T) {
	for _, c := range []struct{ manifest, want string }{
		{`{"protocol": {"name": "online"}, "methods": [{"name": "Refitted logistic regression"}]}`, "80.00 (every 25)"},
		{`{"protocol": {"name": "online"}, "methods": [{"name": "Refitted logistic regression", "refit_every": 7}]}`, "80.00 (every 7)"},
		{`{"protocol": {"name": "online"}, "methods": [{"name": "Refitted logistic regression", "refit_every": 1}]}`, "80.00"},
		{`{"protocol": {"name": "group"}, "methods": [{"name": "Refitted logistic regression"}]}`, "80.00"},
	} {
		refitted := methodWith(refittedName, false, protocol.Online, runOf(0, 0.7, 0.9))
		manifest := result.Manifest{Spec: []byte(c.manifest)}
		s := onePassStream{own: &result.File{Manifest: manifest, Methods: []result.Method{refitted}}}
		if got := s.refittedCell(s.row(refittedName)); got != c.want {
			t.Errorf("%s gives %q, want %q", c.manifest, got, c.want)
		}
	}
}

// One pass is ahead on Adult, level on Bank, and behind the frozen model and a one-hot model on Mushroom. A stream without a rival does not
// count for it. The loss on Mushroom is listed.
func TestStanding(t *testing.T) {
	at := func(name string, frozen bool, accuracy float64) result.Method {
		return methodWith(name, frozen, protocol.Swapped, runOf(0, accuracy, accuracy))
	}
	all := results{"covertype-swapped-one-pass": {at(fromNothing, false, 0.1)}}
	for name, scores := range map[string][5]float64{ // one pass, PHE, frozen, AdPredictor, refitted regression
		"adult-swapped":    {0.9, 0.89, 0.5, 0.8, 0.7},
		"bank-swapped":     {0.9, 0.9009, 0.8991, 0.9, 0.9},
		"mushroom-swapped": {0.8, 0.7, 0.802, 0.81, 0.95},
	} {
		oneHot := []result.Method{at("AdPredictor", false, scores[3]), at(refittedName, false, scores[4])}
		all[name+"-one-pass"] = append(oneHot, at(fromNothing, false, scores[0]))
		all[name] = []result.Method{at("PHE", false, scores[1]), at("PHE", true, scores[2])}
	}
	open := &source{folder: all.open(t)}
	filetest.WantWords(t, open.standing().String(), "| PHE, published update | 3 | 2 | 1 | 0 |", "| PHE, frozen | 3 | 1 | 1 | 1 |",
		"| PHE, Adam on all parameters | 0 | 0 | 0 | 0 |", "| best one-hot model | 3 | 1 | 1 | 1 |")
	const want = "| stream | one pass | PHE, published update | PHE, frozen | best one-hot model |\n|---|---:|---:|---:|---:|\n" +
		"| mushroom-swapped | 80.0 | 70.0 | 80.2 | 95.0 |\n"
	if got := open.losses().String(); got != want {
		t.Errorf("losses:\n%s", got)
	}
	if got := open.behind("best one-hot model"); got != "1 of 3" {
		t.Errorf("behind a one-hot model on %q, want 1 of 3", got)
	}
	filetest.Check(t, open.err)
	open.behind("nobody")
	filetest.WantError(t, open.err, `"nobody"`)
}

// The order table gives the largest difference between exact posteriors that learn the same observations in different orders. Prop. 3.1
// says that there is none. Every entry of mean and covariance is compared. A test of [linear.Gaussian] compares with learning all at once.
func TestExactOrder(t *testing.T) {
	const rows, observations, permutations = 7, 200, 100
	rng := rand.New(rand.NewPCG(3, 1))
	xs, ys := make([][]float64, observations), make([]float64, observations)
	for i := range xs {
		xs[i] = make([]float64, rows)
		for range 3 {
			xs[i][rng.IntN(rows)]++
		}
		ys[i] = rng.NormFloat64()
	}
	posterior := func(order []int) []float64 {
		model := filetest.Must(linear.NewGaussian(rows, 1, 0.25))(t)
		for _, i := range order {
			model.Update(xs[i], ys[i])
		}
		mean, covariance, err := model.Posterior()
		filetest.Check(t, err)
		numbers := append([]float64{}, mean.RawVector().Data...)
		for i := range rows {
			for k := range rows {
				numbers = append(numbers, covariance.At(i, k))
			}
		}
		return numbers
	}
	first, gap := posterior(rng.Perm(observations)), 0.0
	for range permutations {
		gap = max(gap, floats.Distance(first, posterior(rng.Perm(observations)), math.Inf(1)))
	}
	if got := fmt.Sprintf("%.0e", gap); got != exactGap {
		t.Errorf("posteriors of other orders differ by %s, and the table says %s", got, exactGap)
	}
}
