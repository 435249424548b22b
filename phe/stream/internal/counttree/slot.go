package counttree

import (
	"math"

	"gophe/phe/hash"
)

// slot holds one item's evidence at one node: 16 check bits, then n in sixteenths (16 bits), then P in units of 2⁻³² (32 bits). P
// is the share of rows that went left. An empty slot is 0. A full slot has odd check bits, so it is never 0.
type slot uint64

const (
	slotsPerBucket = 4
	maxSeen        = 255     // largest n; P then continues to follow changes
	minSeen        = 1. / 16 // smallest n after aging, the smallest that a slot can hold
	aging          = 0.02    // share of n that the other slots of a bucket lose when one is replaced

	checkShift = 48
	nShift     = 32
	unitsOfN   = 16
	unitsOfP   = 1 << 32
)

// checkOf returns the check bits of a hash: its highest bits, made odd.
func checkOf(hash uint64) uint64 { return hash>>checkShift | 1 }

// newSlot packs n, which lies in [0, maxSeen], and p in [0, 1].
func newSlot(check uint64, n, p float64) slot {
	units := uint64(min(max(p*unitsOfP, 0), unitsOfP-1))
	return slot(check<<checkShift | uint64(n*unitsOfN+0.5)<<nShift | units)
}

func (s slot) check() uint64 { return uint64(s) >> checkShift }
func (s slot) n() float64    { return float64(uint16(s>>nShift)) / unitsOfN }

// p is strictly between 0 and 1.
func (s slot) p() float64 { return (float64(uint32(s)) + 0.5) / unitsOfP }

// after returns the slot after one more row. left is 1 if the row went left, and else 0.
func (s slot) after(left float64) slot {
	n := min(s.n()+1, maxSeen)
	return newSlot(s.check(), n, s.p()+(left-s.p())/n)
}

// slots is a table of slots in buckets of four. Its size is a power of two.
type slots []slot

func (t slots) bucket(hash uint64) *[slotsPerBucket]slot {
	first := hash & uint64(len(t)-1) &^ (slotsPerBucket - 1)
	return (*[slotsPerBucket]slot)(t[first:])
}

// find returns the slot of a hash; 0 if there is none.
func (t slots) find(hash uint64) slot {
	check := checkOf(hash)
	for _, s := range t.bucket(hash) {
		if s.check() == check {
			return s
		}
	}
	return 0
}

// add counts a row. A new hash takes the slot with the smallest n in its bucket. The others then age, so each can be replaced in time.
func (t slots) add(hash uint64, left float64) {
	bucket, check := t.bucket(hash), checkOf(hash)
	least := 0
	for i, s := range bucket {
		if s.check() == check {
			bucket[i] = s.after(left)
			return
		}
		if s.n() < bucket[least].n() {
			least = i
		}
	}
	if bucket[least] != 0 {
		for i, s := range bucket {
			if i != least {
				bucket[i] = newSlot(s.check(), max(s.n()*(1-aging), minSeen), s.p())
			}
		}
	}
	bucket[least] = newSlot(check, 1, left)
}

// bins is the number of bins of n. Each bin has its own weights.
const bins = 9

// binOf returns the bin of n: 0 up to 1, then 1 up to 2, 2 up to 4, and so on.
func binOf(n float64) int {
	bin := 0
	for n > 1.01 && bin < bins-1 {
		n /= 2
		bin++
	}
	return bin
}

// logit returns the logarithm of a probability's odds, limited to odds of about 100,000.
func logit(odds float64) float64 {
	const most = 1e5 - 1
	return math.Log(min(max(odds, 1/most), most))
}

const golden = 0x9E3779B97F4A7C15 // 2⁶⁴ divided by the golden ratio; its multiples spread evenly

// Item returns the hash of an item of a context.
func Item(context, item uint64) uint64 {
	h := hash.Mix((context+1)*golden + item + 7)
	return hash.Mix(hash.Mix(h+0x751fde9874b8c709) + 0xbf9dda43ec33c533)
}

// atNode returns the hash of an item at a node.
func atNode(item uint64, node int32) uint64 { return hash.Mix(item + uint64(node+1)*golden) }
