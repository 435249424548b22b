// Package repeats knows a row that comes again by hashes of the last rows.
package repeats

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"gophe/phe/belief"
)

// Kind says what a row is to the last rows.
type Kind int

const (
	Fresh     Kind = iota // no row had its id
	Reused                // a row had its id, with other features; rows of the kinds below are not learned
	Repeated              // a row had its id and its values
	Corrected             // a row had its id and its features, with another label
)

// Learned tells whether a row of the kind is learned.
func (k Kind) Learned() bool { return k < Repeated }

// Hash is what is kept of a row: 16 bytes of its id, 8 of its features, and 8 of its label. It is 0 for a row without an id, and its label
// is 0 if that is not known.
type Hash [4]uint64

const features, label = 2, 3

// Size is the number of bytes of a hash.
const Size = 8 * len(Hash{})

// Memory keeps the hashes of the last rows that were learned. The row of number n has the place n mod most.
type Memory struct {
	Count int64 // of rows so far, and the number of the next

	most   int
	key    cipher.Block
	hashes []uint64
	heads  []uint32 // by the last bits of an id, the newest row: its number, plus one, mod 2³²
	before []uint32 // by place, the head before the row
}

// New returns a memory for a number of rows. The seed is the key of the ids' hashes.
func New(most int, seed int64) *Memory {
	key, err := aes.NewCipher(binary.LittleEndian.AppendUint64(make([]byte, 8), uint64(seed)))
	if err != nil {
		panic(err) // it has 16 bytes
	}
	return &Memory{most: most, key: key, heads: make([]uint32, 2)}
}

// Row collects a row's values, and can be used again.
type Row struct{ id, features []byte }

// Begin begins a row of an id: the CBC-MAC of its length and its bytes.
func (r *Row) Begin(id string) {
	r.id = append(binary.AppendUvarint(r.id[:0], uint64(len(id))), id...)
	r.features = r.features[:0]
}

// Add adds a feature.
func (r *Row) Add(value string) {
	r.features = append(append(r.features, value...), 0xff, byte(len(value)))
}

// Hash returns the hash of a row without a label.
func (m *Memory) Hash(r *Row) (h Hash) {
	if len(r.id) == 1 { // the length of no bytes
		return h
	}
	const block = aes.BlockSize
	r.id = append(r.id, make([]byte, -len(r.id)&(block-1))...)
	for at := 0; ; at += block {
		b := r.id[at : at+block]
		if m.key.Encrypt(b, b); at+block == len(r.id) {
			return Hash{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), xxhash.Sum64(r.features)}
		}
		for i := range block {
			r.id[at+block+i] ^= b[i]
		}
	}
}

// Label adds a label that is known.
func (h *Hash) Label(of uint64) { h[label] = (of + 1) * 0x9e3779b97f4a7c15 }

// longest bounds the rows with which a row is compared. A column that does not name rows has many of one id.
const longest = 64

// See tells what a row is to the last rows, and keeps it if it is to be learned.
func (m *Memory) See(h Hash) Kind {
	if h[0]|h[1] == 0 {
		return Fresh
	}
	kind, kept := Fresh, len(m.before)
	head := &m.heads[h[0]&uint64(len(m.heads)-1)]
	for age, steps := int(uint32(m.Count)-*head), 0; age < kept && steps < longest; steps++ {
		place := int((m.Count - 1 - int64(age)) % int64(m.most))
		switch r := (*Hash)(m.hashes[Size/8*place:]); {
		case r[0] != h[0] || r[1] != h[1]:
		case r[features] != h[features]:
			kind = Reused
		case r[label] == h[label] || h[label] == 0:
			return Repeated
		case r[label] == 0: // the label comes later, in a row of its own
			r[label] = h[label]
			return Fresh
		default:
			return Corrected
		}
		older := int(uint32(m.Count) - m.before[place])
		if older <= age { // the numbers have begun anew
			break
		}
		age = older
	}
	if 2*kept == len(m.heads) {
		m.Find() // in more heads
	}
	if kept < m.most {
		m.hashes, m.before = append(m.hashes, h[:]...), append(m.before, 0)
	}
	copy(m.hashes[Size/8*int(m.Count%int64(m.most)):], h[:])
	m.link()
	return kind
}

// link gives the next number to the row in its place.
func (m *Memory) link() {
	place := int(m.Count % int64(m.most))
	head := &m.heads[m.hashes[Size/8*place]&uint64(len(m.heads)-1)]
	m.Count++
	m.before[place], *head = *head, uint32(m.Count)
}

// Len returns the number of rows that are kept.
func (m *Memory) Len() int { return len(m.before) }

// Part returns the hashes as a file has them.
func (m *Memory) Part() belief.Part { return belief.Bits("ids", m.hashes) }

// Restore makes room for the rows of a file, which Part then has.
func (m *Memory) Restore(count int64) {
	m.Count = count
	m.hashes = make([]uint64, Size/8*int(min(count, int64(m.most))))
}

// Find finds the rows of a file by their ids.
func (m *Memory) Find() {
	kept := len(m.hashes) / (Size / 8)
	m.heads, m.before, m.Count = make([]uint32, 2<<bits.Len(uint(kept))), make([]uint32, kept), m.Count-int64(kept)
	for range kept {
		m.link()
	}
}
