package onepass

// forgetting makes beliefs wider again, so that what has changed can be learned anew.
type forgetting struct {
	gamma float64 // share of its precision that a touched entry keeps, before a row; 1 forgets nothing
	tau   float64 // share of its prior variance that a touched entry gains, after a row; 0 forgets nothing
}

// widen adds tau of the prior variance to variances, up to all of it.
func (f forgetting) widen(variance []float64, prior float64) {
	if f.tau == 0 {
		return
	}
	for i, v := range variance {
		variance[i] = min(prior, v+f.tau*prior)
	}
}

// age draws entries from … to towards the prior N(0, prior): q ← q^γ p₀^{1−γ}.
func (f forgetting) age(b beliefs, from, to int, prior float64) {
	for i := from; i < to; i++ {
		v := b.variance[i]
		if v == 0 {
			continue
		}
		wider := 1 / (f.gamma/v + (1-f.gamma)/prior)
		b.mean[i] *= f.gamma * wider / v
		b.variance[i] = wider
	}
}
