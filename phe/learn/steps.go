package learn

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe"
)

// minibatches cuts shuffles of the records into batches of one size. Each run shuffles anew for each epoch. The arrays have room for at
// least room steps. part numbers the call.
func (l *Learner) minibatches(records []int32, size, epochs, room int, part uint64, purpose string) (minibatches[*tensors.Tensor], int) {
	perEpoch := (len(records) + size - 1) / size
	steps := epochs * perEpoch
	room = max(room, steps)
	runs := len(l.seeds)
	flat, mask := make([]int32, room*runs*size), make([]float32, room*size)
	for r, seed := range l.seeds {
		rng := rand.New(rand.NewPCG(uint64(phe.NoiseKey(seed, purpose)), part))
		for e := range epochs {
			permutation := rng.Perm(len(records))
			for i := range perEpoch * size {
				step, at := e*perEpoch+i/size, i%size
				record := records[permutation[min(i, len(records)-1)]]
				flat[(step*runs+r)*size+at] = record
				if r == 0 && i < len(records) {
					mask[step*size+at] = 1
				}
			}
		}
	}
	return l.batched(flat, mask, size), steps
}

// batched returns minibatches of records, [steps, runs, size], with masks, [steps, size].
func (l *Learner) batched(records []int32, masks []float32, size int) minibatches[*tensors.Tensor] {
	counts := make([]float32, len(masks)/size)
	for i, counted := range masks {
		counts[i/size] += counted
	}
	steps := len(counts)
	return minibatches[*tensors.Tensor]{tensors.FromFlatDataAndDimensions(records, steps, len(l.seeds), size),
		tensors.FromFlatDataAndDimensions(masks, steps, size), tensors.FromFlatDataAndDimensions(counts, steps)}
}

// shuffles are the minibatches of an epoch of the initial phase.
type shuffles struct {
	records []int32
	size    int
	epoch   uint64
	draw    func() (b minibatches[*tensors.Tensor], steps int)
}

// shuffled returns an epoch's minibatches. It draws the next epoch's while the device learns these.
func (l *Learner) shuffled(records []int32, size int, epoch uint64) (b minibatches[*tensors.Tensor], steps int) {
	now := l.ahead
	if now.epoch != epoch || now.size != size || !slices.Equal(now.records, records) {
		now = l.shuffles(slices.Clone(records), size, epoch) // the caller may change its own
	}
	b, steps = now.draw()
	l.ahead = l.shuffles(now.records, size, epoch+1)
	go l.ahead.draw()
	return b, steps
}

func (l *Learner) shuffles(records []int32, size int, epoch uint64) shuffles {
	return shuffles{records, size, epoch, sync.OnceValues(func() (minibatches[*tensors.Tensor], int) {
		return l.minibatches(records, size, 1, 0, epoch, "initial order")
	})}
}

// drawn draws minibatches from records with replacement, separately for each run.
func (l *Learner) drawn(records []int32, size, steps int, part uint64) minibatches[*tensors.Tensor] {
	runs := len(l.seeds)
	flat := make([]int32, steps*runs*size)
	for r, seed := range l.seeds {
		rng := rand.New(rand.NewPCG(uint64(phe.NoiseKey(seed, "replay order")), part))
		for i := range steps * size {
			flat[(i/size*runs+r)*size+i%size] = records[rng.IntN(len(records))]
		}
	}
	return l.batched(flat, slices.Repeat([]float32{1}, steps*size), size)
}

// loopData returns the data of a loop over minibatches of an excerpt, without fixed parameters and a prior. first is the number of the
// loop's first step in the runs that take the most epochs, and numbers of the others go in proportion.
func (l *Learner) loopData(x excerpt, b minibatches[*tensors.Tensor], online bool, purpose string, first uint64,
	epochs []int) loopData[*tensors.Tensor] {
	firsts, era := make([]uint32, l.runs), first>>32
	for r, n := range epochs {
		firsts[r] = uint32((first - era<<32) * uint64(n) / uint64(slices.Max(epochs)))
	}
	rate := func(h Hyperparameters) float64 { return h.LearningRate }
	if online {
		rate = func(h Hyperparameters) float64 { return cmp.Or(h.UpdateLearningRate, h.LearningRate) }
	}
	klWeight := func(h Hyperparameters) float64 { return h.klWeight(online) }
	return loopData[*tensors.Tensor]{
		NumRecords: tensors.FromScalar(float32(len(x.records))), Keys: l.keys(purpose, era),
		First: tensors.FromFlatDataAndDimensions(firsts, l.runs), FirstOfAdam: tensors.FromScalar(int32(l.counts.Adam)),
		Rates: l.input(rate), KLWeights: l.input(klWeight), minibatches: b, arrays: x.data,
	}
}

// firstStep returns the number of the first step of a loop that follows after steps. All steps of a loop share one key, so their
// numbers must belong to one era.
func firstStep(after uint64, steps int) uint64 {
	const era = 1 << 32
	if after%era+uint64(steps) > era {
		return (after/era + 1) * era
	}
	return after
}

// keys returns each seed's key for a purpose. Steps have numbers of 32 bits. When all are used, a new era with other keys begins.
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
