package experiments

import (
	"slices"
	"time"

	"gophe/experiments/protocol"
	"gophe/phe/online"
)

// learner is what a job leads along a plan: one model of each of its seeds, side by side.
type learner interface {
	protocol.Learner
	// learn learns from a step of the plan.
	learn(p *plan, step int) error
	// steps returns the number of steps that learning from a number of rows takes.
	steps(p *plan, rows int) int
	snapshot() (learnerState, error)
	restore(learnerState) error
	// sharing returns the number of seeds that share its time.
	sharing() int
	// compileTime returns the time spent on compilation so far.
	compileTime() time.Duration
}

// learnerState is all that a learner needs to go on.
type learnerState struct {
	Device online.Snapshot
	Host   [][]byte // of each seed's row learner
}

// deviceLearner is a learner whose seeds train in one program of the backend.
type deviceLearner struct {
	*online.Learner
	model  *online.Model
	method Method
	seeds  int
}

func (d deviceLearner) learn(p *plan, step int) error {
	if d.method.Replay {
		past := slices.Concat(append([][]int32{p.Initial}, p.Steps[:step+1]...)...)
		return d.Replay(past, d.method.UpdateEpochs, step)
	}
	return d.Update(p.Steps[step], d.method.UpdateEpochs, step)
}

// steps counts the steps of the optimiser.
func (d deviceLearner) steps(p *plan, rows int) int {
	if d.method.Replay {
		return d.method.UpdateEpochs
	}
	return d.method.UpdateEpochs * batches(rows, min(d.model.BatchSize, p.largestStep()))
}

func (d deviceLearner) snapshot() (learnerState, error) {
	s, err := d.Snapshot()
	return learnerState{Device: s}, err
}

func (d deviceLearner) restore(s learnerState) error { return d.Restore(s.Device) }

func (d deviceLearner) sharing() int { return d.seeds }

func (d deviceLearner) compileTime() time.Duration { return d.model.CompileTime() }
