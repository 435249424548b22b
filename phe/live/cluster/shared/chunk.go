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
		b = appendRecord(b, r)
	}
	return b, nil
}

func appendRecord(b []byte, r schema.Record) []byte {
	b = binary.AppendUvarint(b, uint64(len(r)))
	for _, field := range r {
		b = binary.AppendUvarint(b, uint64(len(field)))
		b = append(b, field...)
	}
	return b
}

var errChunk = errors.New("this chunk of rows is damaged or cut off; feed the rows again under another name")

// ParseChunk returns a chunk, and the sum of its rows' fingerprints.
func ParseChunk(b []byte) (c Chunk, fingerprint uint64, err error) {
	next := func() (uint64, bool) {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return 0, false
		}
		b = b[n:]
		return v, true
	}
	first, ok := next()
	records, alsoOK := next()
	if !ok || !alsoOK || records > uint64(len(b)) {
		return Chunk{}, 0, errChunk
	}
	c.First = first
	for i := range records {
		row := b
		fields, ok := next()
		if !ok || fields > uint64(len(b)) {
			return Chunk{}, 0, errChunk
		}
		r := make(schema.Record, fields)
		for k := range r {
			size, ok := next()
			if !ok || size > uint64(len(b)) {
				return Chunk{}, 0, errChunk
			}
			r[k], b = string(b[:size]), b[size:]
		}
		c.Records = append(c.Records, r)
		fingerprint += fold.RowHash(first+i, row[:len(row)-len(b)])
	}
	if len(b) > 0 {
		return Chunk{}, 0, errChunk
	}
	return c, fingerprint, nil
}
