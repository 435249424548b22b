package dkf

import (
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
	"gophe/phe/count"
	"gophe/phe/online"
)

// Data is a set of windows as the model reads it. Windows share events; every categorical cell points to one of the
// distinct items.
type Data struct {
	Items   []string  // distinct items of all columns
	Index   []int32   // [events, columns], into Items
	Numbers []float32 // [events, numbers], in their own units
	Counts  []float32 // [events], whole, at least 0 (at least 1 with PackSizes)
	Minutes []int32   // [events], from any origin
	Windows []int32   // [windows, length], events in order of time
	Maxima  []float32 // [numbers], what Raw divides numbers by
}

// NewModel prepares the filter for data, for a number of runs side by side; updateRows is the most windows that one
// Update brings. [Filter.Distribution] reads what a learner's Predict gives.
func NewModel(backend compute.Backend, config Config, data Data, runs, updateRows int) (*online.Model, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if err := data.check(config); err != nil {
		return nil, err
	}
	encoder, err := phe.NewEncoder(config.Encoder)
	if err != nil {
		return nil, err
	}
	uploaded, err := data.upload(config, encoder)
	if err != nil {
		return nil, err
	}
	n := network{config, encoder, len(data.Items), data.Maxima}
	return online.NewModel(backend, config.Config, encoder, n, uploaded, len(data.Windows)/config.Length, runs, updateRows)
}

// mostCount is the largest count up to which float32 holds all.
const mostCount = 1 << 24

// check refuses data that does not fit on the host: an accelerator would clamp or drop indices in silence.
func (d Data) check(c Config) error {
	switch n := len(d.Counts); {
	case c.Length < 2 || c.Numbers < 1:
		return errors.Errorf("windows of %d events of %d numbers; a filter needs at least 2 events and 1 number", c.Length, c.Numbers)
	case c.Incremental < 0 || c.Incremental >= c.Columns:
		return errors.Errorf("the incremental column is number %d of %d; count from 0", c.Incremental, c.Columns)
	case len(d.Windows) == 0:
		return errors.Errorf("no windows; give at least one")
	case len(d.Index) != n*c.Columns || len(d.Numbers) != n*c.Numbers || len(d.Minutes) != n || len(d.Windows)%c.Length != 0:
		return errors.Errorf("data does not fit the model: %d events of %d columns and %d numbers are %d indices, %d numbers and %d times, not %d, %d and %d; %d windows' events must be a multiple of %d",
			n, c.Columns, c.Numbers, n*c.Columns, n*c.Numbers, n, len(d.Index), len(d.Numbers), len(d.Minutes), len(d.Windows), c.Length)
	}
	isPositive := func(x float32) bool { return x > 0 && !math.IsInf(float64(x), 0) }
	if len(d.Maxima) != c.Numbers || slices.ContainsFunc(d.Maxima, func(x float32) bool { return !isPositive(x) }) {
		return errors.Errorf("maxima are %v; give a finite, positive one for each of the %d numbers", d.Maxima, c.Numbers)
	}
	for _, x := range d.Numbers {
		if x-x != 0 {
			return errors.Errorf("a number is %g; it must be finite", x)
		}
	}
	for _, i := range d.Index {
		if i < 0 || int(i) >= len(d.Items) {
			return errors.Errorf("an index is %d; it must point to one of the %d items", i, len(d.Items))
		}
	}
	for _, e := range d.Windows {
		if e < 0 || int(e) >= len(d.Counts) {
			return errors.Errorf("a window holds event %d; there are %d", e, len(d.Counts))
		}
	}
	least := float32(0)
	if c.Likelihood == PackSizes {
		least = 1
	}
	for _, y := range d.Counts {
		if !(y >= least && y <= mostCount && y == float32(int32(y))) {
			return errors.Errorf("a count is %g; with likelihood %q it must be whole, at least %g and at most %d", y, c.Likelihood, least, mostCount)
		}
	}
	return nil
}

// targets are the counts, or their cells.
func (d Data) targets(l Likelihood) []float32 {
	targets := slices.Clone(d.Counts)
	if l == PackSizes {
		cells := count.PackSizes()
		for i, y := range targets {
			targets[i] = float32(cells.Of(int(y)))
		}
	}
	return targets
}

// numEvents is how many tensors upload makes of events and windows; those of the items come before.
const numEvents = 6

// upload makes tensors of the data, in the order in which the network reads them.
func (d Data) upload(c Config, encoder *phe.Encoder) ([]*tensors.Tensor, error) {
	rows, err := encoder.Items(d.Items)
	if err != nil {
		return nil, err
	}
	n := len(d.Counts)
	uploaded := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(rows.Buckets, len(d.Items), c.Encoder.RowsPerItem())}
	if len(rows.Weights) > 0 {
		uploaded = append(uploaded, tensors.FromFlatDataAndDimensions(rows.Weights, len(d.Items)))
	}
	return append(uploaded,
		tensors.FromFlatDataAndDimensions(d.Index, n, c.Columns),
		tensors.FromFlatDataAndDimensions(d.Numbers, n, c.Numbers),
		tensors.FromFlatDataAndDimensions(d.Counts, n, 1),
		tensors.FromFlatDataAndDimensions(d.Minutes, n),
		tensors.FromFlatDataAndDimensions(d.targets(c.Likelihood), n, 1),
		tensors.FromFlatDataAndDimensions(d.Windows, len(d.Windows)/c.Length, c.Length)), nil
}
