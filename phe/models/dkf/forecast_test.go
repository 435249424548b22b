package dkf_test

import (
	"fmt"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/dkf"

	"gophe/phe/disk/filetest"
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
					predictions[v] = l.Predict(t, upTo(variants * windows)[v*windows:(v+1)*windows], 1)
				}
				name := fmt.Sprintf("%s, %s, %s", prediction, likelihood, inputs)
				width := len(predictions[0]) / windows
				for w := range windows {
					of := func(variant int) []float32 { return predictions[variant][w*width : (w+1)*width] }
					filetest.Want(t, slices.Equal(of(0), of(1)), prediction == dkf.Forecast,
						"%s: window %d predicts the same with another last count", name, w)
					filetest.True(t, !slices.Equal(of(0), of(2)) && !slices.Equal(of(0), of(3)),
						"%s: window %d does not look at its counts", name, w)
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
		parameters := nettest.Converted[float32](randomParameters(t, config))
		gradient := observe(t, config, d, parameters, 2, revealing(false), func(m *dkf.Model, p learn.Pass) []*Node {
			return Gradient(ReduceAllSum(dataTerm(m, p)), p.Inputs["counts"])
		}).look(t, []int32{0, 1})[0]
		for event, g := range gradient {
			filetest.Want(t, g != 0, c.seen[event%toyLength], "%s, %s: event %d of window %d has a gradient",
				c.objective, c.inputs, event%toyLength, event/toyLength)
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
	filetest.Want(t, len(l.Predict(t, upTo(windows), 0))/windows, samples, "rates that forecast a window")
	c.Encoder.Estimate = phe.Posterior // whose draws of the past serve equal shares of the samples
	each := newLearner(t, c, toyData(windows, randomCounts()), windows, 6).Predict(t, upTo(windows), 0)
	c.HistorySamples = samples / 2
	shared := newLearner(t, c, toyData(windows, randomCounts()), windows, 6).Predict(t, upTo(windows), 0)
	filetest.Want(t, len(shared), len(each), "rates where two samples share a past")
	filetest.True(t, !slices.Equal(shared, each), "history_samples %d changes no forecast", c.HistorySamples)
}
