package measure

import (
	"math"
	"slices"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
)

// Reference is the method that regret is measured against: it learns from all rows seen so far, with all parameters and
// one row an item.
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

// Summarise writes the metrics of each complete run into its summary. A metric in the summary stays: it was computed
// from exact series, and a file rounds them. Regret is computed again, since its reference may have changed. Files keep
// its series exact.
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
