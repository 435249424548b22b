package counttree

import "gophe/phe/belief"

// Parts returns all numbers that change as the forecaster learns, for a file.
func (f *Forecaster) Parts() []belief.Part {
	return []belief.Part{
		Half("tree slots: check bits and n", f.slots, 0), Half("tree slots: P", f.slots, 32),
		beliefPart("tree hashed weights", f.hashed), beliefPart("tree trust", f.trust),
		beliefPart("tree weights of nodes", f.own), beliefPart("tree biases", f.bias),
		{Name: "tree frequencies", Dim: 1, Len: len(f.nodes), Type: "float64",
			Get: func(i int) (float64, float64) { return f.nodes[i].left, f.nodes[i].seen },
			Set: func(i int, left, seen float64) { f.nodes[i] = node{left, seen} }},
	}
}

// Half returns one half of each number's 64 bits, from a bit on.
func Half[N ~uint64](name string, list []N, from int) belief.Part {
	return belief.Part{Name: name, Len: len(list), Type: "uint32",
		Get: func(i int) (float64, float64) { return float64(uint32(list[i] >> from)), 0 },
		Set: func(i int, v, _ float64) { list[i] = list[i]&^(N(0xffffffff)<<from) | N(uint32(v))<<from }}
}

func beliefPart[F float32 | float64](name string, list []weight[F]) belief.Part {
	p := belief.List[F](name, nil)
	p.Dim, p.Len = 1, len(list)
	p.Get = func(i int) (float64, float64) { return float64(list[i].mean), float64(list[i].variance) }
	p.Set = func(i int, mean, variance float64) { list[i] = weight[F]{F(mean), F(variance)} }
	return p
}
