package counttree

const golden = 0x9E3779B97F4A7C15 // 2⁶⁴ divided by the golden ratio; its multiples spread evenly

// Item returns the hash of an item that consists of up to three values. Contexts of one row must differ in context. Learners whose
// collisions must differ need different seeds in their contexts; the package's example shows it.
func Item(context, a, b, c uint64) uint64 {
	h := mix((context+1)*golden + a + 7)
	h = mix(h + (b+3)*0xD1B54A32D192ED03)
	return mix(h + (c+5)*0x8CB92BA72F3D8DD7)
}

// atNode returns the hash of an item at a node.
func atNode(item uint64, node int32) uint64 { return mix(item + uint64(node+1)*golden) }

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014). Every bit of x flips about half of the result's bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
