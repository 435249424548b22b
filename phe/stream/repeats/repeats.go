// Package repeats knows a row that comes again by hashes of the last rows.
package repeats

import (
	"encoding/binary"
	"math/bits"

	"gophe/phe/belief"
)

// Kind says how a row came before, if it did.
type Kind int

const (
	Fresh     Kind = iota // no row had its id
	Reused                // a row had its id, with other features; rows of the kinds below are not learned
	Repeated              // a row had its id and its values
	Corrected             // a row had its id and its features, with another label
)

// Learned tells whether a row of the kind is learned.
func (k Kind) Learned() bool { return k < Repeated }

// Error returns the error of a label that makes a record one that came before.
func (k Kind) Error() string {
	return "a record with this record's id and " + map[Kind]string{Repeated: "values was learned before",
		Corrected: "features was learned before, with another label"}[k]
}

// Counts counts rows by their kind.
type Counts struct {
	Repeated  int64 `json:"repeated,omitempty"`
	Corrected int64 `json:"corrected,omitempty"`
	Reused    int64 `json:"reused,omitempty"`
}

// Add counts a row, and tells whether it is learned.
func (c *Counts) Add(k Kind) (learned bool) {
	switch k {
	case Repeated:
		c.Repeated++
	case Corrected:
		c.Corrected++
	case Reused:
		c.Reused++
	}
	return k.Learned()
}

// Hash stands for a row: 16 bytes of its id, 8 of its features, and 8 of its label. It is 0 without an id, and its label is 0 if unknown.
type Hash [4]uint64

const features, label = 2, 3

// Size is the number of bytes of a hash.
const Size = 8 * len(Hash{})

// Memory keeps the hashes of the last rows that were learned. The row of number n has the place n mod most.
type Memory struct {
	Count int64 // of rows so far, and the number of the next

	most   int
	seed   uint64
	hashes []uint64
	heads  []uint32 // by the last bits of an id, the newest row: its number, plus one, mod 2³²
	before []uint32 // by place, the head before the row
}

// New returns a memory for a number of rows. The seed is the key of the ids' hashes.
func New(most int, seed int64) *Memory {
	return &Memory{most: most, seed: uint64(seed), heads: make([]uint32, 2)}
}

// Mix adds a value to a hash. It returns the hash as it was, with both halves of a product.
func Mix(hash, value uint64) uint64 {
	high, low := bits.Mul64(hash^0x9e3779b97f4a7c15, value^0xc2b2ae3d27d4eb4f)
	return hash ^ high ^ low
}

// Hash returns the hash of a row without a label, by its id and a hash of its features.
func (m *Memory) Hash(id string, of uint64) (h Hash) {
	if id == "" {
		return h
	}
	h = Hash{Mix(m.seed, uint64(len(id))), Mix(^m.seed, uint64(len(id))), of}
	for id != "" {
		var word [8]byte
		id = id[copy(word[:], id):]
		v := binary.LittleEndian.Uint64(word[:])
		h[0], h[1] = Mix(h[0], v), Mix(h[1], ^v)
	}
	return h
}

// Label adds a label that is known.
func (h *Hash) Label(of uint64) { h[label] = (of + 1) * 0x9e3779b97f4a7c15 }

// longest bounds the rows with which a row is compared. A column that does not name rows has many of one id.
const longest = 64

// See compares a row with the last rows, and keeps it if it is to be learned.
func (m *Memory) See(h Hash) Kind { return m.see(h, Reused) }

// SeeFirst is See where an id names one row alone: it does not keep a Reused row.
func (m *Memory) SeeFirst(h Hash) Kind { return m.see(h, Fresh) }

// see compares a row, and keeps it if it is new and its kind is at most a given one.
func (m *Memory) see(h Hash, most Kind) Kind {
	kind, isNew := m.compare(h, false)
	if isNew && kind <= most {
		m.keep(h)
	}
	return kind
}

// SeeLabel compares the hash of an id and a label, without features, with the labels of the id. It keeps nothing.
func (m *Memory) SeeLabel(h Hash) Kind {
	kind, _ := m.compare(h, true)
	return kind
}

// compare compares a row, or its label alone, with the rows of its id. A row is new unless it has no id, or one of them has its features.
func (m *Memory) compare(h Hash, alone bool) (kind Kind, isNew bool) {
	if h[0]|h[1] == 0 {
		return Fresh, false
	}
	kept := m.Len()
	if 2*kept >= len(m.heads) {
		m.find() // in more heads
	}
	head := &m.heads[h[0]&uint64(len(m.heads)-1)]
	for age, steps := int(uint32(m.Count)-*head), 0; age < kept && steps < longest; steps++ {
		place := int((m.Count - 1 - int64(age)) % int64(m.most))
		switch r := (*Hash)(m.hashes[Size/8*place:]); {
		case r[0] != h[0] || r[1] != h[1]:
		case r[features] != h[features] && !alone:
			kind = Reused
		case r[label] == h[label] || h[label] == 0:
			return Repeated, false
		case r[label] == 0: // the label comes later, in a row of its own
			r[label] = h[label]
			return Fresh, false
		default:
			return Corrected, false
		}
		older := int(uint32(m.Count) - m.before[place])
		if older <= age { // the numbers have begun anew
			break
		}
		age = older
	}
	return kind, true
}

// keep keeps a row, in the place of the oldest if there is no room.
func (m *Memory) keep(h Hash) {
	if m.Len() < m.most {
		m.hashes, m.before = append(m.hashes, h[:]...), append(m.before, 0)
	}
	copy(m.hashes[Size/8*int(m.Count%int64(m.most)):], h[:])
	m.link()
}

// Near reads what See will read, without a branch, so that a processor fetches it for many rows at once. The result means nothing.
func (m *Memory) Near(h Hash) uint64 {
	head := m.heads[h[0]&uint64(len(m.heads)-1)]
	if len(m.before) < m.most { // they still fit in a cache
		return uint64(head)
	}
	place := (int(head) + m.most - 1) % m.most
	return m.hashes[len(h)*place] + uint64(m.before[place])
}

// link gives the next number to the row in its place.
func (m *Memory) link() {
	place := int(m.Count % int64(m.most))
	head := &m.heads[m.hashes[Size/8*place]&uint64(len(m.heads)-1)]
	m.Count++
	m.before[place], *head = *head, uint32(m.Count)
}

// Len returns the number of rows that are kept.
func (m *Memory) Len() int { return len(m.hashes) / len(Hash{}) }

// Part returns the hashes as a file has them.
func (m *Memory) Part() belief.Part { return belief.Bits("ids", m.hashes) }

// Restore makes room for the rows of a file, which Part then has.
func (m *Memory) Restore(count int64) {
	m.Count = count
	m.hashes = make([]uint64, Size/8*int(min(count, int64(m.most))))
}

// find finds the rows by their ids.
func (m *Memory) find() {
	kept := m.Len()
	m.heads, m.before, m.Count = make([]uint32, 2<<bits.Len(uint(kept))), make([]uint32, kept), m.Count-int64(kept)
	for range kept {
		m.link()
	}
}
