package ensemble

import (
	"fmt"
	"math"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// hedgeOf returns the hedge of a model whose labels come lag rows late, and which have begun to.
func hedgeOf(t *testing.T, target schema.Target, lag float64) *hedge {
	h := modelOf(t, target).hedge
	h.model.statistics.Lag, h.model.Rows = lag, 1
	h.begin(&Predictions{})
	return h
}

// A step of AdaHedge, by hand. The first block has an infinite rate: its gap is the mean loss less the best. From then on the rate is half
// of ln K / Δ, and both forget a 64th in a block.
func TestAdaHedge(t *testing.T) {
	h, prior := modelOf(t, twoClasses).hedge, []float64{2. / 8, 1. / 8, 5. / 8}
	gap, losses, weights := 0., make([]float64, 3), prior
	for block, l := range [][]float64{{0.3, 0.5, 0.9}, {0.8, 0.5, 0.4}, {0.2, 0.6, 0.9}} {
		for i := range h.Block {
			h.Block[i] = 64 * l[i]
		}
		h.Rows = 64
		h.learnBlock()
		mean, mix, rate, sum := 0., 0., math.Log(3)/2/gap, 0.
		for i, w := range weights {
			mean, mix = mean+w*l[i], mix+w*math.Exp(-rate*l[i])
		}
		if mix = -math.Log(mix) / rate; gap == 0 {
			mix = 0.3
		}
		gap = gap*63/64 + mean - mix
		weights = make([]float64, 3)
		for i := range losses {
			losses[i] = losses[i]*63/64 + l[i]
			weights[i] = prior[i] * math.Exp(-math.Log(3)/2/gap*losses[i])
			sum += weights[i]
		}
		for i := range weights {
			weights[i] /= sum
			wantNear(t, fmt.Sprint("hedge: weight ", i, " after block ", block), h.Weights[i], weights[i])
		}
	}
}

// T by hand: n equal errors are one witness, and π/2 n is bounded by the rows that wait. Errors that cancel out are as many witnesses as
// rows. Where a class is so rare that none came, the forecasts expected that.
func TestWitnesses(t *testing.T) {
	const n = 8
	for _, test := range []struct {
		second float64
		y      [n]float64
		want   float64
	}{
		{0.5, [n]float64{1, 1, 1, 1, 1, 1, 1, 1}, n},
		{0.5, [n]float64{1, 1, 1, 0, 1, 0, 1, 1}, math.Pi / 2 * 4 * 4 / n},
		{0.5, [n]float64{1, 0, 1, 0, 0, 1, 0, 1}, 1},
		{0.2, [n]float64{1, 1, 0, 0, 1, 0, 0, 0}, math.Pi / 2 * 1.4 * 1.4 / ((3*0.64 + 5*0.04 + n*0.16) / 2)},
		{0.001, [n]float64{}, 1},
	} {
		h := hedgeOf(t, twoClasses, n-1)
		for _, y := range test.y {
			h.measure(&Prediction{Classes: []float64{1 - test.second, test.second}}, labelOf(y, 1), n)
		}
		wantNear(t, fmt.Sprint("witnesses: T of labels ", test.y), h.Temper, max(1, test.want))
	}
}

// Parts that doubt learn a row as a T-th of a witness, and the others as a whole one: a mixture by the T-th root of Bayes' rule, with a T-th
// of what it shares out, a curve by a T-th of its rows, and weights of the regression regain a T-th of their variance.
func TestDoubts(t *testing.T) {
	const temper = 4
	h := hedgeOf(t, twoClasses, 9)
	r := h.model.NewRow()
	h.model.Read(schema.Record{"one", "two", "b"}, &r)
	h.model.Begin(&r, 0)
	Take(&r, h.model.Forecasters...)
	for i := range r.Predictions.Experts {
		r.Predictions.Experts[i].Classes = []float64{0.2, 0.8}
	}
	h.model.Finish(&r)
	filetest.Want(t, len(r.Predictions.Choices), 2, "choices beside the base rate")
	late := r.Predictions.Kept(Label{})
	h.Temper, r.Late, r.Label = temper, &late, Label{true, 1, 1, 1}
	h.model.Begin(&r, 1)
	h.model.Finish(&r)
	n := float64(len(late.Experts) + 1)
	whole, part := h.model.mixture.weights[0], h.chain[0].(*mixture).weights[0]
	share := func(t float64) float64 {
		odds := math.Pow(0.8/0.5, 1/t)
		return (1-shareOut/t)*odds/((n-1)*odds+1) + shareOut/t/n
	}
	wantNear(t, "doubts: weight of an expert, and of one that doubts", whole, share(1))
	wantNear(t, "doubts: weight of an expert that doubts", part, share(temper))
	wantNear(t, "doubts: variance that is regained", h.chain[1].(*binaryStacking).weights.gain, regained*firstVariance/temper)
	known, sum := 1./16, 0. // one of two rows was known
	for _, rows := range h.chain[2].(*recalibration).rows {
		sum += rows
	}
	wantNear(t, "doubts: rows of the curve", sum, known/temper)
	filetest.Want(t, h.Rows, 1, "rows in the block of losses")
	cov := h.chain[1].(*binaryStacking).weights.cov
	filetest.True(t, cov[1] != 0, "the weights have a covariance")
	h.resetCovariance()
	filetest.Want(t, [2]float64{cov[0], cov[1]}, [2]float64{firstVariance, 0}, "variance and covariance after an alarm")
}

// Parts that doubt begin with what the others know.
func TestDoubtsBegin(t *testing.T) {
	m := modelOf(t, twoClasses)
	m.mixture.weights[0], m.combiners[1].(*binaryStacking).weights.mean[2], m.combiners[2].(*recalibration).rows[3] = 0.7, 5, 9
	m.Rows = 1
	m.hedge.begin(&Predictions{})
	chain := m.hedge.chain
	filetest.Want(t, [3]float64{chain[0].(*mixture).weights[0], chain[1].(*binaryStacking).weights.mean[2],
		chain[2].(*recalibration).rows[3]}, [3]float64{0.7, 5, 9}, "what the others know")
}

// The loss of a number is that of a normal density, in deviations of all targets, to whose variance a quarter is added. An error counts as
// five deviations at most.
func TestLossOfNumber(t *testing.T) {
	h, r := modelOf(t, schema.Target{Kind: schema.Amount}).hedge, labelOf(7, 1)
	r.Predictions.BaseRate.Variance = 4
	wantNear(t, "hedge: loss of a number", h.loss(&Prediction{Mean: 4, Variance: 3}, r), (math.Log(1)+1.5*1.5)/2)
	wantNear(t, "hedge: loss of a wild number", h.loss(&Prediction{Mean: 4000, Variance: 3}, r), 5*5/2.)
}
