package ensemble

import (
	"fmt"
	"math"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// Steps of AdaHedge, by hand. The first block has an infinite rate: its gap is the mean loss less the least. From then on the rate is half
// of ln K / Δ, and all forget a 64th in a block. A loss is at most 4 above the least, but not in a model of before that bound.
func TestAdaHedge(t *testing.T) {
	testAdaHedge(t, true, 4.5)
	testAdaHedge(t, false, math.Inf(1))
}

func testAdaHedge(t *testing.T, bounded bool, most float64) {
	h, weights, gap, losses := modelOf(t, twoClasses).hedge, []float64{0.2, 0.1, 0.7}, 0., make([]float64, 3)
	h.Bounded = bounded
	for block, l := range [][]float64{{0.3, 0.5, 0.9}, {0.8, 0.5, 0.4}, {0.2, 0.6, 0.9}, {9, 0.5, 0.9}} {
		mean, mixed, rate, sum := 0., 0., math.Log(3)/2/gap, 0.
		for i, w := range weights {
			h.Block[i] = 64 * l[i]
			l[i] = min(l[i], most)
			mean, mixed = mean+w*l[i], mixed+w*math.Exp(-rate*l[i])
		}
		h.Rows = 64
		h.learnBlock()
		if mixed = -math.Log(mixed) / rate; gap == 0 {
			mixed = 0.3
		}
		gap = gap*63/64 + mean - mixed
		for i := range losses {
			losses[i] = losses[i]*63/64 + l[i]
			weights[i] = h.prior[i] * math.Exp(-math.Log(3)/2/gap*losses[i])
			sum += weights[i]
		}
		for i := range weights {
			weights[i] /= sum
			wantNear(t, fmt.Sprint("hedge: weight ", i, " after block ", block), h.Weights[i], weights[i])
		}
	}
}

// √T by hand: 5/4 |Σe| / √½(Σe² + Σv) of two classes. It is large for equal labels, and small where a class is so rare that none came.
func TestWitnesses(t *testing.T) {
	const n = 8
	for labels, test := range map[[n]float64]struct{ second, sum, squares float64 }{
		{1, 1, 1, 1, 1, 1, 1, 1}: {0.5, 4, n * 0.25},
		{1, 0, 1, 0, 0, 1, 0, 1}: {0.5, 0, n * 0.25},
		{1, 1, 0, 0, 1, 0, 0, 0}: {0.2, 3*0.8 - 5*0.2, (3*0.64 + 5*0.04 + n*0.16) / 2},
		{}:                       {0.001, n * 0.001, n * 0.001 / 2},
	} {
		h := modelOf(t, twoClasses).hedge
		for _, y := range labels {
			h.measure(&Prediction{Classes: []float64{1 - test.second, test.second}}, labelOf(y, 1), n)
		}
		wantNear(t, fmt.Sprint("witnesses: √T of labels ", labels), h.Ratio, 1.25*test.sum/math.Sqrt(test.squares))
	}
}

// The chain that doubts begins as the combiners. Then it learns a row as a T-th of a witness: its mixture by the T-th root of Bayes' rule
// and a T-th of the share for all, its curve a T-th of the row, and its regression regains a T-th of the variance.
func TestDoubts(t *testing.T) {
	m := modelOf(t, twoClasses)
	h, r, temper := m.hedge, m.NewRow(), 4.
	m.combiners[1].(*binaryStacking).weights.mean[2], m.Rows = 5, 1
	h.begin(&Predictions{})
	mixed, curve := h.chain[0].(*mixture), h.chain[2].(*recalibration)
	weights := &h.chain[1].(*binaryStacking).weights
	filetest.Want(t, weights.mean[2], 5, "what the regression knew")
	m.Read(schema.Record{"one", "two", "b"}, &r)
	m.Begin(&r, 0)
	Take(&r, m.Forecasters...)
	for i := range r.Predictions.Experts {
		r.Predictions.Experts[i].Classes = []float64{0.2, 0.8}
	}
	m.Finish(&r)
	var late Predictions
	late.Keep(&r.Predictions, Label{})
	h.Ratio, m.statistics.Lag, r.Late, r.Label = math.Sqrt(temper), 9, &late, Label{true, 1, 1, 1}
	m.Begin(&r, 1)
	m.Finish(&r)
	n, sum := float64(len(late.Experts)+1), 0.
	weight := func(t float64) float64 {
		odds := math.Pow(0.8/0.5, 1/t)
		return (1-shareOut/t)*odds/((n-1)*odds+1) + shareOut/t/n
	}
	wantNear(t, "weight of an expert", m.mixture.weights[0], weight(1))
	wantNear(t, "doubts: weight of an expert", mixed.weights[0], weight(temper))
	wantNear(t, "doubts: variance that is regained", weights.gain, regained*firstVariance/temper)
	for _, rows := range curve.rows {
		sum += rows
	}
	wantNear(t, "doubts: rows of the curve", sum, math.Pow(0.5, 4)/temper) // one of two rows was known
	h.resetCovariance()
	filetest.Want(t, [2]float64{weights.cov[0], weights.cov[1]}, [2]float64{firstVariance, 0}, "variance and covariance after an alarm")
}

// The loss of a number is the loss of a normal density in deviations of all targets, to whose variance a quarter is added. An error counts
// as five deviations at most.
func TestLossOfNumber(t *testing.T) {
	h, r := modelOf(t, schema.Target{Kind: schema.Amount}).hedge, labelOf(7, 1)
	r.Predictions.BaseRate.Variance = 4
	wantNear(t, "loss of a number", h.loss(&Prediction{Mean: 4, Variance: 7}, r), (math.Log(2)+1.5*1.5/2)/2)
	wantNear(t, "loss of a wild number", h.loss(&Prediction{Mean: 4000, Variance: 3}, r), 5*5/2.)
}
