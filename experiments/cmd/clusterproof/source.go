package main

import (
	"io"
	"math"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/cluster"
	"gophe/phe/cluster/clustertest"
)

// source is a stream of rows and a belief that learns it. All processes of a run build the same source from the spec.
type source struct {
	start belief.Shared
	bound *belief.Bound // nil: the spec's
	open  cluster.Open
	chunk func(number uint64) ([]byte, error) // io.EOF after the last one
	count cluster.Count
	// difference returns the greatest relative difference from the exact posterior of all rows. It is nil if there is no exact one.
	difference func(belief.Shared) (float64, error)
}

// sources holds the constructors by name.
var sources = map[string]func(Spec) (*source, error){"linear": linear, "adult": adult}

// newSource returns the source of a spec.
func newSource(s Spec) (*source, error) {
	build := sources[s.Source]
	if build == nil {
		return nil, errors.Errorf("there is no source %q", s.Source)
	}
	return build(s)
}

// linear is a linear-Gaussian stream with a known posterior.
func linear(s Spec) (*source, error) {
	model := clustertest.Small
	cost := time.Duration(s.CostMicros * float64(time.Microsecond))
	return &source{
		start: model.New(),
		open: func(b []byte) (belief.Shared, error) {
			l, err := model.Open(b)
			l.(*clustertest.Linear).Cost = cost
			return l, err
		},
		chunk: func(number uint64) ([]byte, error) {
			if number > s.chunks() {
				return nil, io.EOF
			}
			return model.Chunk(number, s.Rows, s.ChunkRows), nil
		},
		count: clustertest.Count,
		difference: func(b belief.Shared) (float64, error) {
			d, err := b.(*clustertest.Linear).From(s.Rows)
			return d.Max(), err
		},
	}, nil
}

// state returns the state before the first row.
func (s *source) state(spec Spec) *belief.State {
	if s.bound != nil {
		return &belief.State{Bound: *s.bound, Belief: s.start}
	}
	share := spec.Share
	if share == 0 {
		share = math.MaxFloat64
	}
	return &belief.State{Bound: belief.Bound{Share: share}, Belief: s.start}
}
