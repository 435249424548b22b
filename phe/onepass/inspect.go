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

// scaledPart is weights, in float32 or float64.
type scaledPart interface {
	// inspect returns the number of buckets, the share of buckets that were moved, and their KL from the prior.
	inspect() (buckets int, touched, distance float64)
	// scalesOf returns the scales of a column.
	scalesOf(column int) []entry[float64]
}

// Tables describes the tables of the preset Stream.
func (m *Model) Tables() (t Tables) {
	for _, p := range m.parts {
		switch p := p.(type) {
		case scaledPart:
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
	for _, p := range m.parts {
		if p, ok := p.(scaledPart); ok {
			for _, e := range p.scalesOf(column) {
				scales = append(scales, Scale{e.mean, math.Sqrt(e.variance)})
			}
		}
	}
	return scales
}

func (p *weights[T]) scalesOf(column int) []entry[float64] {
	return p.scales[column*p.outputs : (column+1)*p.outputs]
}
