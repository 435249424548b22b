package toy_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/notebooks/toy"
	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
)

var update = flag.Bool("update", false, "write the numbers of notebook 6-one-pass that docs/one-pass.md shows")

// along returns the percentage of a stream's rows that a learner forecasts right. Each chunk is forecast before it is learned.
func along(t *testing.T, c onepass.Config, h toy.Hashed) float64 {
	learner := filetest.Must(onepass.New(c))(t)
	return 100 * stat.Mean(pass(learner, h), nil)
}

func pass(learner *onepass.Model, h toy.Hashed) (accuracy []float64) {
	h.Learn(learner, h.Initial)
	for _, chunk := range h.Steps {
		accuracy = append(accuracy, h.Right(learner, chunk))
		h.Learn(learner, chunk)
	}
	return accuracy
}

// explodes returns the number of rows that the plug-in pull learns until a logit is beyond 10³⁰.
func explodes(t *testing.T, c onepass.Config, h toy.Hashed) int {
	c.Approximation = onepass.PlugIn
	learner := filetest.Must(onepass.New(c))(t)
	for i, r := range h.Initial {
		if math.Abs(learner.Predict(&h.Rows[r]).Logit) > 1e30 {
			return i
		}
		h.Learn(learner, h.Initial[i:i+1])
	}
	t.Fatal("the logit stays within bounds")
	return 0
}

// grouped learns the odors group by group, ten times. It returns the percentage of the first group's test rows that are right once the
// group is learned, and at the end.
func grouped(t *testing.T, buckets int, joint, certainHead bool) (first, end float64) {
	const seeds = 10
	c := toy.Small(buckets)
	if c.Joint = joint; certainHead {
		c.Prior.W, c.Prior.Theta, c.Prior.Block = 0, 0, 0
	}
	h := toy.Hash(filetest.Must(odors().ByGroup(4, 20, 40))(t), c)
	for c.Seed = range int64(seeds) {
		learner := filetest.Must(onepass.New(c))(t)
		h.Learn(learner, h.Initial)
		first += 100 * h.Right(learner, h.Tests[0].Rows) / seeds
		learner = filetest.Must(onepass.New(c))(t)
		pass(learner, h)
		end += 100 * h.Right(learner, h.Tests[0].Rows) / seeds
	}
	return first, end
}

// logLikelihood returns ln p(y | η) of a class or a count, without the terms that do not depend on η.
func logLikelihood(head onepass.Head, eta, y float64) float64 {
	if head == onepass.Poisson {
		return y*eta - math.Exp(eta)
	}
	return -math.Log1p(math.Exp(-(2*y - 1) * eta))
}

// exact returns mean and standard deviation of a logit N(mu, q) after a target, by a sum of equal steps. The integrand is smooth.
func exact(head onepass.Head, mu, q, y float64) (mean, sd float64) {
	const steps, ends = 2000, 40 // standard deviations to each side
	var eta, log, weights [steps + 1]float64
	for i := range eta {
		z := ends * (2*float64(i)/steps - 1)
		eta[i] = mu + z*math.Sqrt(q)
		log[i] = logLikelihood(head, eta[i], y) - z*z/2
	}
	most := slices.Max(log[:])
	for i := range weights {
		weights[i] = math.Exp(log[i] - most)
	}
	mean = stat.Mean(eta[:], weights[:])
	return mean, math.Sqrt(stat.MomentAbout(2, eta[:], mean, weights[:]))
}

// pulled returns the mean of a logit N(mu, q) after package onepass has learned a target. The logit is the bias of a model without items.
func pulled(t *testing.T, head onepass.Head, pull onepass.Approximation, mu, q, y float64) float64 {
	c := onepass.Paper(0, 1, 1)
	c.Head, c.Approximation, c.Prior.Block = head, pull, q
	learner := filetest.Must(onepass.New(c))(t)
	beliefs := learner.Beliefs()
	beliefs.Lists["block"][1] = mu // after the weight of the number
	filetest.Check(t, learner.SetBeliefs(beliefs))
	row := onepass.Row{Numbers: []float64{0}}
	learner.Predict(&row)
	learner.Update(y, 1)
	return learner.Predict(&row).Logit
}

// addPullErrors adds each pull's largest error of a logit's mean, in exact standard deviations. It takes means up to ±6, and variances up
// to 1 and up to 20.
func addPullErrors(t *testing.T, to map[string]float64) {
	targets := map[onepass.Head][]float64{onepass.Bernoulli: {0, 1}, onepass.Poisson: {0, 1, 3, 12}}
	pulls := []onepass.Approximation{onepass.MacKay, onepass.PlugIn}
	for head, targets := range targets {
		for mu := -6.0; mu <= 6; mu += 0.5 {
			for _, q := range []float64{0.01, 0.1, 0.3, 1, 3, 8, 20} {
				for _, y := range targets {
					mean, sd := exact(head, mu, q, y)
					for _, pull := range pulls {
						off := math.Abs(pulled(t, head, pull, mu, q, y)-mean) / sd
						name := string(head) + " " + string(pull)
						if to[name+" 20"] = max(to[name+" 20"], off); q <= 1 {
							to[name+" 1"] = max(to[name+" 1"], off)
						}
					}
				}
			}
		}
	}
}

// The numbers of notebook 6-one-pass that docs/one-pass.md shows are what package onepass computes. `phe report` reads them from a file,
// since they stand in no result.
func TestNumbersOfPage(t *testing.T) {
	const path = "../../experiments/report/notebook.json"
	adult := toy.Hash(filetest.Must(filetest.Must(tables.Load("adult", files.Options{}))(t).ByGroup(5, 100, 40))(t), onepass.Paper(8, 6, 1))
	swapped := toy.Hash(filetest.Must(odors().Swapped(0.3, 20, 160))(t), toy.Small(5))
	large, small := onepass.Paper(8, 6, 1), toy.Small(5)
	turned := slices.IndexFunc(toy.Turned(300, 1), func(forecast float64) bool { return forecast < 0.5 })
	got := map[string]float64{"plug-in explodes": float64(explodes(t, large, adult)), "rows to turn": float64(turned)}
	got["adult mackay"], got["swapped"] = along(t, large, adult), along(t, small, swapped)
	large.Gamma, small.Gamma = 0.99, 0.99
	got["adult γ"], got["swapped γ"] = along(t, large, adult), along(t, small, swapped)
	got["group learned"], got["group kept"] = grouped(t, 11, false, true)
	_, got["group kept jointly"] = grouped(t, 11, true, true)
	_, got["group kept, head learned"] = grouped(t, 11, false, false)
	_, got["group kept jointly, head learned"] = grouped(t, 11, true, false)
	addPullErrors(t, got)
	if *update {
		rounded := map[string]json.Number{}
		for name, value := range got {
			rounded[name] = json.Number(strconv.FormatFloat(value, 'g', 6, 64))
		}
		content := filetest.Must(json.MarshalIndent(rounded, "", "  "))(t)
		filetest.Check(t, os.WriteFile(filepath.FromSlash(path), append(content, '\n'), 0o644))
	}
	var want map[string]float64
	filetest.Check(t, json.Unmarshal(filetest.Must(os.ReadFile(path))(t), &want))
	filetest.Want(t, len(want), len(got), "numbers in %s", path)
	for name, value := range got { // processors of another kind may forecast a few rows otherwise
		filetest.Near(t, want[name], value, 5e-4*math.Abs(value),
			"%s in %s; run `go test ./notebooks/toy -run TestNumbersOfPage -update`", name, path)
	}
}
