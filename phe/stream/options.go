package stream

import (
	"cmp"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/onepass"
)

// Options size a Learner. The zero value is the default, which needs no tuning.
type Options struct {
	Memory       int                  `json:"memory,omitempty"`       // bytes of the model's tables; onepass.DefaultMemory
	Interactions onepass.Interactions `json:"interactions,omitempty"` // interactions of columns; onepass.Auto
	// Forget is the share of its prior variance that a belief gains whenever it is touched. The belief can then follow a change. 0 means
	// the preset's value, which depends on the memory.
	Forget float64 `json:"forget,omitempty"`
	Seed   int64   `json:"seed,omitempty"` // draws the hash functions
	// NoExactModel leaves out the model that gives each item numbers of its own. Reports compare the score with that model.
	NoExactModel bool `json:"no_exact,omitempty"`
	// Waiting is the largest number of records that wait for their labels; 100,000. WaitingRows is the largest number of rows that are
	// learned while a record waits; 10,000,000. The oldest records are dropped and counted.
	Waiting     int   `json:"waiting,omitempty"`
	WaitingRows int64 `json:"waiting_rows,omitempty"`
	// WaitingBytes is the memory of the records that wait, in place of both limits; 0 leaves them. No file has it.
	WaitingBytes int64 `json:"-"`
	// IDs is the number of the last rows whose ids are kept, if the schema has ids: a row that comes again is not learned. 0 keeps none.
	IDs int `json:"ids,omitempty"`
	// Without leaves out parts of the model that come after the mixture, to show the worth of each.
	Without struct {
		LastStep bool `json:"last_step,omitempty"` // stacking: the forecast is then the mixture's, recalibrated
		Recent   bool `json:"recent,omitempty"`    // recent labels and forecasts, as inputs of stacking
		Curve    bool `json:"curve,omitempty"`     // recalibration, with two classes
	} `json:"without,omitzero"`
}

// Bounds of the options. The report says when the items need more memory.
const (
	minMemory, maxMemory = 1 << 10, 1 << 36
	defaultWaiting       = 100_000
	defaultWaitingRows   = 10_000_000
	maxIDs               = 10_000_000
)

// WithDefaults fills in the defaults.
func (o Options) WithDefaults() Options {
	o.Memory, o.Interactions = cmp.Or(o.Memory, onepass.DefaultMemory), cmp.Or(o.Interactions, onepass.Auto)
	o.Waiting, o.WaitingRows = cmp.Or(o.Waiting, defaultWaiting), cmp.Or(o.WaitingRows, defaultWaitingRows)
	return o
}

// Validate returns the first thing wrong with the options and what would be right.
func (o Options) Validate() error {
	switch o = o.WithDefaults(); {
	case o.Memory < minMemory || o.Memory > maxMemory:
		return errors.Errorf("memory is %d bytes; give 1K to 64G, such as 256K", o.Memory)
	case !(o.Forget >= 0 && o.Forget <= 1):
		return errors.Errorf("forget is %g; it is a share from 0 to 1, such as 0.001", o.Forget)
	case o.Waiting < 0 || o.WaitingRows < 0 || o.WaitingBytes < 0:
		return errors.Errorf("%d records may wait for labels, for %d rows, in %d bytes; none may be negative", o.Waiting, o.WaitingRows,
			o.WaitingBytes)
	case o.IDs < 0 || o.IDs > maxIDs:
		return errors.Errorf("the ids of %d rows are to be kept; give 0 to %d", o.IDs, maxIDs)
	}
	if all := onepass.AllInteractions(); !slices.Contains(all, o.Interactions) {
		return errors.Errorf("interactions is %q; choose one of %v", o.Interactions, all)
	}
	return nil
}
