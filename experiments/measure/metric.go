package measure

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
)

// Names of metrics, as cells and result files have them.
const (
	Accuracy      = "accuracy"
	LogLikelihood = "log_likelihood"
	FinalAverage  = "final_average"
	finalLogLik   = "final_log_likelihood"
	Adapting      = "adaptation"
	Forgetting    = "forgetting"
	Regret        = "regret"
	Recurring     = "recurrence_error"
	AbsoluteError = "absolute_error"
	WholeError    = "whole_absolute_error"
	CappedError   = "capped_absolute_error"
	ErrorOfMean   = "absolute_error_of_mean"
	FinalError    = "final_absolute_error"
	SampleError   = "sample_error"
	RatingError   = "rating_error"
	SquaredError  = "squared_error"
	RootError     = "root_mean_square_error"
	Parameters    = "parameters"

	CompressionRatio = "compression_ratio"
)

// Metric is one score of a run: how it is taken and how it is shown.
type Metric struct {
	Name    string
	Heading string  // of a table's column; empty where no table has the column
	Apart   float64 // a number that is nearer to the paper's does not differ from it
	Digits  int     // behind the point
	Paper   int     // digits that the paper prints
	Less    bool    // less is better

	Scale float64 // turns the value of a step's series into the unit of tables, which show shares in percent
	// of takes the metric of a complete run. It is nil where the metric is counted. NaN says that the run does not have it.
	of func(m *Metric, f *result.File, run *result.Run) float64
}

// A number differs from the paper's if it is half a point away, or a twentieth of a unit sold.
const (
	point = 0.5
	sold  = 0.05
)

// metrics is the table of all metrics. Sources: PROTOCOL d and the sections named.
var metrics = []Metric{
	// The steps of a stream are averaged unweighted, each scored before it is learned.
	{Accuracy, "accuracy %", point, 2, 1, false, 100, meanOfSteps},
	{LogLikelihood, "log-likelihood", point, 4, 1, false, 1, meanOfSteps},
	// Tests after the last step, averaged unweighted: Table 5.
	{FinalAverage, "accuracy % at the end", point, 2, 1, false, 100, ofTests(func(s result.Score) float64 { return s.Accuracy })},
	{finalLogLik, "log-likelihood at the end", point, 4, 1, false, 1, ofTests(func(s result.Score) float64 { return s.LogLikelihood })},
	// Fig. 10: accuracy of the steps from the first change on, and accuracy lost on the first test by the end.
	{Adapting, "adaptation %", point, 2, 1, false, 100, adapting},
	{Forgetting, "forgetting, points", point, 2, 1, true, 100, forgetting},
	// Regret is the number of errors beyond the reference's, which learned from all the past.
	{Regret, "regret, errors in 1000", point, 1, 1, true, 1, regret},
	// Supp. F: error of the first prediction of an item that comes back.
	{Recurring, "mean absolute error when an item comes back", point, 4, 1, true, 1, recurrenceError},
	// Errors of a forecast: of all windows, of whole windows, each capped at 100, and by the mean of the prediction.
	{AbsoluteError, "absolute error, all windows", sold, 3, 2, true, 1, meanOfSteps},
	{WholeError, "absolute error", sold, 3, 2, true, 1, meanOfSteps},
	{CappedError, "capped at 100", sold, 3, 2, true, 1, meanOfSteps},
	{ErrorOfMean, "of the mean", sold, 3, 2, true, 1, meanOfSteps},
	{FinalError, "absolute error at the end", sold, 3, 2, true, 1, ofTests(func(s result.Score) float64 { return s.AbsoluteError })},
	// Errors of ratings in percent of the scale: mean of |sample − rating| (authors, Table 1), of the prediction's mean, and over
	// all ratings at once.
	{SampleError, "error of samples, %", point, 2, 1, true, 100, meanOfSteps},
	{RatingError, "error of the mean, %", point, 2, 1, true, 100, meanOfSteps},
	{RootError, "RMSE, %", point, 2, 1, true, 100, rootMeanSquare},
	{SquaredError, "", point, 2, 1, true, 1, nil},
	// Numbers in the embedding module (Table 4), and PHE's by P-EE's (Tables 1 and 4).
	{Parameters, "parameters", point, 0, 0, true, 1, nil},
	{CompressionRatio, "", point, 3, 2, true, 1, nil},
}

// unknown shows a value that the table does not list.
var unknown = Metric{Apart: point, Digits: 2, Paper: 1, Scale: 1}

// Named returns the metric of a name. An unknown name is shown with two digits and never measured.
func Named(name string) *Metric {
	for i := range metrics {
		if metrics[i].Name == name {
			return &metrics[i]
		}
	}
	return &unknown
}

// Margin returns the distance within which two methods are level: a tenth of a point, one percent of an error, 0 of log-likelihoods.
func (m *Metric) Margin(rival float64) float64 {
	switch {
	case m.Name == LogLikelihood || m.Name == finalLogLik:
		return 0
	case m.Less && m.Name != Forgetting && m.Name != Regret:
		return math.Abs(rival) / 100
	}
	return 0.1
}

func meanOfSteps(m *Metric, _ *result.File, run *result.Run) float64 {
	return m.Scale * stat.Mean(run.Series(m.Name), nil)
}

// ofTests averages a score of the tests after the last step.
func ofTests(of func(result.Score) float64) func(*Metric, *result.File, *result.Run) float64 {
	return func(m *Metric, _ *result.File, run *result.Run) float64 {
		var values []float64
		for _, s := range run.Tests {
			if s.After == run.Tests[len(run.Tests)-1].After {
				values = append(values, of(s))
			}
		}
		return m.Scale * stat.Mean(values, nil)
	}
}

func adapting(m *Metric, f *result.File, run *result.Run) float64 {
	first := 0
	if len(f.Stream.Changes) > 0 {
		first = min(f.Stream.Changes[0].Step, len(run.Accuracy))
	}
	return m.Scale * stat.Mean(run.Accuracy[first:], nil)
}

func forgetting(m *Metric, _ *result.File, run *result.Run) float64 {
	at := func(after int) float64 {
		for _, s := range run.Tests {
			if s.Set == 0 && s.After == after {
				return s.Accuracy
			}
		}
		return math.NaN()
	}
	if len(run.Tests) == 0 {
		return math.NaN()
	}
	return m.Scale * (at(0) - at(run.Tests[len(run.Tests)-1].After))
}

// rootMeanSquare weighs all rows of all days alike, as recommenders are commonly scored. Other metrics weigh days alike.
func rootMeanSquare(m *Metric, _ *result.File, run *result.Run) float64 {
	squares := run.Series(SquaredError)
	if len(squares) != len(run.Rows) { // not measured
		return math.NaN()
	}
	return m.Scale * math.Sqrt(stat.Mean(squares, run.Weights()))
}

// recurrenceError averages the error at the changes to an item that was there before: all but the first two.
func recurrenceError(_ *Metric, f *result.File, run *result.Run) float64 {
	observed := f.Method("Observation", false)
	if observed == nil || len(f.Stream.Changes) < 3 || len(run.Prediction) == 0 {
		return math.NaN()
	}
	var errors []float64
	for _, c := range f.Stream.Changes[2:] {
		errors = append(errors, math.Abs(run.Prediction[c.Step]-observed.Runs[0].Prediction[c.Step]))
	}
	return stat.Mean(errors, nil)
}

// Reference is the method that regret is measured against: it learns from all rows seen so far, with all parameters and one row an item.
const Reference = "P-EE replay"

// ofProtocol lists the metrics of protocols, the main one first. The authors' figures of two protocols are others than the paper's.
var ofProtocol = map[string][]string{
	protocol.GroupWise:                    {FinalAverage, finalLogLik},
	protocol.TwoItems:                     {Recurring},
	protocol.Products:                     {FinalError},
	protocol.Daily:                        {WholeError, LogLikelihood, AbsoluteError, CappedError, ErrorOfMean},
	protocol.Daily + protocol.Authors:     {AbsoluteError, WholeError, CappedError},
	protocol.Recommend:                    {RatingError, SampleError, RootError, LogLikelihood},
	protocol.Recommend + protocol.Authors: {SampleError, RatingError, RootError, LogLikelihood},
	protocol.Order:                        {FinalAverage, finalLogLik, Accuracy},
	protocol.Adaptation:                   {Adapting, Forgetting},
	protocol.ByGroup:                      {Accuracy, Adapting, Forgetting, Regret},
	protocol.Growing:                      {Accuracy, Adapting, Forgetting, Regret},
	protocol.Swapped:                      {Accuracy, Adapting, Forgetting, Regret},
}

// Metrics lists the metrics of a method's protocol. The first one is the main metric.
func Metrics(m *result.Method) []string {
	for _, known := range []string{m.Protocol + m.Convention, m.Protocol} {
		if metrics := ofProtocol[known]; metrics != nil {
			return metrics
		}
	}
	return []string{Accuracy, LogLikelihood}
}

// Of returns a metric of one run, and false if the run does not have it. The summary holds it, or else the series do.
func Of(metric string, f *result.File, m *result.Method, run *result.Run) (float64, bool) {
	if run.Status != result.Complete {
		return 0, false
	}
	if metric == Parameters {
		return float64(m.Parameters), true
	}
	if value, ok := run.Summary[metric]; ok {
		return value, true
	}
	named := Named(metric)
	if named.of == nil {
		return 0, false
	}
	value := named.of(named, f, run)
	return value, !math.IsNaN(value)
}

// Summarise writes the metrics of each complete run into its summary. A metric in the summary stays: it was computed from exact series, and
// a file rounds them. Regret is computed again, since its reference may have changed. Files keep its series exact.
func Summarise(f *result.File) {
	for i := range f.Methods {
		m := &f.Methods[i]
		metrics := slices.Concat(Metrics(m), []string{Accuracy, LogLikelihood, AbsoluteError, WholeError, CappedError, ErrorOfMean,
			SampleError, RatingError})
		for k := range m.Runs {
			run := &m.Runs[k]
			if run.Status != result.Complete {
				continue
			}
			delete(run.Summary, Regret)
			for _, metric := range metrics {
				if value, ok := Of(metric, f, m, run); ok {
					if run.Summary == nil {
						run.Summary = map[string]float64{}
					}
					run.Summary[metric] = value
				}
			}
		}
	}
}

// regret pairs the run with the reference's of the same seed: the same rows in the same steps.
func regret(_ *Metric, f *result.File, run *result.Run) float64 {
	best := Find(f, Reference)
	if best.Method == nil {
		return math.NaN()
	}
	same := best.Run(run.Seed)
	if same == nil || same.Status != result.Complete || !slices.Equal(same.Rows, run.Rows) {
		return math.NaN()
	}
	errors, rows := 0.0, 0
	for t, n := range run.Rows {
		errors += (same.Accuracy[t] - run.Accuracy[t]) * float64(n)
		rows += n
	}
	return 1000 * errors / float64(rows)
}
