package onepass

// slots numbers the table entries that a row touches: 0, 1, … in the order in which they are met. An entry that several
// items of a row share has one number, so that its gradients add up before anything is squared.
type slots struct {
	keys []int64 // met so far

	// A hash table with open addressing. A cell counts if its stamp is the row's.
	cells []int32
	stamp []uint32
	row   uint32
}

// reset begins a row.
func (s *slots) reset() {
	s.keys = s.keys[:0]
	s.row++
	if s.row == 0 { // the stamps of 2³² rows ago would count
		clear(s.stamp)
		s.row = 1
	}
}

// number returns an entry's number; isNew tells whether the row meets it for the first time.
func (s *slots) number(key int64) (number int, isNew bool) {
	if 2*len(s.keys) >= len(s.cells) {
		s.grow()
	}
	mask := uint64(len(s.cells) - 1)
	for at := uint64(key) * 0x9E3779B97F4A7C15 >> 32 & mask; ; at = (at + 1) & mask {
		if s.stamp[at] != s.row {
			s.stamp[at], s.cells[at] = s.row, int32(len(s.keys))
			s.keys = append(s.keys, key)
			return len(s.keys) - 1, true
		}
		if n := s.cells[at]; s.keys[n] == key {
			return int(n), false
		}
	}
}

// grow makes the table twice as large. A learner's rows are alike, so that this ends after the first few.
func (s *slots) grow() {
	keys := s.keys
	size := max(64, 2*len(s.cells))
	s.cells, s.stamp, s.row = make([]int32, size), make([]uint32, size), 1
	s.keys = make([]int64, 0, size)
	for _, key := range keys {
		s.number(key)
	}
}
