package toy

// TwoItemNoise is the variance of the noise that the Bayesian learners of the two items assume. The paper gives none for Fig. 5.
const TwoItemNoise = 1.0

// TwoItemRate is the learning rate of gradient descent on the two items (Fig. 5).
const TwoItemRate = 0.1

// TwoItemTargets are the targets of item 0 and item 1 (Supp. F).
var TwoItemTargets = [2]float64{1, -1}

// TwoItemNames names the learners that NewTwoItemLearners returns.
var TwoItemNames = [3]string{"Exact Bayes", "PHE", "Ada"}

// twoItemRows marks the rows of table E that an item adds up: rows 0 and 1, or rows 1 and 2.
var twoItemRows = [2]vector{{1, 1, 0}, {0, 1, 1}}

// TwoItemLearner learns the targets of item 0 and item 1.
type TwoItemLearner interface {
	Predict(item int) float64
	Learn(item int)
}

// NewTwoItemLearners returns exact Bayes, PHE and Ada before their first datum. The Bayesian learners have the prior N(0, 1).
func NewTwoItemLearners() [3]TwoItemLearner {
	return [3]TwoItemLearner{
		&TwoItemBayes{Covariance: [3]vector{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
		&TwoItemPHE{Variance: vector{1, 1, 1}},
		&TwoItemAda{},
	}
}

// TwoItemBayes is exact Bayesian online learning: a Gaussian with a full covariance over the rows of E.
type TwoItemBayes struct {
	Mean       vector
	Covariance [3]vector
}

// Predict returns the mean of an item's target.
func (b *TwoItemBayes) Predict(item int) float64 { return dot(twoItemRows[item], b.Mean) }

// Variance returns the variance of the item's embedding, without the noise.
func (b *TwoItemBayes) Variance(item int) float64 {
	x, v := twoItemRows[item], 0.0
	for i := range x {
		v += x[i] * dot(b.Covariance[i], x)
	}
	return v
}

// Learn conditions the Gaussian on an item's target. With covariance Σ and s = xᵀΣx + σ², the mean gains Σx(y − xᵀμ)/s, and the
// covariance loses ΣxxᵀΣ/s.
func (b *TwoItemBayes) Learn(item int) {
	x := twoItemRows[item]
	s, missed := b.Variance(item)+TwoItemNoise, TwoItemTargets[item]-b.Predict(item)
	var gain vector
	for i := range gain {
		gain[i] = dot(b.Covariance[i], x)
	}
	for i := range gain {
		b.Mean[i] += gain[i] * missed / s
		for j := range gain {
			b.Covariance[i][j] -= gain[i] * gain[j] / s
		}
	}
}

// TwoItemPHE is PHE's posterior: one mean and one variance for each row of E (Sec. 3.3). Each update maximises Eq. 3 exactly.
type TwoItemPHE struct{ Mean, Variance vector }

// Predict returns the mean of an item's target.
func (p *TwoItemPHE) Predict(item int) float64 { return dot(twoItemRows[item], p.Mean) }

// Learn maximises the ELBO of an item's target against the last posterior. The true posterior is Gaussian. The maximum then has its
// mean, and the inverse of its precision's diagonal as variances.
func (p *TwoItemPHE) Learn(item int) {
	x := twoItemRows[item]
	s, missed := TwoItemNoise, TwoItemTargets[item]-p.Predict(item)
	for i := range x {
		s += x[i] * x[i] * p.Variance[i]
	}
	for i := range x {
		p.Mean[i] += p.Variance[i] * x[i] * missed / s
		p.Variance[i] = 1 / (1/p.Variance[i] + x[i]*x[i]/TwoItemNoise)
	}
}

// TwoItemAda is gradient descent on ½(y − ŷ)²: one number for each row of E.
type TwoItemAda struct{ E vector }

// Predict returns the prediction of an item's target.
func (a *TwoItemAda) Predict(item int) float64 { return dot(twoItemRows[item], a.E) }

// Learn takes one gradient step.
func (a *TwoItemAda) Learn(item int) {
	x, missed := twoItemRows[item], TwoItemTargets[item]-a.Predict(item)
	for i := range x {
		a.E[i] += TwoItemRate * missed * x[i]
	}
}

// vector has a number for each row of the two items' table E.
type vector = [3]float64

func dot(a, b vector) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
