package toy_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gophe/experiments/run"
	"gophe/experiments/spec"
	"gophe/notebooks/toy"
	"gophe/phe/filetest"
)

// The learners make the same predictions as the study's run of Fig. 5, datum by datum. The PHE of that run is exact Bayes.
func TestTwoItemsFollowTheStudy(t *testing.T) {
	experiment := filetest.Must(spec.Load("two-items"))(t)
	f := filetest.Must(run.Execute(context.Background(), experiment, run.Options{Out: t.TempDir()}))(t)
	for i, method := range map[int]string{0: "PHE", 2: "Ada"} {
		learner := toy.NewTwoItemLearners()[i]
		for step, want := range f.Method(method, false).Runs[0].Prediction {
			item := step / experiment.Protocol.ChunkRows % 2
			if got := learner.Predict(item); math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s, step %d: %v, and the study says %v", toy.TwoItemNames[i], step, got, want)
			}
			learner.Learn(item)
		}
	}
}

// PHE's update is the maximum of Eq. 3: no other mean or variance near it has a larger ELBO.
func TestTwoItemPHEMaximisesELBO(t *testing.T) {
	prior := toy.TwoItemPHE{Mean: [3]float64{0.3, -0.2, 0.1}, Variance: [3]float64{0.5, 0.8, 1.2}}
	x, y := [3]float64{0, 1, 1}, toy.TwoItemTargets[1]
	normal := func(q toy.TwoItemPHE, i int) distuv.Normal {
		return distuv.Normal{Mu: q.Mean[i], Sigma: math.Sqrt(q.Variance[i])}
	}
	// elbo is E_q[log p(y | e)] − KL(q‖prior), without its constant.
	elbo := func(q toy.TwoItemPHE) float64 {
		missed, variance, distance := y, 0.0, 0.0
		for i := range x {
			missed -= x[i] * q.Mean[i]
			variance += x[i] * x[i] * q.Variance[i]
			distance += distuv.KullbackLeibler{}.DistNormal(normal(q, i), normal(prior, i))
		}
		return -(missed*missed+variance)/(2*toy.TwoItemNoise) - distance
	}
	best := prior
	best.Learn(1)
	for i := range x {
		for _, step := range []float64{-1e-3, 1e-3} {
			mean, variance := best, best
			mean.Mean[i] += step
			variance.Variance[i] *= 1 + step
			for what, other := range map[string]toy.TwoItemPHE{"mean": mean, "variance": variance} {
				if elbo(other) >= elbo(best) {
					t.Errorf("%s %d moved by %g has ELBO %v, the update %v", what, i, step, elbo(other), elbo(best))
				}
			}
		}
	}
}

// Long turns end where Supp. F says: gradient descent at e = (½, −¼, −¾), with error ¾ on item 0, and exact Bayes near (1, 0, −1).
func TestTwoItemLongTurns(t *testing.T) {
	learners := toy.NewTwoItemLearners()
	for _, l := range learners {
		for item := range 2 {
			for range 20_000 {
				l.Learn(item)
			}
		}
	}
	ada := learners[2].(*toy.TwoItemAda)
	for i, want := range []float64{0.5, -0.25, -0.75} {
		if math.Abs(ada.E[i]-want) > 1e-6 {
			t.Errorf("descent ends at %v", ada.E)
		}
	}
	for i, want := range []float64{1, 0, -1} {
		if got := learners[0].(*toy.TwoItemBayes).Mean[i]; math.Abs(got-want) > 1e-3 {
			t.Errorf("exact Bayes' row %d is %v, want %v", i, got, want)
		}
	}
}
