package run

import (
	"gophe/experiments/protocol"
	"gophe/experiments/spec"
	"gophe/phe/learn"
)

// itemsSeen counts the distinct items of a plan's examples, step by step.
type itemsSeen struct {
	items []bool // by their numbers
	count int
	steps int // taken in, after the initial examples
}

// upTo returns the number of distinct items of the initial examples and of the steps up to one.
func (s *itemsSeen) upTo(all *learn.Batch, columns int, p *protocol.Plan, step int) int {
	if s.items == nil || step < s.steps-1 { // a stream begins anew, or goes on after a stop
		*s = itemsSeen{items: make([]bool, len(all.Items))}
		s.add(all, columns, p.Initial)
	}
	for ; s.steps <= step; s.steps++ {
		s.add(all, columns, p.Steps[s.steps])
	}
	return s.count
}

func (s *itemsSeen) add(all *learn.Batch, columns int, examples []int32) {
	for item := range all.ItemsOf(examples, columns) {
		if !s.items[item] {
			s.items[item] = true
			s.count++
		}
	}
}

// grow doubles the tables until they have rows for the items of the stream so far, the step's included.
func (d Device) grow(p *protocol.Plan, step int) error {
	if d.seen == nil {
		return nil
	}
	for n := d.seen.upTo(d.All, d.NumColumns(), p, step); float64(n) > d.method.GrowBeyond*float64(d.TableRows()); {
		if err := d.Grow(); err != nil {
			return err
		}
	}
	return nil
}

// grownConfig is a method's configuration at the end of a stream with numItems distinct items.
func grownConfig(c spec.Config, m spec.Method, numItems int) spec.Config {
	for e := &c.Encoder; m.GrowBeyond > 0 && float64(numItems) > m.GrowBeyond*float64(e.NumBuckets); {
		e.NumBuckets, e.NumWeights = 2*e.NumBuckets, 2*e.NumWeights
	}
	return c
}
