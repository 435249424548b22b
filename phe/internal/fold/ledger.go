package fold

import (
	"maps"
	"slices"
)

// Ledger is the set of chunks that were counted: all up to Low, and the chunks in Above. It stays small, because chunks are numbered
// without gaps and are counted nearly in order. The zero value is an empty ledger.
type Ledger struct {
	Low   uint64
	Above map[uint64]bool
}

// Has tells whether a chunk was counted.
func (l *Ledger) Has(chunk uint64) bool { return chunk <= l.Low || l.Above[chunk] }

// add counts a chunk.
func (l *Ledger) add(chunk uint64) {
	if l.Has(chunk) {
		return
	}
	if l.Above == nil {
		l.Above = map[uint64]bool{}
	}
	l.Above[chunk] = true
	for l.Above[l.Low+1] {
		l.Low++
		delete(l.Above, l.Low)
	}
}

// Len returns the number of counted chunks.
func (l *Ledger) Len() uint64 { return l.Low + uint64(len(l.Above)) }

// sorted returns Above in order, so that equal ledgers have equal bytes.
func (l *Ledger) sorted() []uint64 { return slices.Sorted(maps.Keys(l.Above)) }
