package main

import (
	"bytes"
	"encoding/csv"
	"io"
	"time"

	"github.com/pkg/errors"

	"gophe/data"
	"gophe/data/files"
	"gophe/phe/belief"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/shared"
)

// adult is a stream of Adult's rows, again and again, and a model of phe stream.
func adult(s Spec) (*source, error) {
	var b bytes.Buffer
	if _, err := data.Export(&b, "adult", files.Options{}); err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		return nil, errors.Wrap(err, "Adult's rows")
	}
	names, rows := rows[0], rows[1:]
	described, err := schema.Infer(names, rows[:schema.Sample], schema.Hints{Target: "income"})
	if err != nil {
		return nil, err
	}
	options := stream.Options{}
	if s.Share > 0 {
		options = shared.Several(options)
	}
	l, err := stream.New(described, options)
	if err != nil {
		return nil, err
	}
	o := shared.Options{Rows: int(s.ChunkRows)}
	if s.Share > 0 {
		o = shared.For(l, s.Learners)
	}
	start, err := shared.New(l, o)
	if err != nil {
		return nil, err
	}
	return &source{start: start, bound: &o.Bound, open: costly(s), count: shared.Count, chunk: func(number uint64) ([]byte, error) {
		if number > s.chunks() {
			return nil, io.EOF
		}
		c := shared.Chunk{First: (number - 1) * s.ChunkRows}
		for i := c.First; i < min(c.First+s.ChunkRows, s.Rows); i++ {
			c.Records = append(c.Records, rows[i%uint64(len(rows))])
		}
		return c.MarshalBinary()
	}}, nil
}

// costly opens a belief whose rows take a time elsewhere.
func costly(s Spec) func([]byte) (belief.Shared, error) {
	return func(b []byte) (belief.Shared, error) {
		opened, err := shared.Open(b)
		if err != nil || s.CostMicros == 0 {
			return opened, err
		}
		return slow{opened, time.Duration(s.CostMicros * float64(time.Microsecond))}, nil
	}
}

// slow is a belief that learns slowly.
type slow struct {
	belief.Shared
	cost time.Duration // of a row
}

// Learn returns the delta of the rows, after a time in which the processor is free.
func (s slow) Learn(chunk []byte) (belief.Learned, error) {
	l, err := s.Shared.Learn(chunk)
	time.Sleep(time.Duration(l.Rows) * s.cost)
	return l, err
}
