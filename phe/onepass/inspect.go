package onepass

import "math"

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

// Tables describes the tables of the preset Stream.
func (m *Model) Tables() (t Tables) {
	for _, p := range m.parts {
		switch p := p.(type) {
		case *weights[float32]:
			t.Buckets, t.Touched, t.Distance = p.inspect()
		case *weights[float64]:
			t.Buckets, t.Touched, t.Distance = p.inspect()
		case *evidence:
			t.Slots = p.slots
			used := 0
			for at := range p.slots {
				if p.words[at*(1+p.outputs)]&rowsMask > 0 {
					used++
				}
			}
			t.Used = float64(used) / float64(t.Slots)
			all := p.met[0] + p.met[1] + p.met[2]
			t.Hits, t.Inserts, t.Collides = p.met[0]/all, p.met[1]/all, p.met[2]/all
		}
	}
	return t
}

// inspect returns the number of buckets, the share of buckets that were moved, and their KL from the prior.
func (p *weights[T]) inspect() (buckets int, touched, distance float64) {
	buckets = len(p.slots) / p.outputs
	v0 := float64(T(p.prior.E))
	for b := range buckets {
		moved := false
		for _, e := range p.slots[b*p.outputs : (b+1)*p.outputs] {
			m, v := float64(e.mean), float64(e.variance)
			if m != 0 || v != v0 {
				moved = true
				distance += 0.5 * (v/v0 - 1 - math.Log(v/v0) + m*m/v0)
			}
		}
		if moved {
			touched++
		}
	}
	return buckets, touched / float64(buckets), distance
}

// Scale is the belief about a column's scale β for one logit. The scale of a useless column falls.
type Scale struct{ Mean, Deviation float64 }

// Scales returns the scales of a column of the preset Stream, one for each logit; nil for another configuration.
func (m *Model) Scales(column int) (scales []Scale) {
	if !m.config.Scales {
		return nil
	}
	n := m.config.Outputs
	for _, p := range m.parts {
		var own []entry[float64]
		switch p := p.(type) {
		case *weights[float32]:
			own = p.scales
		case *weights[float64]:
			own = p.scales
		default:
			continue
		}
		for _, e := range own[column*n : (column+1)*n] {
			scales = append(scales, Scale{e.mean, math.Sqrt(e.variance)})
		}
	}
	return scales
}
