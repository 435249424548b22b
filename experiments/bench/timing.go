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
	"gophe/experiments/spec/protocol"
	"gophe/phe/usage"
)

// Measurement is the time that one program took for one workload, and the scores that it reached. Seconds are wall time
// without compilation. Megabytes are 10⁶ bytes.
type Measurement struct {
	Framework string `json:"framework"` // gophe, jax, torch-eager or torch-compile
	Version   string `json:"version,omitempty"`
	Backend   string `json:"backend"` // xla:cpu, xla:cuda or go; of a rival cpu or gpu
	Device    string `json:"device,omitempty"`

	Task   string `json:"task"`
	Scheme string `json:"scheme"`
	Seeds  int    `json:"seeds"` // side by side
	Batch  int    `json:"batch"`
	Rows   int    `json:"rows"`   // of table E (B)
	Steps  int    `json:"steps"`  // of the initial phase
	Chunks int    `json:"chunks"` // of the stream: predicted, scored and learned

	Seconds        float64 `json:"seconds"`        // of the steps
	StreamSeconds  float64 `json:"stream_seconds"` // of the chunks
	CompileSeconds float64 `json:"compile_seconds"`
	CPUSeconds     float64 `json:"cpu_seconds"` // user and system, of the whole process
	// Processor time of the parts; null where a part is too short to tell it from compilation.
	CPUStepSeconds    *float64 `json:"cpu_step_seconds"`
	CPUStreamSeconds  *float64 `json:"cpu_stream_seconds"`
	CPUCompileSeconds *float64 `json:"cpu_compile_seconds"`

	Medians Medians `json:"-"`

	PeakDeviceMB *float64           `json:"peak_device_mb"` // null on a processor
	PeakHostMB   float64            `json:"peak_host_mb"`
	Scores       map[string]float64 `json:"scores"` // means over the seeds, and under NAME_sd their standard deviations
}

// Medians are of the calls that compiled nothing.
type Medians struct {
	Step float64 `json:"step_median"` // seconds of a step
	Row  float64 `json:"row_median"`  // seconds of a row of the stream
}

// Time trains the workload's model for the steps, then takes it along the chunks, and returns the time of both.
func (w *Workload) Time(ctx context.Context) (m Measurement, err error) {
	own := *w
	w = &own // the cut is this call's
	epochs, err := w.cut()
	if err != nil {
		return m, err
	}
	if w.Seeds < 1 || w.Seeds > 10_000 {
		return m, errors.Errorf("%d seeds; take 1 to 10,000", w.Seeds)
	}
	l, err := run.NewDevice(w.task, w.Backend, w.config, w.spec.WithSeeds(w.Seeds).Seeds, max(1, w.plan.LargestStep()), true)
	if err != nil {
		return m, err
	}
	defer l.Close()
	l = l.WithMethod(w.method)
	epochs *= max(1, w.Repeat)
	m = Measurement{
		Framework: "gophe", Backend: w.BackendName, Device: machine.Device(w.Backend), Task: w.Task, Scheme: string(w.config.Scheme),
		Seeds: w.Seeds, Batch: w.config.BatchSize, Rows: w.config.Encoder.TableRows(),
		Steps: epochs * run.Batches(len(w.plan.Initial), w.config.BatchSize), Chunks: w.Chunks,
	}
	before := usage.ProcessorTime()
	steps, chunks := meter{learner: l}, meter{learner: l}
	initial := l.All.Take(w.plan.Initial)
	if err := steps.time(ctx, epochs, func(int) (units int, err error) {
		return run.Batches(len(w.plan.Initial), w.config.BatchSize), l.Fit(initial, 1)
	}); err != nil {
		return m, err
	}
	l.Settle()
	var scores []protocol.Score // of each chunk, seed after seed
	if err := chunks.time(ctx, len(w.plan.Steps), func(step int) (rows int, err error) {
		own, err := l.Score(w.plan.Steps[step], step)
		if scores = append(scores, own...); err == nil {
			err = l.Learn(w.plan, step)
		}
		return len(w.plan.Steps[step]), err
	}); err != nil {
		return m, err
	}
	m.Scores = w.scores(scores, w.Seeds)
	m.Seconds, m.CPUStepSeconds, m.Medians.Step = steps.seconds, steps.cpu(), steps.median()
	m.StreamSeconds, m.CPUStreamSeconds, m.Medians.Row = chunks.seconds, chunks.cpu(), chunks.median()
	m.CompileSeconds = l.CompileTime().Seconds()
	m.CPUSeconds, m.PeakHostMB = usage.ProcessorTime().Seconds(), usage.Peak()/1e6
	if m.CPUStepSeconds != nil && m.CPUStreamSeconds != nil {
		compiling := m.CPUSeconds - before.Seconds() - *m.CPUStepSeconds - *m.CPUStreamSeconds
		m.CPUCompileSeconds = &compiling
	}
	return m, nil
}

// meter adds up the time of calls, of which the first few compile programs.
type meter struct {
	learner    run.Device
	seconds    float64 // wall time of all calls, without compilation
	cpuSeconds float64 // of those that compiled nothing
	calls      int     // number of all calls

	each []float64 // seconds of a unit, by the calls that compiled nothing
}

// time times calls of a function, each of which does a number of units of work.
func (m *meter) time(ctx context.Context, calls int, call func(i int) (units int, err error)) error {
	for i := range calls {
		if err := ctx.Err(); err != nil {
			return err
		}
		start, compiled, cpu := time.Now(), m.learner.CompileTime(), usage.ProcessorTime()
		units, err := call(i)
		if err != nil {
			return err
		}
		compiling := m.learner.CompileTime() - compiled
		seconds := (time.Since(start) - compiling).Seconds()
		m.seconds += seconds
		m.calls++
		if compiling == 0 {
			m.cpuSeconds += (usage.ProcessorTime() - cpu).Seconds()
			m.each = append(m.each, seconds/float64(units))
		}
	}
	return nil
}

// cpu estimates the processor time of all calls from the calls that compiled nothing. It is nil where every call compiled.
func (m *meter) cpu() *float64 {
	estimate := 0.0
	if m.calls > 0 {
		if len(m.each) == 0 {
			return nil
		}
		estimate = m.cpuSeconds * float64(m.calls) / float64(len(m.each))
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
