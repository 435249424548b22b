package toy

import (
	"gonum.org/v1/gonum/stat/distmv"

	"gophe/phe/belief"
)

// TwoItemTargets are the targets of item 0 and item 1 (Supp. F).
var TwoItemTargets = [2]float64{1, -1}

// TwoItemNames names the learners that NewTwoItemLearners returns.
var TwoItemNames = [3]string{"Exact Bayes", "PHE", "Ada"}

// twoItem returns an observation of an item: item 0 adds up rows 0 and 1 of table E, and item 1 rows 1 and 2. The Bayesian learners
// assume noise of variance 1. The paper gives none for Fig. 5.
func twoItem(item int) Conjugate {
	x := [][]float64{{1, 1, 0}, {0, 1, 1}}[item]
	return Conjugate{X: [][]float64{x}, Y: TwoItemTargets[item : item+1], NoiseStdDev: 1}
}

// TwoItemLearner learns the targets of item 0 and item 1.
type TwoItemLearner interface {
	Predict(item int) float64
	Learn(item int)
}

// NewTwoItemLearners returns exact Bayes, PHE and Ada before their first datum. The Bayesian learners have the prior N(0, 1). Each
// update of PHE maximises Eq. 3 exactly. Ada is gradient descent with the learning rate 0.1, as in Fig. 5.
func NewTwoItemLearners() [3]TwoItemLearner {
	return [3]TwoItemLearner{
		&TwoItemBelief{Standard(3), Conjugate.Posterior},
		&TwoItemBelief{Standard(3), Conjugate.MeanField},
		twoItemDescent{belief.NewLinearDescent(3, 0.1)},
	}
}

// TwoItemBelief is Bayesian online learning by a rule.
type TwoItemBelief struct {
	Rows *distmv.Normal // of E
	rule Rule
}

// Predict returns the mean of an item's target.
func (b *TwoItemBelief) Predict(item int) float64 {
	mean, _ := Output(b.Rows, twoItem(item).X[0])
	return mean
}

// Spread returns the standard deviation of the item's embedding, without the noise.
func (b *TwoItemBelief) Spread(item int) float64 {
	_, stdDev := Output(b.Rows, twoItem(item).X[0])
	return stdDev
}

// Learn takes up an item's target.
func (b *TwoItemBelief) Learn(item int) { b.Rows = b.rule(twoItem(item), b.Rows) }

// twoItemDescent is gradient descent on ½(y − ŷ)²: one number for each row of E.
type twoItemDescent struct{ *belief.LinearDescent }

// Predict returns the prediction of an item's target.
func (d twoItemDescent) Predict(item int) float64 { return d.LinearDescent.Predict(twoItem(item).X[0]) }

// Learn takes one gradient step.
func (d twoItemDescent) Learn(item int) { d.Update(twoItem(item).X[0], TwoItemTargets[item]) }
