package fold

import (
	"encoding/binary"
	"hash/crc32"
	"hash/fnv"

	"github.com/pkg/errors"
)

// Contribution is a message of the log of contributions: the delta that a learner learned from one chunk of rows.
type Contribution struct {
	Chunk       uint64 // number of the chunk in the log of rows, from 1
	Base        uint64 // contributions that the learner's prior had counted: State.Version
	BaseRows    uint64 // rows that the prior had learned: State.Rows
	Rows        uint64 // rows of the chunk that were learned
	Skipped     uint64 // rows of the chunk that could not be learned
	Fingerprint uint64 // wrapping sum of RowHash over all rows of the chunk
	Delta       []byte // what the rows add to the belief; the belief alone reads it
}

// contributionFormat is the first byte of a contribution. Another layout needs another number.
const contributionFormat = 1

const contributionHeader = 1 + 6*8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MarshalBinary returns the format, six counters, the delta and a checksum, little-endian.
func (c Contribution) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, contributionHeader+len(c.Delta)+4)
	b = append(b, contributionFormat)
	counters := []uint64{c.Chunk, c.Base, c.BaseRows, c.Rows, c.Skipped, c.Fingerprint}
	b, _ = binary.Append(b, binary.LittleEndian, counters) // numbers have a size
	b = append(b, c.Delta...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli)), nil
}

// UnmarshalBinary reads what MarshalBinary returned. Delta shares the memory of b. Damaged bytes are an error.
func (c *Contribution) UnmarshalBinary(b []byte) error {
	if len(b) < contributionHeader+4 || binary.LittleEndian.Uint32(b[len(b)-4:]) != crc32.Checksum(b[:len(b)-4], castagnoli) {
		return errors.New("this contribution is damaged or cut off: its checksum is wrong")
	}
	if b[0] != contributionFormat {
		return errors.Errorf("this contribution has format %d, and this program knows %d; use one version of the program everywhere", b[0], contributionFormat)
	}
	for i, p := range []*uint64{&c.Chunk, &c.Base, &c.BaseRows, &c.Rows, &c.Skipped, &c.Fingerprint} {
		*p = binary.LittleEndian.Uint64(b[1+8*i:])
	}
	c.Delta = b[contributionHeader : len(b)-4]
	return nil
}

// RowHash returns the hash of a row's identity: its number in the stream and its bytes. The wrapping sum of these hashes shows a row
// that was lost and another that was counted twice.
func RowHash(number uint64, row []byte) uint64 {
	h := fnv.New64a()
	h.Write(binary.LittleEndian.AppendUint64(nil, number)) // a hash never returns an error
	h.Write(row)
	return h.Sum64()
}
