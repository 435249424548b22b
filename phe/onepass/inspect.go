package onepass

import (
	"math"

	"gophe/phe/belief"
)

// Tables describes the use of a model's tables, and the outcome of looking up evidence.
type Tables struct {
	Buckets  int     // number of buckets of table E
	Touched  float64 // share of buckets that a row has moved
	Slots    int     // number of slots of evidence
	Used     float64 // share of slots that hold an item
	Hits     float64 // share of lookups that found the item's slot; Hits, Inserts and Collides are NaN before the first lookup
	Inserts  float64 // share of lookups that took an empty slot
	Collides float64 // share of lookups that met another item's slot
	Distance float64 // KL of table E from the prior, in nats
}

// part returns a part of the model by its name; one without numbers if the model has none of the name.
func (m *Model) part(name string) belief.Part {
	for _, p := range m.Parts() {
		if p.Name == name {
			return p
		}
	}
	return belief.Part{}
}

// Tables describes the tables of the preset Stream.
func (m *Model) Tables() Tables {
	e, n, met := m.part(tableE), m.part(evidenceCount), m.part(evidenceMet)
	t, prior, last := Tables{Buckets: m.config.Buckets, Slots: n.Len}, m.config.Prior.E, -1
	touched, used := 0., 0.
	if m.config.Compact {
		prior = float64(float32(prior))
	}
	for i := range e.Len {
		if mean, v := e.Get(i); mean != 0 || v != prior {
			t.Distance += 0.5 * (v/prior - 1 - math.Log(v/prior) + mean*mean/prior)
			if bucket := i / m.config.Outputs; bucket > last {
				touched, last = touched+1, bucket
			}
		}
	}
	for i := range n.Len {
		if rows, _ := n.Get(i); rows > 0 {
			used++
		}
	}
	t.Touched, t.Used = touched/float64(max(1, t.Buckets)), used/float64(max(1, t.Slots))
	all, shares := 0., []*float64{&t.Hits, &t.Inserts, &t.Collides}
	for i := range met.Len {
		*shares[i], _ = met.Get(i)
		all += *shares[i]
	}
	for i := range met.Len {
		*shares[i] /= all
	}
	return t
}

// Scale is the belief about a column's scale β for one logit. The scale of a useless column falls.
type Scale struct{ Mean, Deviation float64 }

// Scales returns the scales of a column of the preset Stream, one for each logit; nil for another configuration.
func (m *Model) Scales(column int) (scales []Scale) {
	if theta := m.part(tableTheta); m.config.Scales && theta.Len > 0 {
		for o := range m.config.Outputs {
			mean, variance := theta.Get(column*m.config.Outputs + o)
			scales = append(scales, Scale{mean, math.Sqrt(variance)})
		}
	}
	return scales
}
