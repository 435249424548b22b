package likelihood

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// logBernoulli returns log p(y) in nats of y ∈ {0, 1} under logits. Both are [samples, batch] or broadcastable. It is
// log σ(±logit) = min(z, 0) − log(1 + e^{−|z|}), a form without overflow and cancellation.
func logBernoulli(logits, y *Node) *Node {
	z := Mul(logits, AddScalar(MulScalar(y, 2), -1))
	return Sub(Min(z, ZerosLike(z)), Log1p(Exp(Neg(Abs(z)))))
}

// logNegativeBinomial returns log NB(y; mean e^{logMean}, dispersion k = e^{logDispersion}) in nats, elementwise.
func logNegativeBinomial(logMean, logDispersion, y *Node) *Node {
	logDispersion = MinScalar(logDispersion, 15)
	k := Exp(logDispersion)
	odds := Sub(logMean, logDispersion) // log of mean/k
	// log(1 + mean/k), without overflow
	softplus := Add(Max(odds, ZerosLike(odds)), Log1p(Exp(Neg(Abs(odds)))))
	// log Γ(y+k) − log Γ(k) less y·log(a+y), by Stirling's series at a = k+4 and a+y. The large terms of both cancel on paper,
	// but not in float32.
	a := AddScalar(k, 4)
	rising := Sub(Mul(AddScalar(a, -0.5), Log1p(Div(y, a))), y)
	rising = Add(rising, Sub(stirlingRest(Add(a, y)), stirlingRest(a)))
	rising = Sub(rising, Sub(Log(Add(k, y)), logDispersion)) // as the terms below, but also exact for a tiny k
	for j := 1; j < 4; j++ {
		rising = Sub(rising, Log1p(Div(y, AddScalar(k, float64(j)))))
	}
	perUnit := Add(Log(Add(a, y)), Sub(odds, softplus))
	return Sub(Add(rising, Mul(y, perUnit)), Add(logGamma(AddScalar(y, 1)), Mul(k, softplus)))
}

// logGamma returns log Γ(x) for x ≥ 1: Stirling's series at x + 4, which is exact to float32, less the logarithms between.
func logGamma(x *Node) *Node {
	s := AddScalar(x, 4)
	log := Sub(Mul(AddScalar(s, -0.5), Log(s)), s)
	log = Add(log, AddScalar(stirlingRest(s), 0.5*math.Log(2*math.Pi)))
	for j := range 4 {
		log = Sub(log, Log(AddScalar(x, float64(j))))
	}
	return log
}

// stirlingRest returns log Γ(x) − ((x−½)·log x − x + ½·log 2π) for x ≥ 4.
func stirlingRest(x *Node) *Node {
	inverse := Reciprocal(x)
	squared := Square(inverse)
	return Mul(inverse, AddScalar(Mul(squared, AddScalar(MulScalar(squared, 1./1260), -1./360)), 1./12))
}
