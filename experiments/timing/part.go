package timing

import (
	"context"
	"time"

	"gophe/experiments/bench"
	"gophe/experiments/learner"
	"gophe/experiments/usage"
)

// Repetitions of a measurement: at least leastLaps, and mostLaps where the limit leaves time.
const leastLaps, mostLaps = 3, 5

// stopwatch measures the figures of one learner.
type stopwatch struct {
	learner  learner.Device
	limit    float64 // seconds of one figure, with compilation
	leastLap float64 // seconds; a shorter repetition would measure the clock
	tell     func(doing string)
}

// figure returns the median time of a call that trains, in seconds. The first call is not measured: it compiles programs and touches new
// memory. A figure that turns out to need more than the limit is left out.
func (s stopwatch) figure(ctx context.Context, doing string, call func() error) (bench.Figure, error) {
	began := time.Now()
	s.tell("compiling " + doing)
	once, err := s.lap(ctx, 0, call)
	if err != nil {
		return bench.Figure{}, err
	}
	const calls = 1 + leastLaps
	line := bench.Line{CompileSeconds: time.Since(began).Seconds() - once}
	f := bench.Limits{Seconds: s.limit}.Figure(line, calls*once)
	var laps []float64
	for f.LeftOut == "" && len(laps) < mostLaps {
		s.tell(doing)
		each, err := s.lap(ctx, s.leastLap, call)
		if err != nil {
			return f, err
		}
		laps = append(laps, each)
		if len(laps) >= leastLaps && time.Since(began).Seconds()+max(each, s.leastLap) > s.limit {
			break
		}
	}
	if f.LeftOut == "" {
		f.Seconds = bench.Median(laps)
		f.Needs = calls * f.Seconds
	}
	return f, nil
}

// lap repeats a call for some seconds, and returns the mean time of one, without compilation.
func (s stopwatch) lap(ctx context.Context, least float64, call func() error) (seconds float64, err error) {
	m := meter{learner: s.learner}
	for m.calls == 0 || m.seconds < least {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := m.time(call); err != nil {
			return 0, err
		}
	}
	return m.seconds / float64(m.calls), nil
}

// callSteps returns the number of steps in one call of the initial phase, which is at most an epoch. 0 asks for an epoch.
func (w *Workload) callSteps(steps int) int {
	epoch := learner.Batches(len(w.plan.Initial), w.config.BatchSize)
	if steps == 0 {
		return epoch
	}
	return min(steps, epoch)
}

// chunkRows returns the number of rows in the first chunks of the stream.
func (w *Workload) chunkRows(chunks int) (rows int) {
	for _, chunk := range w.plan.Steps[:chunks] {
		rows += len(chunk)
	}
	return rows
}

// measure fills in the figures of a line that are not left out.
func (w *Workload) measure(ctx context.Context, b *Bench, line bench.Line, tell func(doing string)) (bench.Line, error) {
	usage.ResetPeak()
	l, err := w.learner(b.Backend, line.Replicas)
	if err != nil {
		return line, err
	}
	defer l.Close()
	watch := stopwatch{l, b.Limits.Seconds, b.LeastLap, tell}
	if line.Step.LeftOut == "" {
		initial := l.All.Take(w.plan.Initial[:min(w.callSteps(line.Steps)*w.config.BatchSize, len(w.plan.Initial))])
		if line.Step, err = watch.figure(ctx, "steps", func() error { return l.Fit(initial, 1) }); err != nil {
			return line, err
		}
		line.Step.Seconds /= float64(w.callSteps(line.Steps))
	}
	l.Settle()
	if line.Row.LeftOut == "" {
		pass := func() error {
			_, err := w.stream(ctx, &meter{learner: l}, l, line.Chunks)
			return err
		}
		if line.Row, err = watch.figure(ctx, "the stream", pass); err != nil {
			return line, err
		}
		line.Row.Seconds /= float64(w.chunkRows(line.Chunks))
	}
	line.CompileSeconds, line.PeakBytes = l.CompileTime().Seconds(), usage.Peak()
	return line, nil
}
