package onepass

import "math"

// Tables says how full a learner's tables are, and what became of the items that looked for evidence.
type Tables struct {
	Buckets  int     // of table E
	Touched  float64 // share of them that a row has moved
	Slots    int     // of evidence
	Used     float64 // share of them that hold an item
	Hits     float64 // share of lookups that found the item's slot; this and the next two are NaN without a lookup
	Inserts  float64 // that took an empty slot
	Collides float64 // that met another item's slot
	Distance float64 // KL of table E from the prior, in nats: how far learning moved it
}

// Tables returns what the preset Stream's tables look like.
func (l *Learner) Tables() (t Tables) {
	for _, p := range l.parts {
		switch p := p.(type) {
		case *weights[float32]:
			t.Buckets, t.Touched, t.Distance = p.look()
		case *weights[float64]:
			t.Buckets, t.Touched, t.Distance = p.look()
		case *evidence:
			t.Slots = p.slots
			used := 0
			for at := range p.slots {
				if slotOf(p.words[at*(1+p.outputs)]).n > 0 {
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

// look returns the number of buckets, the share of them that were moved, and their distance from the prior.
func (p *weights[T]) look() (buckets int, touched, distance float64) {
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

// Scale is the belief about a column's scale β for one logit. A column that says nothing is scaled away.
type Scale struct{ Mean, Deviation float64 }

// Scales returns the scales of a column of the preset Stream, one for each logit; none of another configuration.
func (l *Learner) Scales(column int) (scales []Scale) {
	if !l.config.Scales {
		return nil
	}
	n := l.config.Outputs
	for _, p := range l.parts {
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
