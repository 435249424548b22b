package experiments

import (
	"context"
	"math"
	"runtime"
	"syscall"
	"time"

	"github.com/gomlx/compute"
	"github.com/pkg/errors"

	"gophe/experiments/bench"
	"gophe/experiments/protocol"
	"gophe/phe/online"
)

// TimingOptions say how much of a workload is timed, and on what.
type TimingOptions struct {
	Backend     compute.Backend
	BackendName string
	Seeds       int // 0 … Seeds−1, side by side in one program
	Steps       int // of the initial phase, rounded up to whole epochs
	Chunks      int // of the stream
}

// Time trains the workload's model for the steps, then takes it along the chunks, and returns the time of both. A
// workload is timed once.
func (w *Workload) Time(ctx context.Context, o TimingOptions) (bench.Measurement, error) {
	epochs, err := w.cut(o.Steps, o.Chunks)
	if err != nil {
		return bench.Measurement{}, err
	}
	if o.Seeds < 1 {
		return bench.Measurement{}, errors.Errorf("%d seeds; take at least 1", o.Seeds)
	}
	model, err := w.model(o.Backend, o.Seeds)
	if err != nil {
		return bench.Measurement{}, err
	}
	defer model.Finalize()
	learner, err := model.NewLearner(w.spec.WithSeeds(o.Seeds).Seeds)
	if err != nil {
		return bench.Measurement{}, err
	}
	defer learner.Finalize()
	m := w.measurement(o)
	m.Steps = epochs * batches(len(w.plan.Initial), w.config.BatchSize)
	if err := learner.Initialise(); err != nil {
		return m, err
	}
	m.Seconds, err = withoutCompiling(model, func() error { return w.train(ctx, learner, epochs) })
	if err != nil {
		return m, err
	}
	var scores []protocol.Score
	m.StreamSeconds, err = withoutCompiling(model, func() (err error) {
		scores, err = w.stream(ctx, learner, o.Seeds)
		return err
	})
	m.Scores = w.scores(scores, o.Seeds)
	m.CompileSeconds = model.CompileTime().Seconds()
	m.CPUSeconds, m.PeakHostMB = processCost()
	return m, err
}

// measurement describes the work.
func (w *Workload) measurement(o TimingOptions) bench.Measurement {
	return bench.Measurement{
		Framework: "gophe", Backend: o.BackendName, Device: device(o.Backend), Task: w.name, Scheme: string(w.config.Scheme),
		Seeds: o.Seeds, Batch: w.config.BatchSize, Rows: w.config.Encoder.TableRows(), Chunks: o.Chunks,
	}
}

// withoutCompiling times f, less what the model's programs took to compile meanwhile.
func withoutCompiling(model *online.Model, f func() error) (seconds float64, err error) {
	start, compiled := time.Now(), model.CompileTime()
	err = f()
	return (time.Since(start) - (model.CompileTime() - compiled)).Seconds(), err
}

// train takes the steps of the initial phase.
func (w *Workload) train(ctx context.Context, learner *online.Learner, epochs int) error {
	for epoch := range epochs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := learner.TrainEpoch(w.plan.Initial, epoch); err != nil {
			return err
		}
	}
	learner.EndInitialPhase()
	return nil
}

// stream takes the learner along the chunks and returns each chunk's scores, seed after seed.
func (w *Workload) stream(ctx context.Context, learner *online.Learner, seeds int) (scores []protocol.Score, err error) {
	for step, rows := range w.plan.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		update := func() error { return learner.Update(rows, w.method.UpdateEpochs, step) }
		own, _, err := protocol.Step(learner, rows, seeds, step, w.task.judge(w.config, rows), update)
		if err != nil {
			return nil, err
		}
		scores = append(scores, own...)
	}
	return scores, nil
}

// scores averages each metric over a seed's chunks, and then takes mean and deviation over the seeds. A metric that is
// not finite is left out, since JSON cannot hold it.
func (w *Workload) scores(byChunk []protocol.Score, seeds int) map[string]float64 {
	scores := map[string]float64{}
	if len(byChunk) == 0 {
		return scores
	}
	for name := range byChunk[0].Metrics {
		own := make([]float64, seeds)
		for i, s := range byChunk {
			own[i%seeds] += s.Metrics[name] * float64(seeds) / float64(len(byChunk))
		}
		mean, sd, _ := meanAndDeviation(own)
		if math.IsNaN(*mean) || math.IsInf(*mean, 0) {
			continue
		}
		scores[name] = *mean
		if sd != nil {
			scores[name+"_sd"] = *sd
		}
	}
	return scores
}

// processCost returns the processor time of this process so far, and the most memory that it held, in 10⁶ bytes.
func processCost() (cpuSeconds, peakMB float64) {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0, 0
	}
	unit := 1024.0 // Linux counts KiB
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime), float64(usage.Maxrss) * unit / 1e6
}
