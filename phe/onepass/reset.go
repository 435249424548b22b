package onepass

// reset makes beliefs less sure.
type reset struct {
	share float64 // of its prior variance that a weight has at least
	keep  float64 // share of the mean of a weight that stays
	rows  uint32  // that the evidence of an item counts as at most
}

const resetBase = 50 // rows that the base rate of evidence counts as at most

// ResetCovariance makes the beliefs less sure, so that they learn anew what may have changed. It moves no mean.
func (m *Model) ResetCovariance() { m.reset(reset{share: 0.2, keep: 1, rows: 4}) }

// Forget makes the beliefs as unsure as at first. A share of each weight's mean stays, and no evidence of items.
func (m *Model) Forget(keep float64) { m.reset(reset{share: 1, keep: keep}) }

func (m *Model) reset(r reset) {
	for _, p := range m.parts {
		if p, ok := p.(interface{ reset(r reset, rows int) }); ok {
			p.reset(r, int(m.rows))
		}
	}
}

func (p *weights[T]) reset(r reset, rows int) {
	least, keep := T(r.share*p.Prior.E), T(r.keep)
	p.revise(func(e *entry[T]) { e.mean, e.variance = keep*e.mean, max(e.variance, least) }, draws(rows, resetting))
}

func (p *evidence) reset(r reset, _ int) {
	for at := 0; at < len(p.words); at += 1 + p.Outputs {
		if first := &p.words[at]; *first&rowsMask > r.rows {
			*first = *first&^rowsMask | r.rows
		}
	}
	seen := &p.base[p.Outputs]
	*seen = min(*seen, resetBase)
	p.trust.reset()
	if p.alone != nil {
		p.alone.reset()
	}
}

// reset makes the weights of evidence as unsure as at first.
func (t *trust) reset() {
	for i := range t.weight {
		t.weight[i].variance = max(t.weight[i].variance, t.first[i/len(t.bias)%EvidenceBins].variance)
	}
	for i := range t.bias {
		t.bias[i].variance = max(t.bias[i].variance, evidenceBias)
	}
}
