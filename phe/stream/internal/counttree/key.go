package counttree

const golden = 0x9E3779B97F4A7C15 // 2⁶⁴ divided by the golden ratio; its multiples spread evenly

// Item returns the hash of an item of a context.
func Item(context, item uint64) uint64 {
	h := mix((context+1)*golden + item + 7)
	return mix(mix(h+0x751fde9874b8c709) + 0xbf9dda43ec33c533)
}

// atNode returns the hash of an item at a node.
func atNode(item uint64, node int32) uint64 { return mix(item + uint64(node+1)*golden) }

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014). Every bit of x flips about half of the result's bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
