package experiments

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/pkg/errors"

	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/phe/tabular"
)

// job trains one family's initial model for some seeds side by side, and then runs each of its streams from it.
type job struct {
	*run
	family *family
	seeds  []int64
	state  jobState
	saved  time.Time // of the state
}

// jobState is all that a stopped job needs to go on; a checkpoint file holds it.
type jobState struct {
	Epoch   int              // initial epochs done
	Initial tabular.Snapshot // after them
	Seconds float64          // they took
	Streams []streamState    // of family.streams, as far as begun
}

type streamState struct {
	Next    int // first step not yet done
	Learner tabular.Snapshot
	Runs    []result.Run // of the job's seeds
}

// checkpointEvery bounds what a crash can lose.
const checkpointEvery = 15 * time.Second

// newJob takes up the checkpoint that Resume finds, or starts anew.
func (r *run) newJob(f *family, seeds []int64) (*job, error) {
	j := &job{run: r, family: f, seeds: seeds, saved: time.Now()}
	content, err := os.ReadFile(j.checkpointPath())
	if errors.Is(err, os.ErrNotExist) {
		return j, nil
	}
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(content)).Decode(&j.state)
	}
	return j, errors.Wrapf(err, "cannot read the checkpoint %s; delete it, or run without --resume", j.checkpointPath())
}

func (r *run) checkpointFolder() string {
	return filepath.Join(r.options.Out, "."+r.spec.Name+".checkpoints")
}

// checkpointPath names the checkpoint after everything that its state depends on.
func (j *job) checkpointPath() string {
	identity := fmt.Sprint(j.file.Manifest.SpecHash, j.file.Manifest.DataSHA256, j.file.Manifest.Backend, j.family.streams(), j.seeds)
	sum := sha256.Sum256([]byte(identity))
	return filepath.Join(j.checkpointFolder(), hex.EncodeToString(sum[:8])+".gob")
}

// Work is counted in passes over rows, and a prediction as one pass.
func (j *job) work() float64 {
	work := j.initialWork() * float64(j.spec.Protocol.InitialEpochs)
	for i := range j.family.streams() {
		work += float64(len(j.split.Chunks)) * j.stepWork(i)
	}
	return work
}

func (j *job) initialWork() float64 { return float64(len(j.seeds) * len(j.split.Initial.Scored)) }

// stepWork is the work of one step of stream i: a prediction and the update's epochs.
func (j *job) stepWork(i int) float64 {
	return float64((1 + j.epochs(i)) * len(j.seeds) * len(j.split.Chunks[0].Scored))
}

func (j *job) finished() float64 {
	done := j.initialWork() * float64(j.state.Epoch)
	for i, s := range j.state.Streams {
		done += float64(s.Next) * j.stepWork(i)
	}
	return done
}

// epochs of the update of stream i: none for the frozen model, which comes first.
func (j *job) epochs(i int) int {
	if i == 0 {
		return 0
	}
	return j.family.methods[i-1].UpdateEpochs
}

// do does what is left of the job. When ctx stops it, the state is saved first; an error leaves the last checkpoint.
func (j *job) do(ctx context.Context) error {
	model, err := tabular.NewModel(j.options.Backend, j.family.config, j.items, len(j.seeds), len(j.split.Chunks[0].Scored))
	if err != nil {
		return err
	}
	learner, err := model.NewLearner(j.seeds)
	if err != nil {
		return err
	}
	if err := j.initialPhase(ctx, model, learner); err != nil {
		return errors.WithMessagef(err, "%s, seeds %v", j.family.name, j.seeds)
	}
	for i, s := range j.family.streams() {
		if err := j.stream(ctx, i, s, model, learner); err != nil {
			return errors.WithMessagef(err, "%s, seeds %v", s.name, j.seeds)
		}
	}
	return nil
}

func (j *job) initialPhase(ctx context.Context, model *tabular.Model, learner *tabular.Learner) error {
	total := j.spec.Protocol.InitialEpochs
	if j.state.Epoch == total {
		return nil
	}
	err := learner.Initialise()
	if err == nil && j.state.Epoch > 0 {
		err = learner.Restore(j.state.Initial)
	}
	for err == nil && j.state.Epoch < total {
		start, compiled := time.Now(), model.CompileTime()
		if err = learner.TrainEpoch(j.split.Initial.Scored, j.state.Epoch); err != nil {
			break
		}
		j.state.Seconds += (time.Since(start) - (model.CompileTime() - compiled)).Seconds()
		j.state.Epoch++
		j.advance(j.initialWork(), fmt.Sprintf("%s: initial epoch %d of %d", j.family.name, j.state.Epoch, total))
		if j.state.Epoch == total {
			learner.EndInitialPhase()
		}
		if stop := ctx.Err() != nil; stop || j.state.Epoch == total || time.Since(j.saved) > checkpointEvery {
			if j.state.Initial, err = learner.Snapshot(); err == nil {
				err = j.checkpoint(stop)
			}
			if stop && err == nil {
				err = context.Cause(ctx)
			}
		}
	}
	return err
}

// stream runs stream number i of the family from where it stopped, over the seeds side by side.
func (j *job) stream(ctx context.Context, i int, s stream, model *tabular.Model, learner *tabular.Learner) error {
	if i == len(j.state.Streams) {
		j.state.Streams = append(j.state.Streams, streamState{Learner: j.state.Initial, Runs: j.newRuns()})
	}
	state := &j.state.Streams[i]
	if state.Next == len(j.split.Chunks) || allDiverged(state.Runs) {
		return j.finish(s, state, model)
	}
	if err := learner.Restore(state.Learner); err != nil {
		return err
	}
	for state.Next < len(j.split.Chunks) && !allDiverged(state.Runs) {
		if err := j.step(i, state, model, learner); err != nil {
			return err
		}
		j.advance(j.stepWork(i), fmt.Sprintf("%s: step %d of %d", s.label(), state.Next, len(j.split.Chunks)))
		if stop := ctx.Err() != nil; stop || time.Since(j.saved) > checkpointEvery {
			var err error
			if state.Learner, err = learner.Snapshot(); err != nil {
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
	return j.finish(s, state, model)
}

func (s stream) label() string {
	if s.frozen {
		return s.name + " frozen"
	}
	return s.name
}

// step predicts, scores and updates on one chunk, and writes the scores down.
func (j *job) step(i int, state *streamState, model *tabular.Model, learner *tabular.Learner) error {
	rows := j.split.Chunks[state.Next].Scored
	labels := make([]int32, len(rows))
	for k, row := range rows {
		labels[k] = j.table.Labels[row]
	}
	compiled := model.CompileTime()
	scores, timing, err := protocol.OnlineStep(learner, rows, labels, len(j.table.Classes), j.epochs(i), state.Next)
	if err != nil {
		return err
	}
	predict, update := timing.Predict.Seconds(), timing.Update.Seconds()
	if compile := (model.CompileTime() - compiled).Seconds(); compile > 0 { // at the first step only
		predict, update = 0, 0
	}
	for k, score := range scores {
		run := &state.Runs[k]
		if run.Status == result.Diverged {
			continue
		}
		if !score.Finite || math.IsInf(score.LogLikelihood, 0) { // JSON has no infinity
			run.Status, run.DivergedAt = result.Diverged, state.Next
			continue
		}
		run.Rows = append(run.Rows, len(rows))
		run.Accuracy = append(run.Accuracy, score.Accuracy)
		run.LogLikelihood = append(run.LogLikelihood, score.LogLikelihood)
		run.UpdateSteps += j.epochs(i) * batches(len(rows), min(model.BatchSize, len(j.split.Chunks[0].Scored)))
		run.Seconds.Predict += predict / float64(len(scores))
		run.Seconds.Update += update / float64(len(scores))
	}
	state.Next++
	return nil
}

func (j *job) newRuns() []result.Run {
	runs := make([]result.Run, len(j.seeds))
	for k, seed := range j.seeds {
		steps := j.spec.Protocol.InitialEpochs * batches(len(j.split.Initial.Scored), j.family.config.BatchSize)
		runs[k] = result.Run{Seed: seed, Status: result.Partial, InitialSteps: steps}
		runs[k].Seconds.Initial = j.state.Seconds / float64(len(j.seeds))
	}
	return runs
}

// finish marks a stream's runs as done and shows them in the result file.
func (j *job) finish(s stream, state *streamState, model *tabular.Model) error {
	for k := range state.Runs {
		if run := &state.Runs[k]; run.Status == result.Partial {
			run.Status = result.Complete
			run.Seconds.Compile = model.CompileTime().Seconds() / float64(len(j.seeds))
		}
	}
	state.Learner = tabular.Snapshot{} // nobody goes on from it
	return j.checkpoint(true)
}

// checkpoint saves the job's state; with publish also what it has of results.
func (j *job) checkpoint(publish bool) error {
	j.saved = time.Now()
	if publish {
		j.mutex.Lock()
		for i, s := range j.family.streams()[:len(j.state.Streams)] {
			for _, run := range j.state.Streams[i].Runs {
				j.method(s).Put(run)
			}
		}
		j.mutex.Unlock()
		if err := j.save(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(j.checkpointFolder(), 0o755); err != nil {
		return errors.Wrap(err, "cannot keep a checkpoint; choose another folder with --out")
	}
	var content bytes.Buffer
	if err := gob.NewEncoder(&content).Encode(j.state); err != nil {
		return errors.Wrap(err, "encoding the checkpoint")
	}
	return result.WriteWhole(j.checkpointPath(), content.Bytes())
}

func allDiverged(runs []result.Run) bool {
	for _, run := range runs {
		if run.Status != result.Diverged {
			return false
		}
	}
	return true
}

func batches(rows, size int) int { return (rows + size - 1) / size }
