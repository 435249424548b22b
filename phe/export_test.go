package phe

// These have tests of their own: a wrong coefficient would hide in every result.
var (
	InverseErf = inverseErf
	Hermite    = hermite
	KL         = divergence
	Sample     = Gaussian.sample
)
