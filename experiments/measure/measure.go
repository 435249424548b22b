package measure

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"gophe/experiments/protocol"
	"gophe/experiments/result"
)

// Metrics of one run, by the names that cells carry. Shares are in percent.
const (
	Accuracy      = "accuracy"       // of the stream's steps, each before it was learned, averaged unweighted (PROTOCOL d)
	LogLikelihood = "log_likelihood" // likewise, in nats
	FinalAverage  = "final_average"  // accuracy on the tests after the last step, averaged unweighted: Table 5
	FinalLogLik   = "final_log_likelihood"
	Adapting      = "adaptation"             // accuracy of the steps from the first change on, or of all where there is none: Fig. 10
	Forgetting    = "forgetting"             // accuracy lost on the first test between the initial phase and the end: Fig. 10
	Regret        = "regret"                 // errors in 1000 rows beyond those of the reference that learned from all the past
	Recurring     = "recurrence_error"       // of the first prediction of an item that comes back: Supp. F
	AbsoluteError = "absolute_error"         // of the forecast, the mean (authors) or the median (forecast) of the prediction: all windows
	WholeError    = "whole_absolute_error"   // likewise, of windows that are not padded
	CappedError   = "capped_absolute_error"  // likewise, each capped at 100
	ErrorOfMean   = "absolute_error_of_mean" // of whole windows, by the mean of the prediction
	FinalError    = "final_absolute_error"   // on the tests after the last step, averaged unweighted: Table 5 Retail
	SampleError   = "sample_error"           // of ratings, in percent of the scale: the mean of |sample − rating| (authors, Table 1)
	RatingError   = "rating_error"           // likewise, of the prediction's mean
	SquaredError  = "squared_error"          // likewise squared, of each day
	RootError     = "root_mean_square_error" // over all ratings, in percent of the scale
	Parameters    = "parameters"             // numbers in the embedding module: Table 4

	CompressionRatio = "compression_ratio" // PHE's parameters by P-EE's: Tables 1 and 4
)

// Reference is the method that regret is measured against: it learns from all rows seen so far, with all parameters and
// one row an item.
const Reference = "P-EE replay"

// Metrics a method's protocol, the leading one first.
func Metrics(m *result.Method) []string {
	switch m.Protocol {
	case protocol.GroupWise:
		return []string{FinalAverage, FinalLogLik}
	case protocol.TwoItems:
		return []string{Recurring}
	case protocol.Products:
		return []string{FinalError}
	case protocol.Daily:
		if m.Convention == protocol.Authors {
			return []string{AbsoluteError, WholeError, CappedError}
		}
		return []string{WholeError, LogLikelihood, AbsoluteError, CappedError, ErrorOfMean}
	case protocol.Recommend:
		if m.Convention == protocol.Authors {
			return []string{SampleError, RatingError, RootError, LogLikelihood}
		}
		return []string{RatingError, SampleError, RootError, LogLikelihood}
	case protocol.Order:
		return []string{FinalAverage, FinalLogLik, Accuracy}
	case protocol.Adaptation:
		return []string{Adapting, Forgetting}
	case protocol.ByGroup, protocol.Growing, protocol.Swapped:
		return []string{Accuracy, Adapting, Forgetting, Regret}
	}
	return []string{Accuracy, LogLikelihood}
}

// Heading of a metric's column.
func Heading(metric string) string {
	return map[string]string{
		Accuracy: "accuracy %", LogLikelihood: "log-likelihood", FinalAverage: "accuracy % at the end", FinalLogLik: "log-likelihood at the end",
		Adapting: "adaptation %", Forgetting: "forgetting, points", Regret: "regret, errors in 1000", Parameters: "parameters",
		AbsoluteError: "absolute error, all windows", WholeError: "absolute error", CappedError: "capped at 100", ErrorOfMean: "of the mean",
		FinalError:  "absolute error at the end",
		SampleError: "error of samples, %", RatingError: "error of the mean, %", RootError: "RMSE, %",
		Recurring: "mean absolute error when an item comes back",
	}[metric]
}

// Digits behind the point that a metric is shown with.
func Digits(metric string) int {
	switch metric {
	case Parameters:
		return 0
	case LogLikelihood, FinalLogLik, Recurring:
		return 4
	case Regret:
		return 1
	}
	if IsError(metric) || metric == CompressionRatio {
		return 3
	}
	return 2
}

// PaperDigits are those that the paper prints.
func PaperDigits(metric string) int {
	if IsError(metric) || metric == CompressionRatio {
		return 2
	}
	return min(1, Digits(metric))
}

// IsError tells a metric in units sold, of which less is better.
func IsError(metric string) bool {
	return slices.Contains([]string{AbsoluteError, WholeError, CappedError, ErrorOfMean, FinalError}, metric)
}

// scale turns a share of a step's series into percent; other metrics are shown as they are.
func scale(metric string) float64 {
	switch metric {
	case Accuracy, SampleError, RatingError, RootError:
		return 100
	}
	return 1
}

// Of is a metric of one run; false where the run does not have it. The summary knows it, or else the series do.
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
	return ofSeries(metric, f, run)
}

// ofSeries computes a metric of a complete run from its series.
func ofSeries(metric string, f *result.File, run *result.Run) (value float64, ok bool) {
	value = math.NaN()
	switch metric {
	case Accuracy:
		value = scale(metric) * stat.Mean(run.Accuracy, nil)
	case LogLikelihood, AbsoluteError, WholeError, CappedError, ErrorOfMean:
		value = stat.Mean(run.Series(metric), nil)
	case SampleError, RatingError:
		value = scale(metric) * stat.Mean(run.Series(metric), nil)
	case RootError:
		value = scale(metric) * rootMeanSquare(run)
	case FinalError:
		value = finalMean(run, func(s result.Score) float64 { return s.AbsoluteError })
	case FinalAverage:
		value = 100 * finalMean(run, func(s result.Score) float64 { return s.Accuracy })
	case FinalLogLik:
		value = finalMean(run, func(s result.Score) float64 { return s.LogLikelihood })
	case Adapting:
		first := 0
		if len(f.Stream.Changes) > 0 {
			first = min(f.Stream.Changes[0].Step, len(run.Accuracy))
		}
		value = 100 * stat.Mean(run.Accuracy[first:], nil)
	case Forgetting:
		value = forgetting(run)
	case Regret:
		value = RegretAgainst(f, run)
	case Recurring:
		value = recurrenceError(f, run)
	}
	return value, !math.IsNaN(value)
}

// Summarise writes the metrics of each complete run into its summary. What is there stays: it was taken of the series as
// computed, and they may have been read from a file since. Regret is taken anew, since its reference may have changed;
// files keep it exact.
func Summarise(f *result.File) {
	for i := range f.Methods {
		m := &f.Methods[i]
		metrics := slices.Concat(Metrics(m), []string{Accuracy, LogLikelihood, AbsoluteError, WholeError, CappedError, ErrorOfMean, SampleError, RatingError})
		for k := range m.Runs {
			run := &m.Runs[k]
			if run.Status != result.Complete {
				continue
			}
			delete(run.Summary, Regret)
			for _, metric := range metrics {
				if _, ok := run.Summary[metric]; ok {
					continue
				}
				if value, ok := ofSeries(metric, f, run); ok {
					if run.Summary == nil {
						run.Summary = map[string]float64{}
					}
					run.Summary[metric] = value
				}
			}
		}
	}
}

// rootMeanSquare is over all rows of all days, as recommenders are usually scored; other metrics weigh days alike.
func rootMeanSquare(run *result.Run) float64 {
	weights := make([]float64, len(run.Rows))
	for i, n := range run.Rows {
		weights[i] = float64(n)
	}
	squares := run.Series(SquaredError)
	if len(squares) != len(weights) { // not measured
		return math.NaN()
	}
	return math.Sqrt(stat.Mean(squares, weights))
}

// finalMean averages a score of the tests after the last step.
func finalMean(run *result.Run, of func(result.Score) float64) float64 {
	var values []float64
	for _, s := range run.Tests {
		if s.After == run.Tests[len(run.Tests)-1].After {
			values = append(values, of(s))
		}
	}
	return stat.Mean(values, nil)
}

func forgetting(run *result.Run) float64 {
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
	return 100 * (at(0) - at(run.Tests[len(run.Tests)-1].After))
}

// RegretAgainst pairs the run with the reference's of the same seed: the same rows in the same steps.
func RegretAgainst(f *result.File, run *result.Run) float64 {
	reference := f.Method(Reference, false)
	if reference == nil {
		return math.NaN()
	}
	best := reference.Run(run.Seed)
	if best == nil || best.Status != result.Complete || !slices.Equal(best.Rows, run.Rows) {
		return math.NaN()
	}
	errors, rows := 0.0, 0
	for t, n := range run.Rows {
		errors += (best.Accuracy[t] - run.Accuracy[t]) * float64(n)
		rows += n
	}
	return 1000 * errors / float64(rows)
}

// recurrenceError is the mean over the changes to an item that was there before, which are all but the first two.
func recurrenceError(f *result.File, run *result.Run) float64 {
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

// OverSeeds is a metric's mean and deviation over the seeds that have it, and how many they are; nil where there are
// too few.
func OverSeeds(metric string, f *result.File, m *result.Method) (mean, sd *float64, seeds int) {
	var values []float64
	for i := range m.Runs {
		if v, ok := Of(metric, f, m, &m.Runs[i]); ok {
			values = append(values, v)
		}
	}
	return MeanAndDeviation(values)
}

func MeanAndDeviation(values []float64) (mean, sd *float64, n int) {
	if len(values) == 0 {
		return nil, nil, 0
	}
	m, s := stat.MeanStdDev(values, nil)
	if len(values) == 1 {
		return &m, nil, 1
	}
	return &m, &s, len(values)
}
