package run

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/phe/learn"
	"gophe/phe/usage"
)

// job trains a model for some seeds side by side, and then runs each of its methods from it.
type job struct {
	*run
	worker *worker
	model  *model   // whose task may lack columns of the run's
	points []*model // side by side, model first; they differ in hyperparameters
	seeds  []int64  // of each replica: the seeds of a point, point after point
	state  jobState
	saved  time.Time // when a checkpoint was written last
}

// jobState is all that a stopped job needs to continue; a checkpoint file holds it.
type jobState struct {
	Epoch     int              // initial epochs done
	Initial   learnerState     // after them
	Taken     []int            // initial epochs of each phase side by side, where the ELBO ends them
	Chosen    []int            // with restarts: the initial phase that each replica goes on from, once Initial holds these alone
	Seconds   float64          // that the initial epochs took
	Untrained [][]result.Score // of each seed, where the plan asks for them
	Streams   []streamState    // of model.methods, as far as begun
}

type streamState struct {
	Next    int // first step not yet done
	Learner learnerState
	Runs    []result.Run // of the job's seeds
}

// checkpointEvery bounds the work that a crash can lose.
const checkpointEvery = 15 * time.Second

// newJob continues from the checkpoint of a stopped job, or starts anew.
func (r *run) newJob(points []*model, seeds []int64) (*job, error) {
	j := &job{run: r, model: points[0], points: points, saved: time.Now()}
	j.seeds = slices.Repeat(seeds, len(points))
	if err := readCheckpoint(j.checkpointPath(), &j.state); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return j, nil
}

// checkpointPath names the checkpoint after everything that its state depends on, such as the identity of the spec.
func (j *job) checkpointPath() string {
	m := &j.file.Manifest // a copy would read the times, which another worker's save may be writing
	identity := spec.Digest(m.SpecHash, m.DataSHA256, m.Backend, j.name(), fmt.Sprint(j.seeds))
	return filepath.Join(j.checkpoints(), identity[:16]+".gob")
}

// name is the first model's, with the number of the others.
func (j *job) name() string {
	if more := len(j.points) - 1; more > 0 {
		return fmt.Sprintf("%s and %d more", j.model.name, more)
	}
	return j.model.name
}

// device returns the learner of method number i for the seeds of all replicas. Method 0 is the initial model, frozen.
func (j *job) device(i int, seeds []int64, most int, pinned bool) (Device, error) {
	o := learn.Options{Seeds: seeds, MaxUpdated: most, MaxEpochs: j.mostEpochs()}
	for k := range seeds {
		o.Hyperparameters = append(o.Hyperparameters, j.points[k*len(j.points)/len(seeds)].methods[i].config.Hyperparameters())
	}
	return j.worker.device(j.model.task, j.model.methods[i].config, o, pinned)
}

// point returns the number of a replica's point.
func (j *job) point(replica int) int { return replica * len(j.points) / len(j.seeds) }

// work returns the job's size in passes over rows, and the part that is done. A prediction is one pass.
func (j *job) work() (all, done float64) {
	all, done = j.initialWork()*float64(j.initialEpochs()), j.initialWork()*float64(j.state.Epoch)
	for i, m := range j.model.methods {
		for step := range m.plan.Steps {
			work := j.stepWork(m, step)
			all += work
			if i < len(j.state.Streams) && step < j.state.Streams[i].Next {
				done += work
			}
		}
	}
	return all, done
}

// initialEpochs is the number of passes over the initial rows before the streams begin.
func (j *job) initialEpochs() int {
	if j.model.onHost() {
		return 1
	}
	return j.spec.Protocol.InitialEpochs
}

func (j *job) initialWork() float64 {
	return float64(j.restarts() * len(j.seeds) * len(j.plan.Initial))
}

// restarts returns the number of initial phases of each replica.
func (j *job) restarts() int {
	if j.model.onHost() {
		return 1
	}
	return max(1, j.model.config.Restarts)
}

// stepWork returns the work of one step: prediction, the update's epochs, and the tests after it.
func (j *job) stepWork(m method, step int) float64 {
	rows := (1 + m.epochs()) * len(m.plan.Steps[step])
	if m.plan.TestsAfter(step+1) && !m.frozen {
		for _, t := range m.plan.Tests {
			rows += len(t.Rows)
		}
	}
	return float64(rows * len(j.seeds))
}

// do does the rest of the job. When ctx stops it, the state is saved first; an error leaves the last checkpoint.
func (j *job) do(ctx context.Context) error {
	var initial Device
	if !j.model.onHost() {
		var err error
		if initial, err = j.device(0, j.seeds, j.plan.LargestStep(), true); err != nil {
			return errors.WithMessagef(err, "spec %s, method %s", j.spec.Name, j.model.name)
		}
		defer initial.Close()
		if err := j.fitBest(ctx, initial); err != nil {
			return errors.WithMessagef(err, "%s, seeds %v", j.name(), j.seeds)
		}
	}
	for i, m := range j.model.methods {
		if err := j.doMethod(ctx, i, m, initial); err != nil {
			return errors.WithMessagef(err, "%s, seeds %v", m.name, j.seeds)
		}
	}
	return nil
}

// doMethod runs method number i. It compiles a new model if the initial model has another configuration or step size, or if
// tables grow: the initial model's tables are whole on the device, and would compile anew each time.
func (j *job) doMethod(ctx context.Context, i int, m method, initial Device) error {
	switch {
	case j.model.onHost(): // the frozen model stops where the methods continue
		h, err := j.newHost(j.model.first, j.model.config, nil)
		if err == nil {
			err = j.initialPhase(ctx, h, func() error { return j.passOnHost(h) })
		}
		if err != nil {
			return err
		}
		return j.stream(ctx, i, m, h, j.state.Initial)
	case m.spec.Rule != "": // on the host, from the model that the device has trained
		if err := initial.setState(j.state.Initial); err != nil {
			return err
		}
		h, err := j.newHost(m.spec, m.config, &initial)
		if err != nil {
			return err
		}
		start, err := h.state()
		if err != nil {
			return err
		}
		return j.stream(ctx, i, m, h, start)
	case m.config == j.model.config && m.plan.LargestStep() == j.plan.LargestStep() && m.spec.GrowBeyond == 0:
		return j.stream(ctx, i, m, initial.WithMethod(m.spec), j.state.Initial)
	}
	d, err := j.device(i, j.seeds, m.plan.LargestStep(), m.spec.GrowBeyond == 0)
	if err != nil {
		return err
	}
	defer d.Close()
	d.seen = m.seen
	return j.stream(ctx, i, m, d.WithMethod(m.spec), j.state.Initial)
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
	} else {
		err = j.testUntrained(l)
	}
	for err == nil && j.state.Epoch < total {
		start, compiled := time.Now(), l.CompileTime()
		if err = epoch(); err != nil {
			break
		}
		j.state.Seconds += (time.Since(start) - (l.CompileTime() - compiled)).Seconds()
		j.state.Epoch++
		err = j.keep(ctx, l, &j.state.Initial, j.state.Epoch == total)
	}
	return err
}

// testUntrained tests a learner before its initial phase, once, where the plan asks for it.
func (j *job) testUntrained(l learner) (err error) {
	if j.plan.Untrained && j.state.Untrained == nil {
		j.state.Untrained, err = j.test(l, result.Untrained)
	}
	return err
}

// fitBest takes the initial phase of a device. With restarts it trains more replicas side by side, whose first have the job's own seeds,
// and keeps the best of each by the ELBO of the initial rows. Nothing of the stream is looked at.
func (j *job) fitBest(ctx context.Context, initial Device) error {
	rows, n := initial.All.Take(j.plan.Initial), j.restarts()
	if n == 1 {
		return j.initialPhase(ctx, initial, func() error { return j.fit(initial, rows) })
	}
	if j.state.Chosen != nil {
		return nil
	}
	if err := j.testUntrained(initial); err != nil {
		return err
	}
	var seeds []int64
	for _, seed := range j.seeds {
		for r := range n {
			seeds = append(seeds, seed+int64(r)<<32)
		}
	}
	all, err := j.device(0, seeds, j.plan.LargestStep(), true)
	if err != nil {
		return err
	}
	defer all.Close()
	if err := j.initialPhase(ctx, all, func() error { return j.fit(all, rows) }); err != nil {
		return err
	}
	if err := all.setState(j.state.Initial); err != nil { // a stopped run may have ended here
		return err
	}
	elbos, err := all.ELBO(rows)
	if err != nil {
		return err
	}
	for k := range j.seeds {
		best := k * n
		for r := best; r < (k+1)*n; r++ {
			if cmp.Compare(elbos[r], elbos[best]) > 0 { // NaN is less than all
				best = r
			}
		}
		j.state.Chosen = append(j.state.Chosen, best)
	}
	j.state.Initial.Device = j.state.Initial.Device.Of(j.state.Chosen, len(seeds))
	return j.checkpoint(false)
}

// fit takes an epoch of a device's initial phase.
func (j *job) fit(l Device, initial *learn.Batch) error {
	if err := l.Fit(initial, 1); err != nil {
		return err
	}
	j.state.Taken = l.EpochsTaken()
	total := j.initialEpochs()
	j.advance(j.initialWork(), fmt.Sprintf("%s: initial epoch %d of %d", j.name(), j.state.Epoch+1, total))
	if j.state.Epoch+1 == total {
		l.Settle()
	}
	return nil
}

// reportedRows is the number of initial rows that one pass learns between two reports of progress.
const reportedRows = 1 << 16

// passOnHost learns the initial rows once.
func (j *job) passOnHost(h host) error {
	together := len(j.plan.Initial) // a regression is fitted to all of them
	if j.model.first.Rule == spec.OnePass {
		together = reportedRows
	}
	for rows := range slices.Chunk(j.plan.Initial, together) {
		if err := h.learnRows(rows); err != nil {
			return err
		}
		j.advance(float64(len(j.seeds)*len(rows)), fmt.Sprintf("%s: initial rows", j.model.name))
	}
	return nil
}

// newHost makes the row learners of a method, one a seed: from nothing, or from the initial model of a device.
func (j *job) newHost(m spec.Method, c spec.Config, initial *Device) (host, error) {
	h := host{alike: 1}
	seeds := j.seeds
	if m.IgnoresSeeds() {
		seeds, h.alike = seeds[:1], len(seeds)
	}
	for k, seed := range seeds {
		from := task.Beginning{Seed: seed, Initial: j.plan.Initial, Every: j.spec.RefitEvery(m)}
		if initial != nil {
			beliefs, err := initial.Beliefs(k)
			if err != nil {
				return host{}, err
			}
			from.Model = &beliefs
		}
		l, err := j.model.task.RowLearner(c, m, from)
		if err != nil {
			return host{}, err
		}
		h.bySeed = append(h.bySeed, l)
	}
	return h, nil
}

// stream runs method number i along its plan from where it stopped, or from a start, all seeds side by side.
func (j *job) stream(ctx context.Context, i int, m method, l learner, start learnerState) error {
	if i == len(j.state.Streams) {
		j.state.Streams = append(j.state.Streams, streamState{Learner: start, Runs: j.newRuns()})
	}
	state := &j.state.Streams[i]
	if state.Next == len(m.plan.Steps) || allDiverged(state.Runs) {
		return j.finish(l, state)
	}
	if err := l.setState(state.Learner); err != nil {
		return err
	}
	if state.Next == 0 && m.plan.TestsAfter(0) {
		if err := j.testStream(m, l, state); err != nil {
			return err
		}
	}
	for state.Next < len(m.plan.Steps) && !allDiverged(state.Runs) {
		if err := j.step(m, l, state); err != nil {
			return err
		}
		if m.plan.TestsAfter(state.Next) {
			if err := j.testStream(m, l, state); err != nil {
				return err
			}
		}
		j.advance(j.stepWork(m, state.Next-1), fmt.Sprintf("%s: step %d of %d", m.label(), state.Next, len(m.plan.Steps)))
		if err := j.keep(ctx, l, &state.Learner, false); err != nil {
			return err
		}
	}
	return j.finish(l, state)
}

// step takes one step in the paper's order (Sec. 4.1): it predicts the step's rows, scores the predictions, and then learns the rows.
func (j *job) step(m method, l learner, state *streamState) error {
	rows, compiled := m.plan.Steps[state.Next], l.CompileTime()
	var scores []protocol.Score
	var err error
	var predicting, updating time.Duration
	start := time.Now()
	if m.plan.Scored {
		if scores, err = l.Score(rows, state.Next); err != nil {
			return err
		}
		predicting = time.Since(start)
	}
	if !m.frozen {
		start = time.Now()
		if err := l.Learn(m.plan, state.Next); err != nil {
			return err
		}
		updating = time.Since(start)
	}
	if l.CompileTime() > compiled { // at the first step only
		predicting, updating = 0, 0
	}
	seeds, memory := float64(j.sharing()), j.memory(m.plan, state.Next)
	for k := range state.Runs {
		run := &state.Runs[k]
		if run.Status == result.Diverged {
			continue
		}
		run.Memory = append(run.Memory, memory...)
		if m.plan.Scored {
			score := scores[k]
			if !task.IsFinite(score) {
				run.Status, run.DivergedAt = result.Diverged, state.Next
				continue
			}
			task.WriteDown(run, len(rows), score, m.plan.Shares(state.Next))
		}
		if !m.frozen {
			run.UpdateSteps += m.updateSteps(len(rows), l.epochsTaken(k))
		}
		run.Seconds.Predict += predicting.Seconds() / seeds
		run.Seconds.Update += updating.Seconds() / seeds
	}
	state.Next++
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

// testStream records the tests after the steps done. A frozen model's never change, so they are taken once.
func (j *job) testStream(m method, l learner, state *streamState) error {
	if m.frozen && state.Next > 0 {
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
	bySeed, err := j.test(l, state.Next)
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

// memorySamples is the number of memory measurements along a stream.
const memorySamples = 100

// memory measures the process's memory after some steps, on streams in which users keep appearing.
func (j *job) memory(p *protocol.Plan, step int) []result.Memory {
	if every := max(1, len(p.Steps)/memorySamples); len(p.Users) == 0 || (step+1)%every != 0 {
		return nil
	}
	return []result.Memory{{Step: step + 1, Megabytes: math.Round(usage.Resident() / (1 << 20))}}
}

// sharing returns the number of seeds that share the time of a learner.
func (j *job) sharing() int {
	if j.model.first.IgnoresSeeds() {
		return 1
	}
	return len(j.seeds)
}

func (j *job) newRuns() []result.Run {
	runs := make([]result.Run, len(j.seeds))
	for k, seed := range j.seeds {
		steps := 0
		switch {
		case j.model.first.Rule == spec.Counts: // days are its steps, and the initial ones have not been counted
		case j.model.onHost():
			steps = len(j.plan.Initial)
		default:
			epochs, n := j.restarts()*j.spec.Protocol.InitialEpochs, j.restarts()
			if j.state.Taken != nil {
				epochs = 0
				for _, taken := range j.state.Taken[k*n : (k+1)*n] {
					epochs += taken
				}
			}
			steps = epochs * Batches(len(j.plan.Initial), j.model.config.BatchSize)
		}
		runs[k] = result.Run{Seed: seed, Status: result.Partial, InitialSteps: steps, Rows: []int{}}
		runs[k].Seconds.Initial = j.state.Seconds / float64(j.sharing())
		if j.plan.Untrained {
			runs[k].Tests = slices.Clone(j.state.Untrained[k])
		}
	}
	return runs
}

// finish marks a method's runs as complete and publishes them in the result file.
func (j *job) finish(l learner, state *streamState) error {
	for k := range state.Runs {
		if run := &state.Runs[k]; run.Status == result.Partial {
			run.Status = result.Complete
			run.Seconds.Compile = l.CompileTime().Seconds() / float64(len(j.seeds))
		}
	}
	state.Learner = learnerState{} // no longer needed
	return j.checkpoint(true)
}

// keep saves a learner's state and the job's now, or where it is time. If the context has ended, it saves both and returns the cause.
func (j *job) keep(ctx context.Context, l learner, place *learnerState, now bool) (err error) {
	stop := ctx.Err() != nil
	if !stop && !now && time.Since(j.saved) <= checkpointEvery {
		return nil
	}
	if *place, err = l.state(); err == nil {
		err = j.checkpoint(stop)
	}
	if stop && err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// checkpoint saves the job's state; with publish it also saves the results so far.
func (j *job) checkpoint(publish bool) error {
	j.saved = time.Now()
	if publish {
		j.mutex.Lock()
		for i, stream := range j.state.Streams {
			for k, run := range stream.Runs {
				j.row(j.points[j.point(k)].methods[i]).Put(run)
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
	return !slices.ContainsFunc(runs, func(run result.Run) bool { return run.Status != result.Diverged })
}
