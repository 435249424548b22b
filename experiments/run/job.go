package run

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/task"
	"gophe/phe/learn"
)

// job trains one family's initial model for some seeds side by side, and then runs each of its streams from it.
type job struct {
	*session
	backend compute.Backend // the worker's
	family  *family
	task    task.Task // the family's, which may lack columns of the session's
	seeds   []int64
	state   jobState
	saved   time.Time // of the state
}

// jobState is all that a stopped job needs to go on; a checkpoint file holds it.
type jobState struct {
	Epoch     int              // initial epochs done
	Initial   learnerState     // after them
	Seconds   float64          // they took
	Untrained [][]result.Score // of each seed, where the plan asks for them
	Streams   []trialState     // of family.streams, as far as begun
}

type trialState struct {
	Next    int // first step not yet done
	Learner learnerState
	Runs    []result.Run // of the job's seeds
}

// checkpointEvery bounds the work that a crash can lose.
const checkpointEvery = 15 * time.Second

// newJob takes up the checkpoint of a stopped job, or starts anew.
func (r *session) newJob(f *family, seeds []int64) (*job, error) {
	j := &job{session: r, family: f, task: f.task, seeds: seeds, saved: time.Now()}
	if err := readCheckpoint(j.checkpointPath(), &j.state); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return j, nil
}

// checkpointPath names the checkpoint after everything that its state depends on.
func (j *job) checkpointPath() string {
	m := &j.file.Manifest // a copy would read the times, which another worker's save may be writing
	identity := spec.Digest(m.SpecHash, m.DataSHA256, m.Backend, j.family.name, fmt.Sprint(j.seeds))
	return filepath.Join(j.checkpoints(), identity[:16]+".gob")
}

// work returns the job's size in passes over rows, and how much of it is done. A prediction is one pass.
func (j *job) work() (all, done float64) {
	all, done = j.initialWork()*float64(j.initialEpochs()), j.initialWork()*float64(j.state.Epoch)
	for i, s := range j.family.variants() {
		p := j.plan.Arranged(s.method.Arrival, s.method.Draw)
		for t := range p.Steps {
			work := j.stepWork(p, s, t)
			all += work
			if i < len(j.state.Streams) && t < j.state.Streams[i].Next {
				done += work
			}
		}
	}
	return all, done
}

// initialEpochs is the number of passes over the initial rows before the streams begin.
func (j *job) initialEpochs() int {
	if j.family.onHost() {
		return 1
	}
	return j.spec.Protocol.InitialEpochs
}

func (j *job) initialWork() float64 { return float64(len(j.seeds) * len(j.plan.Initial)) }

// stepWork returns the work of one step of a trial: prediction, the update's epochs, and the tests after it.
func (j *job) stepWork(p *protocol.Plan, s variant, step int) float64 {
	rows := (1 + s.epochs()) * len(p.Steps[step])
	if p.TestsAfter(step+1) && !s.frozen {
		for _, t := range p.Tests {
			rows += len(t.Rows)
		}
	}
	return float64(rows * len(j.seeds))
}

// do does the rest of the job. When ctx stops it, the state is saved first; an error leaves the last checkpoint.
func (j *job) do(ctx context.Context) error {
	var initial Device
	if !j.family.onHost() {
		var err error
		if initial, err = NewDevice(j.task, j.backend, j.family.config, j.seeds, j.plan.LargestStep(), true); err != nil {
			return errors.WithMessagef(err, "spec %s, method %s", j.spec.Name, j.family.name)
		}
		defer initial.Close()
		rows := initial.All.Take(j.plan.Initial)
		if err := j.initialPhase(ctx, initial, func() error { return j.fit(initial, rows) }); err != nil {
			return errors.WithMessagef(err, "%s, seeds %v", j.family.name, j.seeds)
		}
	}
	for i, s := range j.family.variants() {
		if err := j.goOn(ctx, i, s, initial.WithMethod(s.method)); err != nil {
			return errors.WithMessagef(err, "%s, seeds %v", s.name, j.seeds)
		}
	}
	return nil
}

// goOn runs one trial. It compiles a new model if the family's model has another configuration or step size, or if
// tables grow: the family's are whole on the device, and would compile anew each time.
func (j *job) goOn(ctx context.Context, i int, s variant, initial Device) error {
	p := j.plan.Arranged(s.method.Arrival, s.method.Draw)
	switch {
	case j.family.onHost():
		return j.leadFromNothing(ctx, i, trial{s, p, nil})
	case s.method.Rule != "":
		return j.leadFromInitial(ctx, i, trial{s, p, nil}, initial)
	case s.config == j.family.config && p.LargestStep() == j.plan.LargestStep() && s.method.GrowBeyond == 0:
		return j.lead(ctx, i, trial{s, p, initial})
	}
	learner, err := NewDevice(j.task, j.backend, s.config, j.seeds, p.LargestStep(), s.method.GrowBeyond == 0)
	if err != nil {
		return err
	}
	defer learner.Close()
	return j.lead(ctx, i, trial{s, p, learner.WithMethod(s.method)})
}

// initialPhase takes the epochs of the initial phase that are left.
func (j *job) initialPhase(ctx context.Context, l learner, epoch func() error) error {
	total := j.initialEpochs()
	if j.state.Epoch == total {
		return nil
	}
	var err error
	if j.state.Epoch > 0 {
		err = l.setState(j.state.Initial)
	} else if j.plan.Untrained {
		j.state.Untrained, err = j.test(l, result.Untrained)
	}
	for err == nil && j.state.Epoch < total {
		start, compiled := time.Now(), l.CompileTime()
		if err = epoch(); err != nil {
			break
		}
		j.state.Seconds += (time.Since(start) - (l.CompileTime() - compiled)).Seconds()
		j.state.Epoch++
		if stop := ctx.Err() != nil; stop || j.state.Epoch == total || time.Since(j.saved) > checkpointEvery {
			if j.state.Initial, err = l.state(); err == nil {
				err = j.checkpoint(stop)
			}
			if stop && err == nil {
				err = context.Cause(ctx)
			}
		}
	}
	return err
}

// fit takes an epoch of a device's initial phase.
func (j *job) fit(l Device, initial *learn.Batch) error {
	if err := l.Fit(initial, 1); err != nil {
		return err
	}
	total := j.initialEpochs()
	j.advance(j.initialWork(), fmt.Sprintf("%s: initial epoch %d of %d", j.family.name, j.state.Epoch+1, total))
	if j.state.Epoch+1 == total {
		l.Settle()
	}
	return nil
}

// test scores every test of the plan, for each seed.
func (j *job) test(l learner, after int) ([][]result.Score, error) {
	bySeed := make([][]result.Score, len(j.seeds))
	for set, t := range j.plan.Tests {
		scores, err := l.Score(t.Rows, after+1)
		if err != nil {
			return nil, err
		}
		for k, s := range scores {
			bySeed[k] = append(bySeed[k], task.TestScore(after, set, s))
		}
	}
	return bySeed, nil
}

// sharing is the number of seeds that share the time of a learner.
func (j *job) sharing() int {
	if j.family.methods[0].IgnoresSeeds() {
		return 1
	}
	return len(j.seeds)
}

func (j *job) newRuns() []result.Run {
	runs := make([]result.Run, len(j.seeds))
	for k, seed := range j.seeds {
		steps := 0
		switch {
		case j.family.alwaysLearns(): // days are its steps, and the initial ones have not been counted
		case j.family.onHost():
			steps = len(j.plan.Initial)
		default:
			steps = j.spec.Protocol.InitialEpochs * Batches(len(j.plan.Initial), j.family.config.BatchSize)
		}
		runs[k] = result.Run{Seed: seed, Status: result.Partial, InitialSteps: steps, Rows: []int{}}
		runs[k].Seconds.Initial = j.state.Seconds / float64(j.sharing())
		if j.plan.Untrained {
			runs[k].Tests = slices.Clone(j.state.Untrained[k])
		}
	}
	return runs
}

// checkpoint saves the job's state; with publish it also saves the results so far.
func (j *job) checkpoint(publish bool) error {
	j.saved = time.Now()
	if publish {
		j.mutex.Lock()
		for i, s := range j.family.variants()[:len(j.state.Streams)] {
			for _, run := range j.state.Streams[i].Runs {
				j.method(s).Put(run)
			}
		}
		j.mutex.Unlock()
		if err := j.save(); err != nil {
			return err
		}
	}
	return writeCheckpoint(j.checkpointPath(), j.state)
}

func allDiverged(runs []result.Run) bool {
	for _, run := range runs {
		if run.Status != result.Diverged {
			return false
		}
	}
	return true
}
