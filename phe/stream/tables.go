package stream

import (
	"cmp"
	"math"

	"gophe/phe/belief"
	"gophe/phe/onepass"
)

// Tables describes the use of a model's tables, and the outcome of looking up evidence.
type Tables struct {
	Buckets  int     // number of buckets of table E
	Touched  float64 // share of buckets that a row has moved
	Slots    int     // number of slots of evidence
	Used     float64 // share of slots that hold an item
	Hits     float64 // share of lookups that found the item's slot; Hits, Inserts and Collides are 0 before the first lookup
	Inserts  float64 // share of lookups that took an empty slot
	Collides float64 // share of lookups that met another item's slot
	Distance float64 // KL of table E from the prior, in nats
}

func partOf(m *onepass.Model, name string) belief.Part {
	for _, p := range m.Parts() {
		if p.Name == name {
			return p
		}
	}
	return belief.Part{}
}

func tablesOf(m *onepass.Model) *Tables {
	e, n, met, c := partOf(m, "E"), partOf(m, "evidence n"), partOf(m, "evidence met"), m.Config()
	t, touched, used, last := &Tables{Buckets: c.Buckets, Slots: n.Len}, 0, 0, -1
	prior := c.Prior.E
	if c.Compact && c.BeliefBits == 0 {
		prior = float64(float32(prior))
	}
	codec := onepass.NewCodec(c)
	for i := range e.Len {
		mean, v := e.Get(i)
		if c.BeliefBits > 0 {
			mean, v = codec.Decode(uint32(mean))
		}
		if mean != 0 || v != prior {
			t.Distance += 0.5 * (v/prior - 1 - math.Log(v/prior) + mean*mean/prior)
			if bucket := i / c.Outputs; bucket > last {
				touched, last = touched+1, bucket
			}
		}
	}
	for i := range n.Len {
		if rows, _ := n.Get(i); rows > 0 {
			used++
		}
	}
	t.Touched, t.Used = float64(touched)/float64(t.Buckets), float64(used)/float64(max(1, t.Slots))
	shares, all := []*float64{&t.Hits, &t.Inserts, &t.Collides}, 0.
	for i := range met.Len {
		*shares[i], _ = met.Get(i)
		all += *shares[i]
	}
	for i := range met.Len {
		*shares[i] /= cmp.Or(all, 1)
	}
	return t
}

// ColumnBelief is the belief about a column's scale β for one logit. The scale of a useless column falls.
type ColumnBelief struct{ Mean, Deviation float64 }

func scalesOf(m *onepass.Model, column int) (scales []ColumnBelief) {
	theta, outputs := partOf(m, "theta"), m.Config().Outputs
	for o := range outputs {
		mean, variance := theta.Get(column*outputs + o)
		scales = append(scales, ColumnBelief{mean, math.Sqrt(variance)})
	}
	return scales
}
