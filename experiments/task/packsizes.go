package task

import (
	"context"
	"gophe/experiments/measure"
	"gophe/experiments/packsize"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe/count"
	"math"
)

// Counter takes a counter along the days. Its forecasts have no mean: that would need every node of the tree.
func (t *Forecasting) Counter(ctx context.Context, r spec.Counter, seed int64, p *protocol.Plan) (result.Run, packsize.Took, error) {
	run := result.Run{Seed: seed, Status: result.Complete, Rows: []int{}, UpdateSteps: len(p.Steps)}
	scores := make([]*forecastScore, len(p.Steps))
	for step := range scores {
		scores[step] = &forecastScore{finite: true}
	}
	config := r.Config
	config.Seed = uint64(seed)
	took, err := packsize.Run(config, t.stream, func(step, window int, f count.Distribution) error {
		scores[step].add(f.Median(), math.NaN(), f, t.quantity(int32(window)), t.stream.Windows.IsPadded(window))
		return ctx.Err()
	})
	if err != nil {
		return run, took, err
	}
	for step, s := range scores {
		score := s.score()
		delete(score.Metrics, measure.ErrorOfMean)
		WriteDown(&run, len(p.Steps[step]), score, false)
	}
	run.Seconds = result.Seconds{Predict: took.Forecasting.Seconds(), Update: took.Learning.Seconds()}
	return run, took, nil
}
