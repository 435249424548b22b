package stream

import (
	"github.com/pkg/errors"

	"gophe/phe/onepass"
)

// Options size a Learner. The zero value is the default, which needs no tuning.
type Options struct {
	Memory       int                  `json:"memory,omitempty"`       // bytes of the model's tables; DefaultMemory
	Interactions onepass.Interactions `json:"interactions,omitempty"` // of columns; onepass.Auto
	// Forget is the share of its prior variance that a belief gains whenever it is touched. The belief can then follow a change. 0
	// means the preset's value, which depends on the memory.
	Forget float64 `json:"forget,omitempty"`
	Seed   int64   `json:"seed,omitempty"` // draws the hash functions
	// Alone leaves out the model that gives each item numbers of its own. Reports compare the score with that model.
	Alone bool `json:"alone,omitempty"`
	// Waiting is the largest number of records that wait for their labels; 100,000. WaitingRows is the largest number of rows that are
	// learned while a record waits; 10,000,000. The oldest records are dropped and counted.
	Waiting     int   `json:"waiting,omitempty"`
	WaitingRows int64 `json:"waiting_rows,omitempty"`
}

// DefaultMemory is the default of Options.Memory. The report says when the items need more.
const DefaultMemory = onepass.DefaultMemory

// Bounds of the options.
const (
	leastMemory, mostMemory = 1 << 10, 1 << 36
	defaultWaitingRows      = 10_000_000
)

// DefaultWaiting is the default of Options.Waiting.
const DefaultWaiting = 100_000

func (o Options) withDefaults() Options {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Interactions == "" {
		o.Interactions = onepass.Auto
	}
	if o.Waiting == 0 {
		o.Waiting = DefaultWaiting
	}
	if o.WaitingRows == 0 {
		o.WaitingRows = defaultWaitingRows
	}
	return o
}

// Validate returns the first thing wrong with the options and what would be right.
func (o Options) Validate() error {
	switch o = o.withDefaults(); {
	case o.Memory < leastMemory || o.Memory > mostMemory:
		return errors.Errorf("memory is %d bytes; give 1K to 64G, such as 256K", o.Memory)
	case !(o.Forget >= 0 && o.Forget <= 1):
		return errors.Errorf("forget is %g; it is a share from 0 to 1, such as 0.001", o.Forget)
	case o.Waiting < 0 || o.WaitingRows < 0:
		return errors.Errorf("%d records may wait for labels, for %d rows; neither may be negative", o.Waiting, o.WaitingRows)
	}
	for _, known := range onepass.AllInteractions() {
		if o.Interactions == known {
			return nil
		}
	}
	return errors.Errorf("interactions is %q; choose one of %v", o.Interactions, onepass.AllInteractions())
}
