package shared

import (
	"encoding/binary"

	"github.com/pkg/errors"

	"gophe/phe/belief"
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

// UnmarshalBinary reads what MarshalBinary returned.
func (c *Chunk) UnmarshalBinary(b []byte) error {
	*c = Chunk{}
	return walk(b, func(first uint64) { c.First = first }, func(_ uint64, _ []byte, r schema.Record) { c.Records = append(c.Records, r) })
}

// Count returns the number of rows of a chunk, and the sum of their fingerprints.
func Count(chunk []byte) (rows, fingerprint uint64, err error) {
	err = walk(chunk, func(uint64) {}, func(number uint64, row []byte, _ schema.Record) {
		rows++
		fingerprint += belief.RowHash(number, row)
	})
	return rows, fingerprint, err
}

// walk calls each with the number, the bytes and the fields of every record.
func walk(b []byte, begin func(first uint64), each func(number uint64, row []byte, r schema.Record)) error {
	next := func() (uint64, bool) {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return 0, false
		}
		b = b[n:]
		return v, true
	}
	first, ok := next()
	if !ok {
		return errChunk
	}
	begin(first)
	records, ok := next()
	if !ok || records > uint64(len(b)) {
		return errChunk
	}
	for i := range records {
		row := b
		fields, ok := next()
		if !ok || fields > uint64(len(b)) {
			return errChunk
		}
		r := make(schema.Record, fields)
		for k := range r {
			size, ok := next()
			if !ok || size > uint64(len(b)) {
				return errChunk
			}
			r[k], b = string(b[:size]), b[size:]
		}
		each(first+i, row[:len(row)-len(b)], r)
	}
	if len(b) > 0 {
		return errChunk
	}
	return nil
}
