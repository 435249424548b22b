package phe

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// BernoulliLogLikelihood is log p(y) in nats of y ∈ {0, 1} with the given logits; both [samples, batch] or broadcastable.
func BernoulliLogLikelihood(logits, y *Node) *Node {
	return logSigmoid(Mul(logits, AddScalar(MulScalar(y, 2), -1)))
}

// logSigmoid is log σ(z) = min(z, 0) − log(1 + e^{−|z|}), which neither overflows nor cancels.
func logSigmoid(z *Node) *Node {
	return Sub(Min(z, ZerosLike(z)), Log1p(Exp(Neg(Abs(z)))))
}

// CategoricalLogLikelihood is log p(y) in nats: the log-softmax of logits [samples, batch, classes] at y, [batch] int32.
// The result is [samples, batch].
func CategoricalLogLikelihood(logits, y *Node) *Node {
	classes := logits.Shape().Dim(-1)
	return ReduceSum(Mul(LogSoftmax(logits, -1), InsertAxes(OneHot(y, classes, logits.DType()), 0)), -1)
}

// GaussianLogLikelihood is log N(y; mean, stdDev²) in nats, elementwise. stdDev is a constant in the units of y.
func GaussianLogLikelihood(mean, y *Node, stdDev float64) *Node {
	z := MulScalar(Sub(y, mean), 1/stdDev)
	return AddScalar(MulScalar(Square(z), -0.5), -math.Log(stdDev)-0.5*math.Log(2*math.Pi))
}

// PoissonLogLikelihood is log Poisson(y; e^{logRate}) in nats, without log y!, which no parameter changes.
func PoissonLogLikelihood(logRate, y *Node) *Node {
	return Sub(Mul(y, logRate), Exp(logRate))
}

// NegativeBinomialLogLikelihood is log NB(y; mean e^{logMean}, dispersion k = e^{logDispersion}) in nats, elementwise; the
// variance is mean + mean²/k.
func NegativeBinomialLogLikelihood(logMean, logDispersion, y *Node) *Node {
	k := Exp(logDispersion)
	odds := Sub(logMean, logDispersion) // log of mean/k
	// log(1 + mean/k), without overflow
	softplus := Add(Max(odds, ZerosLike(odds)), Log1p(Exp(Neg(Abs(odds)))))
	binomial := Sub(Sub(logGamma(Add(y, k)), logGamma(k)), logGamma(AddScalar(y, 1)))
	return Add(binomial, Sub(Mul(y, Sub(odds, softplus)), Mul(k, softplus)))
}

// logGamma is log Γ(x) of x > 0: Stirling's series at x + 4, which is exact to float32, less the logarithm of the four
// factors between.
func logGamma(x *Node) *Node {
	factors := Mul(Mul(x, AddScalar(x, 1)), Mul(AddScalar(x, 2), AddScalar(x, 3)))
	s := AddScalar(x, 4)
	inverse := Reciprocal(s)
	squared := Square(inverse)
	series := Mul(inverse, AddScalar(Mul(squared, AddScalar(MulScalar(squared, 1./1260), -1./360)), 1./12))
	stirling := Add(Sub(Mul(AddScalar(s, -0.5), Log(s)), s), AddScalar(series, 0.5*math.Log(2*math.Pi)))
	return Sub(stirling, Log(factors))
}
