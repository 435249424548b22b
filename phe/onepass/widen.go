package onepass

// Bounds of Widen.
const (
	widenedShare = 0.2 // share of its prior variance that a weight has at least
	widenedRows  = 4   // rows that the evidence of an item counts as at most
	widenedBase  = 50  // rows that the base rate of evidence counts as at most
)

// Widen makes the beliefs less sure, so that they learn anew what may have changed. It moves no mean.
func (m *Model) Widen() {
	for _, p := range m.parts {
		if w, ok := p.(interface{ widen(rows int) }); ok {
			w.widen(int(m.rows))
		}
	}
}

func (p *weights[T]) widen(rows int) {
	least := T(widenedShare * p.Prior.E)
	p.revise(func(e *entry[T]) { e.variance = max(e.variance, least) }, draws(rows, widening))
}

func (p *evidence) widen(int) {
	for at := 0; at < len(p.words); at += 1 + p.Outputs {
		if first := &p.words[at]; *first&rowsMask > widenedRows {
			*first = *first&^rowsMask | widenedRows
		}
	}
	seen := &p.base[p.Outputs]
	*seen = min(*seen, widenedBase)
	p.trust.widen()
	if p.alone != nil {
		p.alone.widen()
	}
}

// widen makes the weights of evidence as unsure as at first.
func (t *trust) widen() {
	for i := range t.weight {
		t.weight[i].variance = max(t.weight[i].variance, evidenceVariance)
	}
	for i := range t.bias {
		t.bias[i].variance = max(t.bias[i].variance, evidenceBias)
	}
}
