package run

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/task"
	"gophe/experiments/usage"
)

// trial leads one variant of a family along its plan.
type trial struct {
	variant
	plan    *protocol.Plan // as the method's rows arrive
	learner learner
}

// lead runs trial number i of the family from where it stopped, all seeds side by side.
func (j *job) lead(ctx context.Context, i int, a trial) error {
	if i == len(j.state.Streams) {
		j.state.Streams = append(j.state.Streams, trialState{Learner: j.state.Initial, Runs: j.newRuns()})
	}
	state := &j.state.Streams[i]
	if state.Next == len(a.plan.Steps) || allDiverged(state.Runs) {
		return j.finish(a, state)
	}
	if err := a.learner.setState(state.Learner); err != nil {
		return err
	}
	if state.Next == 0 && a.plan.TestsAfter(0) {
		if err := j.testStream(a, state); err != nil {
			return err
		}
	}
	for state.Next < len(a.plan.Steps) && !allDiverged(state.Runs) {
		if err := j.step(a, state); err != nil {
			return err
		}
		if a.plan.TestsAfter(state.Next) {
			if err := j.testStream(a, state); err != nil {
				return err
			}
		}
		j.advance(j.stepWork(a.plan, a.variant, state.Next-1), fmt.Sprintf("%s: step %d of %d", a.label(), state.Next, len(a.plan.Steps)))
		if stop := ctx.Err() != nil; stop || time.Since(j.saved) > checkpointEvery {
			var err error
			if state.Learner, err = a.learner.state(); err != nil {
				return err
			}
			if err := j.checkpoint(stop); err != nil {
				return err
			}
			if stop {
				return context.Cause(ctx)
			}
		}
	}
	return j.finish(a, state)
}

// step takes one step in the paper's order (Sec. 4.1): it predicts the step's rows, scores the predictions, and then learns the rows.
func (j *job) step(a trial, state *trialState) error {
	rows, compiled := a.plan.Steps[state.Next], a.learner.CompileTime()
	var scores []protocol.Score
	var err error
	var predicting, updating time.Duration
	steps, start := 0, time.Now()
	if a.plan.Scored {
		if scores, err = a.learner.Score(rows, state.Next); err != nil {
			return err
		}
		predicting = time.Since(start)
	}
	if !a.frozen {
		start = time.Now()
		if err := a.learner.Learn(a.plan, state.Next); err != nil {
			return err
		}
		updating, steps = time.Since(start), a.learner.steps(a.plan, len(rows))
	}
	if a.learner.CompileTime() > compiled { // at the first step only
		predicting, updating = 0, 0
	}
	seeds, memory := float64(j.sharing()), j.memory(a.plan, state.Next)
	for k := range state.Runs {
		run := &state.Runs[k]
		if run.Status == result.Diverged {
			continue
		}
		run.Memory = append(run.Memory, memory...)
		if a.plan.Scored {
			score := scores[k]
			if !task.IsFinite(score) {
				run.Status, run.DivergedAt = result.Diverged, state.Next
				continue
			}
			task.WriteDown(run, len(rows), score, a.plan.Shares(state.Next))
		}
		run.UpdateSteps += steps
		run.Seconds.Predict += predicting.Seconds() / seeds
		run.Seconds.Update += updating.Seconds() / seeds
	}
	state.Next++
	return nil
}

// memorySamples is the number of memory measurements along a stream.
const memorySamples = 100

// memory measures the process's memory after some steps, on streams in which users keep appearing.
func (j *job) memory(p *protocol.Plan, step int) []result.Memory {
	if every := max(1, len(p.Steps)/memorySamples); len(p.Users) == 0 || (step+1)%every != 0 {
		return nil
	}
	return []result.Memory{{Step: step + 1, Megabytes: math.Round(usage.Resident() / (1 << 20))}}
}

// testStream writes down the tests after the steps done. A frozen model's never change: they are taken once.
func (j *job) testStream(a trial, state *trialState) error {
	if a.frozen && state.Next > 0 {
		for k := range state.Runs {
			for _, score := range state.Runs[k].Tests {
				if score.After == 0 {
					score.After = state.Next
					state.Runs[k].Tests = append(state.Runs[k].Tests, score)
				}
			}
		}
		return nil
	}
	bySeed, err := j.test(a.learner, state.Next)
	if err != nil {
		return err
	}
	for k, scores := range bySeed {
		run := &state.Runs[k]
		if run.Status == result.Diverged {
			continue
		}
		if slices.ContainsFunc(scores, func(s result.Score) bool { return math.IsInf(s.LogLikelihood, 0) }) {
			run.Status, run.DivergedAt = result.Diverged, max(0, state.Next-1)
			continue
		}
		run.Tests = append(run.Tests, scores...)
	}
	return nil
}

// finish marks a trial's runs as complete and publishes them in the result file.
func (j *job) finish(a trial, state *trialState) error {
	for k := range state.Runs {
		if run := &state.Runs[k]; run.Status == result.Partial {
			run.Status = result.Complete
			run.Seconds.Compile = a.learner.CompileTime().Seconds() / float64(len(j.seeds))
		}
	}
	state.Learner = learnerState{} // nobody goes on from it
	return j.checkpoint(true)
}
