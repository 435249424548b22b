package onepass

// Bounds of ResetCovariance.
const (
	resetShare = 0.2 // share of its prior variance that a weight has at least
	resetRows  = 4   // rows that the evidence of an item counts as at most
	resetBase  = 50  // rows that the base rate of evidence counts as at most
)

// ResetCovariance makes the beliefs less sure, so that they learn anew what may have changed. It moves no mean.
func (m *Model) ResetCovariance() {
	for _, p := range m.parts {
		if w, ok := p.(interface{ resetCovariance(rows int) }); ok {
			w.resetCovariance(int(m.rows))
		}
	}
}

func (p *weights[T]) resetCovariance(rows int) {
	least := T(resetShare * p.Prior.E)
	p.revise(func(e *entry[T]) { e.variance = max(e.variance, least) }, draws(rows, resetting))
}

func (p *evidence) resetCovariance(int) {
	for at := 0; at < len(p.words); at += 1 + p.Outputs {
		if first := &p.words[at]; *first&rowsMask > resetRows {
			*first = *first&^rowsMask | resetRows
		}
	}
	seen := &p.base[p.Outputs]
	*seen = min(*seen, resetBase)
	p.trust.resetCovariance()
	if p.alone != nil {
		p.alone.resetCovariance()
	}
}

// resetCovariance makes the weights of evidence as unsure as at first.
func (t *trust) resetCovariance() {
	for i := range t.weight {
		t.weight[i].variance = max(t.weight[i].variance, t.first[i/len(t.bias)%EvidenceBins].variance)
	}
	for i := range t.bias {
		t.bias[i].variance = max(t.bias[i].variance, evidenceBias)
	}
}
