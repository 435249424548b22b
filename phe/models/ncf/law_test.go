package ncf_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gophe/phe"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/ncf"
)

// Schemes Local and Items have the distribution of Rows, rating by rating: mean and variance of the predicted means agree to four
// and a half standard errors of both, for users, items and embedded labels.
func TestSchemesHaveOneLaw(t *testing.T) {
	const samples = 2000
	rows := rowsOf(0, 15) // of 15 items, the first without labels
	var mean, meanError, variance, varianceError [3][]float64
	for i, scheme := range []phe.Scheme{phe.Fresh, phe.Local, phe.Items} {
		c := methods[0].config()
		c.Scheme, c.TestSamples, c.LabelInput, c.Encoder.InitialLogStdDev = scheme, samples, ncf.Embedded, -0.5
		predictions := newLearner(t, c, toyData(), 64, 6).Predict(t, rows, 0)
		for sample := range slices.Chunk(predictions, samples) {
			x := c.Forecast(sample).Means
			m, v := stat.MeanVariance(x, nil)
			fourth := stat.MomentAbout(4, x, m, nil)
			mean[i], meanError[i] = append(mean[i], m), append(meanError[i], math.Sqrt(v/samples))
			variance[i], varianceError[i] = append(variance[i], v), append(varianceError[i], math.Sqrt((fourth-v*v)/samples))
		}
	}
	for i := 1; i < 3; i++ {
		for row := range rows {
			for _, moment := range []struct {
				name          string
				values, error [3][]float64
			}{{"mean", mean, meanError}, {"variance", variance, varianceError}} {
				a, b := moment.values[0][row], moment.values[i][row]
				if z := (a - b) / math.Hypot(moment.error[0][row], moment.error[i][row]); !(math.Abs(z) < 4.5) {
					t.Errorf("scheme %d, row %d: %s %g is %.1f standard errors from Rows' %g", i, row, moment.name, b, z, a)
				}
			}
		}
	}
}

// A posterior that is nearly certain predicts the same as the point estimate at its means.
func TestCertainPosteriorIsPoint(t *testing.T) {
	rows := rowsOf(0, 23)
	for i, scheme := range []phe.Scheme{phe.Fresh, phe.Local, phe.Items} {
		if learntest.Brief(t) && i > 0 {
			break
		}
		c, point := methods[0].config(), methods[1].config()
		c.Scheme, point.Scheme = scheme, scheme
		c.LabelInput, point.LabelInput = ncf.Embedded, ncf.Embedded
		l := newLearner(t, c, toyData(), 64, 6, 7)
		p := l.State(t).Parameters // E, its log σ, W, its log σ, θ
		for _, logStdDevs := range [][]float32{p[1], p[3]} {
			for i := range logStdDevs {
				logStdDevs[i] = -20
			}
		}
		check(t, l.Restore(learn.Snapshot{Parameters: p}))
		ada := newLearner(t, point, toyData(), 64, 6, 7)
		check(t, ada.Restore(learn.Snapshot{Parameters: slices.Concat(p[:1], p[2:3], p[4:])}))
		want := ada.Predict(t, rows, 0)
		for i, v := range l.Predict(t, rows, 0) {
			// σ is at most 3e-8; a sum's float32 roundings are of 1e-7.
			if w := want[i/c.TestSamples]; !(math.Abs(float64(v-w)) < 2e-6) {
				t.Fatalf("scheme %q: prediction %d is %g, the point estimate's %g", scheme, i, v, w)
			}
		}
	}
}
