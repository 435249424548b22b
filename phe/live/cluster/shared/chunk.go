package shared

import (
	"encoding/binary"

	"github.com/pkg/errors"

	"gophe/phe/internal/fold"
	"gophe/phe/stream/schema"
)

// Chunk is a message of the log of rows: records that are learned together.
type Chunk struct {
	First   uint64 // number of the first record in the stream, from 0
	Records []schema.Record
}

// MarshalBinary returns the number of the first record, the number of records, and each record's fields with their lengths.
func (c Chunk) MarshalBinary() ([]byte, error) {
	b := binary.AppendUvarint(nil, c.First)
	b = binary.AppendUvarint(b, uint64(len(c.Records)))
	for _, r := range c.Records {
		b = binary.AppendUvarint(b, uint64(len(r)))
		for _, field := range r {
			b = binary.AppendUvarint(b, uint64(len(field)))
			b = append(b, field...)
		}
	}
	return b, nil
}

// ParseChunk returns a chunk, and the sum of its rows' fingerprints.
func ParseChunk(b []byte) (c Chunk, fingerprint uint64, err error) {
	damaged := false
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		damaged = damaged || n <= 0
		b = b[max(0, n):]
		return v
	}
	length := func() int { // of records, fields or bytes, which all take a byte or more
		v := number()
		if v > uint64(len(b)) {
			damaged, v = true, 0
		}
		return int(v)
	}
	c.First = number()
	for i, records := 0, length(); i < records && !damaged; i++ {
		row := b
		r := make(schema.Record, length())
		for k := range r {
			size := length()
			r[k], b = string(b[:size]), b[size:]
		}
		c.Records = append(c.Records, r)
		fingerprint += fold.RowHash(c.First+uint64(i), row[:len(row)-len(b)])
	}
	if damaged || len(b) > 0 {
		return Chunk{}, 0, errors.New("this chunk of rows is damaged or cut off; feed the rows again under another name")
	}
	return c, fingerprint, nil
}
