package notebooks_test

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

	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
)

var update = flag.Bool("update", false, "write the numbers of notebook 6-one-pass that docs/one-pass.md shows")

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

// The numbers of notebook 6-one-pass that docs/one-pass.md shows are what its cells show, and errors of the pulls that are computed here.
// `phe report` reads them from a file, since they stand in no result.
func TestNumbersOfPage(t *testing.T) {
	const path = "../experiments/report/notebook.json"
	all := committed(t)
	cells := all[slices.IndexFunc(all, func(n notebook) bool { return n.path == "6-one-pass.ipynb" })].code()
	read := func(cell int, name string, row int) float64 { return cells[cell].shown(t).column(t, name)[row] }
	const adult, swapped, until = "Adult by group (%)", "Mushroom swapped (%)", "rows until the forecast is below ½"
	got := map[string]float64{"plug-in explodes": read(14, "rows learned", 1), "rows to turn": read(16, until, 4),
		"adult mackay": read(17, adult, 0), "adult γ": read(17, adult, 3), "swapped": read(17, swapped, 0),
		"swapped γ": read(17, swapped, 3), "group learned": read(22, "group 1 (%)", 4),
		"group kept": read(22, "at end", 4), "group kept jointly": read(22, "at end", 5),
		"group kept, head learned": read(22, "at end", 6), "group kept jointly, head learned": read(22, "at end", 7)}
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
			"%s in %s; run `go test ./notebooks -run TestNumbersOfPage -update`", name, path)
	}
}
