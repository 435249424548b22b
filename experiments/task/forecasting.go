package task

import (
	"math"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/data/labelled"
	"gophe/data/sales"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/learn"
	"gophe/phe/models/dkf"
)

// forecasting is the task of Sec. 4.3: the quantity of a window's last sale.
type forecasting struct {
	stream *sales.Stream
	events dkf.Data
}

// windowLength is the paper's: "the first nine observations to predict the 10th" (Supp. G.4).
const windowLength = 10

// newForecasting loads Online Retail's sales and cuts them by the protocol of a spec.
func newForecasting(spec spec.Spec, o files.Options) (Task, *protocol.Plan, error) {
	all, err := sales.Load(o)
	if err != nil {
		return nil, nil, err
	}
	stream, err := salesStream(spec.Protocol, all)
	if err != nil {
		return nil, nil, errors.WithMessagef(err, "spec %s, protocol", spec.Name)
	}
	p := &protocol.Plan{Stream: &labelled.Stream{Initial: stream.Initial, Steps: stream.Steps, Tests: stream.Tests}, TestEvery: 1}
	p.Scored = spec.Protocol.Name == protocol.Daily
	p, err = dayByDay(spec.Protocol, p, sales.Start, stream.Days)
	return &forecasting{stream, Events(stream)}, p, errors.WithMessagef(err, "spec %s, protocol", spec.Name)
}

// salesStream cuts the sales as the protocol says.
func salesStream(p protocol.Spec, retail *sales.Sales) (*sales.Stream, error) {
	if p.Name == protocol.Products {
		return retail.ByProduct(p.Groups, windowLength, p.Windows == protocol.Overlapping)
	}
	windows := retail.OverlappingWindows(windowLength)
	if p.Windows == protocol.Separate {
		windows = retail.SeparateWindows(windowLength)
	}
	firstDay, err := p.StartDay()
	if err != nil {
		return nil, err
	}
	return retail.Daily(windows, firstDay)
}

// Events are the sales as the filter reads them.
func Events(s *sales.Stream) dkf.Data {
	sales := s.Sales
	items, _, index := itemiseColumns(sales.Categorical, sales.NumRows())
	d := dkf.Data{Items: items, Index: index, Times: sales.Minutes, Windows: s.Windows.Rows}
	for row, price := range sales.Prices {
		d.Numbers = append(d.Numbers, float32(price))
		d.Counts = append(d.Counts, float32(sales.Quantities[row]))
	}
	return d
}

// About describes the sales.
func (t *forecasting) About() About {
	sales := t.stream.Sales
	return About{NumItems: len(t.events.Items), Tokens: windowLength * len(sales.Categorical), Incremental: sales.Incremental,
		OnDevice: true, SHA256: sales.SHA256, Verified: sales.Verified}
}

// Network returns the deep Kalman filter of a configuration, with the windows as it reads them.
func (t *forecasting) Network(c spec.Config) (learn.Network, *learn.Batch, error) {
	filter := c.FilterModel()
	filter.Columns, filter.Length = Names(t.stream.Sales.Categorical), t.stream.Windows.Length
	m, err := dkf.New(filter)
	if err != nil {
		return learn.Network{}, nil, err
	}
	all, err := m.Batch(t.events)
	return m.Network, all, err
}

// Judge scores the filter's forecasts of windows' last quantities.
func (t *forecasting) Judge(c spec.Config, windows []int32, predictions []float32) protocol.Score {
	m, width := dkf.Model{Config: c.FilterModel()}, len(predictions)/len(windows)
	return t.score(windows, c.Filter.Prediction == dkf.Reconstruction, func(i int) baseline.Forecast {
		d := m.Forecast(predictions[i*width : (i+1)*width])
		return baseline.Forecast{Median: d.Quantile(0.5), Mean: d.Mean(), Distribution: d}
	})
}

// score scores a forecast of the last quantity of each of some windows.
func (t *forecasting) score(windows []int32, pointIsMean bool, forecast func(i int) baseline.Forecast) protocol.Score {
	s := forecastScore{pointIsMean: pointIsMean}
	for i, window := range windows {
		s.add(forecast(i), t.quantity(window), t.stream.Windows.IsPadded(int(window)))
	}
	return s.score()
}

// quantity to forecast.
func (t *forecasting) quantity(window int32) int {
	return int(t.stream.Sales.Quantities[t.stream.Windows.Last(int(window))])
}

// forecastScore averages the scores of a step's windows.
type forecastScore struct {
	means
	// The paper's point forecast is the mean E[y] (Supp. G.4). The median has the smallest expected absolute error.
	pointIsMean bool
}

// maxError caps an error: one sale of 80,995 else weighs as much as a day.
const maxError = 100

// minLogLikelihood of one window: a certainty that was wrong costs a million nats, and not the whole score.
const minLogLikelihood = -1e6

// add scores a forecast of y. At least one window of a step must be whole: on no day of Retail are fewer than twenty.
func (s *forecastScore) add(f baseline.Forecast, y int, padded bool) {
	point, d := f.Median, f.Distribution
	if s.pointIsMean {
		point = f.Mean
	}
	e := math.Abs(point - float64(y))
	s.average(measure.AbsoluteError, e)
	if padded {
		return
	}
	s.average(measure.WholeError, e)
	s.average(measure.ErrorOfMean, math.Abs(f.Mean-float64(y)))
	s.average(measure.CappedError, min(e, maxError))
	if d == nil {
		return
	}
	s.average(measure.LogLikelihood, max(d.LogProbability(y), minLogLikelihood))
	if !s.pointIsMean { // the probability integral transform covers an interval (Czado, Gneiting and Held, 2009)
		s.transforms = append(s.transforms, [2]float64{d.CDF(y - 1), d.CDF(y)})
	}
}

// Baselines are the forecasts of package baseline. Along groups of products there is no earlier day to learn from: the rivals are the
// first three, which look at the window only.
func (t *forecasting) Baselines(s spec.Spec, p *protocol.Plan) ([]result.Method, error) {
	forecasters := baseline.Forecasters(t.stream)
	if !p.Scored {
		forecasters = forecasters[:3]
	}
	var rivals []named
	for _, f := range forecasters {
		rivals = append(rivals, named{f.Name, 0, salesRule{t, f}})
	}
	return runBaselines(s, p, rivals)
}

// salesRule is a baseline of sales as a rival.
type salesRule struct {
	*forecasting
	*baseline.Forecaster
}

// Score scores the rule's forecasts of windows.
func (r salesRule) Score(windows []int32) (protocol.Score, error) {
	return r.score(windows, false, func(i int) baseline.Forecast { return r.Forecast(windows[i]) }), nil
}

// Learn learns nothing: a forecast observes all earlier days before.
func (salesRule) Learn([]int32) error { return nil }

// RowLearner makes a learner of counts.
func (t *forecasting) RowLearner(_ spec.Config, m spec.Method, from Beginning) (RowLearner, error) {
	if m.Rule != spec.Counts {
		return nil, errors.Errorf("rule %q learns tables and ratings; leave it out", m.Rule)
	}
	return t.newCounts(m.Memory, from.Seed)
}

// CountNumbers counts the 4-byte numbers of counts. Other methods keep the numbers of their tables.
func (t *forecasting) CountNumbers(row *result.Method, m spec.Method, _ spec.Config, _ *protocol.Plan) {
	if m.Rule == spec.Counts {
		row.Parameters = m.Memory / 4
	}
}

// Export returns the events of all windows, with their items and counts.
func (t *forecasting) Export() Exported {
	e, sales := t.events, t.stream.Sales
	events, length := len(e.Counts), t.stream.Windows.Length
	columns := len(sales.Categorical)
	return Exported{e.Items, map[string]Array{
		"index":   {e.Index, []int{events, columns}},
		"values":  {e.Numbers, []int{events, 1}},
		"counts":  {e.Counts, []int{events}},
		"minutes": {e.Times, []int{events}},
		"windows": {e.Windows, []int{len(e.Windows) / length, length}},
	}, map[string]any{"columns": columns, "numbers": 1, "incremental": sales.Incremental, "length": length,
		"maxima": spec.Config{}.FilterModel().Maxima}}
}
