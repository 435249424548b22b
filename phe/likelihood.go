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
