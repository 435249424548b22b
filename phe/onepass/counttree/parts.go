package counttree

import "gophe/phe/belief"

// Parts returns all numbers that change as the forecaster learns, for a file.
func (f *Forecaster) Parts() []belief.Part {
	return []belief.Part{
		f.slotPart("tree slots: check bits and n", 0), f.slotPart("tree slots: P", 32),
		beliefPart("tree hashed weights", belief.Float32, f.hashed), beliefPart("tree trust", belief.Float64, f.trust),
		beliefPart("tree weights of nodes", belief.Float64, f.own), beliefPart("tree biases", belief.Float64, f.bias),
		{Name: "tree frequencies", Dim: 1, Len: len(f.nodes), Type: belief.Float64,
			Get: func(i int) (float64, float64) { return f.nodes[i].left, f.nodes[i].seen },
			Set: func(i int, left, seen float64) { f.nodes[i] = node{left, seen} }},
	}
}

// slotPart returns one half of each slot's 64 bits.
func (f *Forecaster) slotPart(name string, shift int) belief.Part {
	return belief.Part{Name: name, Len: len(f.slots), Type: belief.Uint32,
		Get: func(i int) (float64, float64) { return float64(uint32(f.slots[i] >> shift)), 0 },
		Set: func(i int, v, _ float64) {
			f.slots[i] = f.slots[i]&^(slot(0xffffffff)<<shift) | slot(uint32(v))<<shift
		}}
}

func beliefPart[F float32 | float64](name string, in belief.Number, list []weight[F]) belief.Part {
	return belief.Part{Name: name, Dim: 1, Len: len(list), Type: in,
		Get: func(i int) (float64, float64) { return float64(list[i].mean), float64(list[i].variance) },
		Set: func(i int, mean, variance float64) { list[i] = weight[F]{F(mean), F(variance)} }}
}
