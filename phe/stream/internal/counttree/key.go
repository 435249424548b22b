package counttree

import "gophe/phe/hash"

const golden = 0x9E3779B97F4A7C15 // 2⁶⁴ divided by the golden ratio; its multiples spread evenly

// Item returns the hash of an item of a context.
func Item(context, item uint64) uint64 {
	h := hash.Mix((context+1)*golden + item + 7)
	return hash.Mix(hash.Mix(h+0x751fde9874b8c709) + 0xbf9dda43ec33c533)
}

// atNode returns the hash of an item at a node.
func atNode(item uint64, node int32) uint64 { return hash.Mix(item + uint64(node+1)*golden) }
