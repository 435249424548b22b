package task

import (
	"math"

	"github.com/pkg/errors"

	"gophe/experiments/measure"
	"gophe/experiments/packsize"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe/count"
)

// counter is a row learner of windows: each Learn takes all sales up to the end of a day.
type counter struct {
	*packsize.Counter
	task *Forecasting
}

// RowLearner makes a learner of counts made for this file.
func (t *Forecasting) RowLearner(_ spec.Config, m spec.Method, from Beginning) (RowLearner, error) {
	if m.Rule != spec.Counts {
		return nil, errors.Errorf("rule %q learns tables and ratings; leave it out", m.Rule)
	}
	config := m.Counts
	config.Seed = uint64(from.Seed)
	made, err := packsize.New(config, t.stream)
	return counter{made, t}, err
}

// Score scores the forecasts of a day's windows. They have no mean: that would need every node of the tree.
func (c counter) Score(windows []int32) (protocol.Score, error) {
	s := &forecastScore{finite: true}
	err := c.Forecast(windows, func(window int32, law count.Distribution) {
		s.add(law.Quantile(0.5), math.NaN(), law, c.task.quantity(window), c.task.stream.Windows.IsPadded(int(window)))
	})
	score := s.score()
	delete(score.Metrics, measure.ErrorOfMean)
	return score, err
}

// CountNumbers counts the 4-byte numbers of counts. Other methods keep the numbers of their tables.
func (t *Forecasting) CountNumbers(row *result.Method, m spec.Method, _ spec.Config, _ *protocol.Plan) {
	if m.Rule == spec.Counts {
		row.Parameters = m.Counts.Bytes() / 4
	}
}
