package bench

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/pkg/errors"

	"gophe/experiments/measure"
	"gophe/experiments/result/machine"
	"gophe/experiments/run"
	"gophe/experiments/run/usage"
	"gophe/experiments/spec/protocol"
)

// Time trains the workload's model for the steps, then takes it along the chunks, and returns the time of both.
func (w *Workload) Time(ctx context.Context) (m Measurement, err error) {
	own := *w
	w = &own // the cut is this call's
	epochs, err := w.cut()
	if err != nil {
		return m, err
	}
	if w.Seeds < 1 {
		return m, errors.Errorf("%d seeds; take at least 1", w.Seeds)
	}
	l, err := w.learner()
	if err != nil {
		return m, err
	}
	defer l.Close()
	epochs *= max(1, w.Repeat)
	m = Measurement{
		Framework: "gophe", Backend: w.BackendName, Device: machine.Device(w.Backend), Task: w.Task, Scheme: string(w.config.Scheme), Seeds: w.Seeds,
		Batch: w.config.BatchSize, Rows: w.config.Encoder.TableRows(), Steps: epochs * run.Batches(len(w.plan.Initial), w.config.BatchSize), Chunks: w.Chunks,
	}
	before, _ := processCost()
	steps, chunks := meter{learner: l}, meter{learner: l}
	if err := w.train(ctx, &steps, l, epochs); err != nil {
		return m, err
	}
	scores, err := w.stream(ctx, &chunks, l)
	if err != nil {
		return m, err
	}
	m.Scores = w.scores(scores, w.Seeds)
	m.Seconds, m.CPUStepSeconds, m.StepMedian = steps.seconds, steps.cpu(), steps.median()
	m.StreamSeconds, m.CPUStreamSeconds, m.RowMedian = chunks.seconds, chunks.cpu(), chunks.median()
	m.CompileSeconds = l.CompileTime().Seconds()
	m.CPUSeconds, m.PeakHostMB = processCost()
	if m.CPUStepSeconds != nil && m.CPUStreamSeconds != nil {
		compiling := m.CPUSeconds - before - *m.CPUStepSeconds - *m.CPUStreamSeconds
		m.CPUCompileSeconds = &compiling
	}
	return m, nil
}

// meter adds up the time of calls, of which the first few compile programs.
type meter struct {
	learner      run.Device
	seconds      float64 // wall time of all calls, without compilation
	cpuSeconds   float64 // of those that compiled nothing
	calls, clean int     // number of all calls, and of those that compiled nothing

	each []float64 // seconds of a unit, by the calls that compiled nothing
}

// time times one call, which does a number of units of work.
func (m *meter) time(units int, call func() error) error {
	start, compiled := time.Now(), m.learner.CompileTime()
	cpu, _ := processCost()
	err := call()
	compiling := m.learner.CompileTime() - compiled
	seconds := (time.Since(start) - compiling).Seconds()
	m.seconds += seconds
	m.calls++
	if compiling == 0 {
		after, _ := processCost()
		m.cpuSeconds += after - cpu
		m.clean++
		m.each = append(m.each, seconds/float64(units))
	}
	return err
}

// cpu estimates the processor time of all calls without compilation, from the calls that compiled nothing. It is nil where
// every call compiled.
func (m *meter) cpu() *float64 {
	estimate := 0.0
	if m.calls > 0 {
		if m.clean == 0 {
			return nil
		}
		estimate = m.cpuSeconds * float64(m.calls) / float64(m.clean)
	}
	return &estimate
}

// median returns the median time of a unit of work; 0 where every call compiled.
func (m *meter) median() float64 {
	sorted := slices.Sorted(slices.Values(m.each))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// train takes the steps of the initial phase.
func (w *Workload) train(ctx context.Context, m *meter, l run.Device, epochs int) error {
	initial := l.All.Take(w.plan.Initial)
	steps := run.Batches(len(w.plan.Initial), w.config.BatchSize)
	for range epochs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := m.time(steps, func() error { return l.Fit(initial, 1) }); err != nil {
			return err
		}
	}
	l.Settle()
	return nil
}

// stream takes the learner along the chunks and returns each chunk's scores, seed after seed.
func (w *Workload) stream(ctx context.Context, m *meter, learner run.Device) (scores []protocol.Score, err error) {
	for step, rows := range w.plan.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := m.time(len(rows), func() error {
			own, err := learner.Score(rows, step)
			if err != nil {
				return err
			}
			scores = append(scores, own...)
			return learner.Learn(w.plan, step)
		})
		if err != nil {
			return nil, err
		}
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
		e := measure.Over(own)
		if math.IsNaN(*e.Mean) || math.IsInf(*e.Mean, 0) {
			continue
		}
		scores[name] = *e.Mean
		if e.SD != nil {
			scores[name+"_sd"] = *e.SD
		}
	}
	return scores
}

// processCost returns the processor time of this process so far, in seconds, and the most memory that it held, in 10⁶ bytes.
func processCost() (cpuSeconds, peakMB float64) {
	return usage.ProcessorTime().Seconds(), usage.Peak() / 1e6
}
