package learn

import (
	"fmt"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe"
)

func (l *Learner) loopData(x excerpt, purpose string, first uint64, order, masks *tensors.Tensor, keep []*tensors.Tensor) []*tensors.Tensor {
	call := []*tensors.Tensor{tensors.FromScalar(float32(len(x.records))), l.keys(purpose, first>>32), tensors.FromScalar(uint32(first)),
		tensors.FromScalar(int32(l.counts.Adam)), order, masks}
	return slices.Concat(call, keep, x.data)
}

// firstStep is the number of the next loop's first step, of so many, after others. A loop's steps have one key, and so numbers of one
// era.
func firstStep(after uint64, steps int) uint64 {
	const era = 1 << 32
	if after%era+uint64(steps) > era {
		return (after/era + 1) * era
	}
	return after
}

// keys are each seed's key of a purpose. A number of 32 bits tells steps apart, and an era begins when they are used up.
func (l *Learner) keys(purpose string, era uint64) *tensors.Tensor {
	if era > 0 {
		purpose = fmt.Sprintf("%s, era %d", purpose, era)
	}
	keys := make([]uint32, len(l.seeds))
	for i, seed := range l.seeds {
		keys[i] = phe.NoiseKey(seed, purpose)
	}
	return tensors.FromFlatDataAndDimensions(keys, len(keys))
}
