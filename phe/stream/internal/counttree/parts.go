package counttree

import "gophe/phe/belief"

// Parts returns all numbers that change as the forecaster learns, for a file.
func (f *Forecaster) Parts() []belief.Part {
	return []belief.Part{
		f.slotPart("tree slots: check bits and n", 0), f.slotPart("tree slots: P", 32),
		beliefPart("tree hashed weights", f.hashed), beliefPart("tree trust", f.trust),
		beliefPart("tree weights of nodes", f.own), beliefPart("tree biases", f.bias),
		{Name: "tree frequencies", Dim: 1, Len: len(f.nodes), Type: "float64",
			Get: func(i int) (float64, float64) { return f.nodes[i].left, f.nodes[i].seen },
			Set: func(i int, left, seen float64) { f.nodes[i] = node{left, seen} }},
	}
}

// slotPart returns one half of each slot's 64 bits.
func (f *Forecaster) slotPart(name string, shift int) belief.Part {
	return belief.Part{Name: name, Len: len(f.slots), Type: "uint32",
		Get: func(i int) (float64, float64) { return float64(uint32(f.slots[i] >> shift)), 0 },
		Set: func(i int, v, _ float64) {
			f.slots[i] = f.slots[i]&^(slot(0xffffffff)<<shift) | slot(uint32(v))<<shift
		}}
}

func beliefPart[F float32 | float64](name string, list []weight[F]) belief.Part {
	p := belief.List[F](name, nil)
	p.Dim, p.Len = 1, len(list)
	p.Get = func(i int) (float64, float64) { return float64(list[i].mean), float64(list[i].variance) }
	p.Set = func(i int, mean, variance float64) { list[i] = weight[F]{F(mean), F(variance)} }
	return p
}
