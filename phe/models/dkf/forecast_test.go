package dkf_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/dkf"
)

const variants = 4 // as they are; another count in place 2 (the last); in place 1; in place 0

// variantData returns windows in several variants, one variant after the other.
func variantData(windows int) dkf.Data {
	base := toyData(windows, randomCounts())
	d := base
	d.Windows = nil
	events := int32(len(base.Counts))
	for v := range int32(variants) {
		for i, e := range base.Windows {
			d.Windows = append(d.Windows, v*events+e)
			if v > 0 {
				y := base.Counts[e]
				if int32(i%toyLength) == toyLength-v {
					y += 7
				}
				d.Counts = append(d.Counts, y)
			}
		}
		if v > 0 {
			d.Index, d.Numbers = append(d.Index, base.Index...), append(d.Numbers, base.Numbers...)
			d.Times = append(d.Times, base.Times...)
		}
	}
	return d
}

// A forecast does not look at the count that it forecasts: another one changes no bit, for all inputs and likelihoods,
// while another one before does. A reconstruction, as the authors' program has it, looks.
func TestForecastSeesNoCountOfItsOwn(t *testing.T) {
	const windows = 4
	d := variantData(windows)
	for i, likelihood := range []dkf.Likelihood{dkf.Poisson, dkf.NegativeBinomial, dkf.Histogram} {
		for k, inputs := range []dkf.Inputs{dkf.Raw, dkf.Logarithms, dkf.Relative} {
			for _, prediction := range []dkf.Prediction{dkf.Forecast, dkf.Reconstruction} {
				if nettest.Brief(t) && (i != k || (prediction == dkf.Reconstruction) != (inputs == dkf.Raw)) {
					continue
				}
				c := toyConfig()
				c.Prediction, c.Likelihood, c.Inputs, c.Transition = prediction, likelihood, inputs, dkf.WithGap
				l := newLearner(t, c, d, windows, 6)
				var predictions [variants][]float32
				for v := range predictions {
					predictions[v] = predict(t, l, upTo(variants * windows)[v*windows:(v+1)*windows], 1)
				}
				name := fmt.Sprintf("%s, %s, %s", prediction, likelihood, inputs)
				width := len(predictions[0]) / windows
				for w := range windows {
					of := func(variant int) []float32 { return predictions[variant][w*width : (w+1)*width] }
					if same := slices.Equal(of(0), of(1)); same != (prediction == dkf.Forecast) {
						t.Errorf("%s: window %d predicts %v, with another last count %v", name, w, of(0), of(1))
					}
					if slices.Equal(of(0), of(2)) || slices.Equal(of(0), of(3)) {
						t.Errorf("%s: window %d does not look at its counts", name, w)
					}
				}
			}
		}
	}
}

// What training maximises looks back too: no gradient with respect to the counts that are seen, which are another array
// than the targets, comes from an event's own count or a later one. The ELBO's filter sees all of them.
func TestTrainingSeesNoCountOfItsOwn(t *testing.T) {
	d := toyData(2, randomCounts())
	for _, c := range []struct {
		objective dkf.Objective
		inputs    dkf.Inputs
		seen      [toyLength]bool
	}{
		{dkf.Predictive, dkf.Relative, [toyLength]bool{true, true, false}},
		{dkf.Predictive, dkf.Raw, [toyLength]bool{true, true, false}},
		{dkf.ELBO, dkf.Relative, [toyLength]bool{true, true, true}},
	} {
		if nettest.Brief(t) && (c.inputs == dkf.Raw || c.objective == dkf.ELBO) {
			continue
		}
		config := toyConfig()
		config.Prediction, config.Objective, config.Inputs, config.Likelihood = dkf.Forecast, c.objective, c.inputs, dkf.NegativeBinomial
		gradient := observe(t, config, d, float32Lists(randomParameters(t, config)), 2, revealing(false), func(m *dkf.Model, p learn.Pass) []*Node {
			return Gradient(ReduceAllSum(dataTerm(m, p)), p.Inputs["counts"])
		}).look(t, []int32{0, 1})[0]
		for event, g := range gradient {
			if (g != 0) != c.seen[event%toyLength] {
				t.Errorf("%s, %s: event %d of window %d has the gradient %g", c.objective, c.inputs, event%toyLength, event/toyLength, g)
			}
		}
	}
}

// A posterior predicts with one distribution for each sample, and the distributions differ. With a histogram, their mean is one
// distribution.
func TestSamples(t *testing.T) {
	const windows, samples = 3, 16
	d := toyData(windows, randomCounts())
	for _, loss := range []phe.Loss{phe.Expected, phe.LogAverage} {
		for _, likelihood := range []dkf.Likelihood{dkf.Poisson, dkf.NegativeBinomial, dkf.Histogram} {
			if nettest.Brief(t) && (loss != phe.Expected || likelihood != dkf.NegativeBinomial) {
				continue
			}
			c := toyConfig()
			c.Prediction, c.Likelihood, c.Objective, c.Loss = dkf.Forecast, likelihood, dkf.Predictive, loss
			c.Encoder.Estimate, c.Encoder.InitialLogStdDev, c.TrainSamples, c.TestSamples = phe.Posterior, -1, 4, samples
			l := newLearner(t, c, d, windows, 6, 7)
			if !nettest.Brief(t) {
				check(t, l.Fit(upTo(windows), 1))
				l.Settle()
				check(t, l.Update(upTo(windows), 1))
			}
			values := predict(t, l, upTo(windows), 0)
			width := map[dkf.Likelihood]int{dkf.Poisson: samples, dkf.NegativeBinomial: 2 * samples, dkf.Histogram: 95}[likelihood]
			if len(values) != 2*windows*width {
				t.Fatalf("%s: %d numbers for 2 runs of %d windows", likelihood, len(values), windows)
			}
			for row := range slices.Chunk(values, width) {
				if likelihood != dkf.Histogram {
					different := map[float32]bool{}
					for _, v := range row {
						different[v] = true
					}
					if len(different) != width {
						t.Errorf("%s: samples %v", likelihood, row)
					}
				}
				distribution := newModel(t, c).Forecast(row)
				if total := distribution.CDF(1 << 40); !(math.Abs(total-1) < 1e-5) {
					t.Errorf("%s: P(Y < 2⁴⁰) is %g", likelihood, total)
				}
			}
		}
	}
}

// A point estimate has no posterior over embeddings, but it has the same latent z. It must average over the same number of z as a
// posterior. Otherwise the comparison of the methods would also compare averaged forecasts with single ones.
func TestPointSamplesItsLatent(t *testing.T) {
	const windows, samples = 3, 16
	c := toyConfig()
	c.Prediction, c.TestSamples = dkf.Forecast, samples
	l := newLearner(t, c, toyData(windows, randomCounts()), windows, 6)
	if got := len(predict(t, l, upTo(windows), 0)) / windows; got != samples {
		t.Errorf("a window is forecast by %d rates, of a posterior by %d", got, samples)
	}
}

// Dropped embeddings are training's: with the same parameters a forecast stays as it is, and an epoch ends elsewhere.
func TestItemDropout(t *testing.T) {
	if nettest.Brief(t) {
		t.Skip("ten seconds of compilation; TestAgainstPlainGo has the graph")
	}
	d := toyData(20, randomCounts())
	var predictions [2][]float32
	var trained [2][][]float32
	for i, share := range []float64{0, 0.5} {
		c := toyConfig()
		c.Prediction, c.ItemDropout = dkf.Forecast, share
		l := newLearner(t, c, d, 5, 6)
		predictions[i] = predict(t, l, upTo(5), 0)
		check(t, l.Fit(upTo(20), 1))
		trained[i] = snapshot(t, l).Parameters
	}
	if !slices.Equal(predictions[0], predictions[1]) {
		t.Errorf("forecasts are %v without dropout and %v with", predictions[0], predictions[1])
	}
	for p := range trained[0] {
		if slices.Equal(trained[0][p], trained[1][p]) {
			t.Errorf("dropout leaves the training of parameter %d as it was", p)
		}
	}
}
