package hash

// columnStep is the step of SplitMix64, 2⁶⁴ divided by the golden ratio: its multiples lie far apart, so no two columns share ids.
const columnStep = 0x9e3779b97f4a7c15

// KeyOf returns the key under [CarterWegman] of an integer id of a column: Mix(id + column·columnStep) modulo 2⁶¹ − 1. Without the mixing,
// one seed in a hundred gives a sequence of ids five times the collisions of chance.
func KeyOf(column int, id int64) uint64 {
	return reduceMersenne(0, Mix(uint64(id)+uint64(column)*columnStep))
}

// IDOf returns the id with this key in a column. A text has the id of its key, so text and number are one item.
func IDOf(column int, key uint64) int64 {
	x := (key ^ key>>31 ^ key>>62) * 0x319642b2d24d8ec3 // Mix backwards, by the inverses of its factors modulo 2⁶⁴
	x = (x ^ x>>27 ^ x>>54) * 0x96de1b173f119089
	return int64((x ^ x>>30 ^ x>>60) - uint64(column)*columnStep)
}

// Functions returns a and b of the functions x ↦ (a·x + b) mod 2⁶¹ − 1 of CarterWegman, for programs that find rows elsewhere: K to
// buckets, and the last to the row of weights.
func (f Family) Functions() (a, b []uint64) {
	for _, h := range append(f.functions[:len(f.functions):len(f.functions)], f.weights) {
		a, b = append(a, h.a), append(b, h.b)
	}
	return a, b
}
