package measure

import (
	"fmt"
	"gophe/experiments/result"
	"math"

	"gonum.org/v1/gonum/stat"
)

// PairedDifference is the mean and deviation over seeds of how far a's metric lies above b's; nil where there is
// nothing to pair, and no deviation of one seed.
func PairedDifference(metric string, fa *result.File, a *result.Method, fb *result.File, b *result.Method) (mean, sd *float64) {
	if a.Name == b.Name && a.Frozen == b.Frozen {
		return nil, nil
	}
	var differences []float64
	for i := range a.Runs {
		other := b.Run(a.Runs[i].Seed)
		ofTests := metric == FinalAverage // at once or step by step: the tests are the same
		if other == nil || !ofTests && other.Scored != a.Runs[i].Scored {
			continue
		}
		va, okA := Of(metric, fa, a, &a.Runs[i])
		vb, okB := Of(metric, fb, b, other)
		if okA && okB {
			differences = append(differences, va-vb)
		}
	}
	mean, sd, _ = MeanAndDeviation(differences)
	return mean, sd
}

// OverDays is a's metric less b's, the mean over days and its standard error, of the means over the seeds that both
// completed; false where there is nothing to pair.
func OverDays(metric string, a, b *result.Method) (mean, error float64, ok bool) {
	var sum []float64
	seeds := 0
	for i := range a.Runs {
		other := b.Run(a.Runs[i].Seed)
		if other == nil || a.Runs[i].Status != result.Complete || other.Status != result.Complete {
			continue
		}
		x, y := a.Runs[i].Series(metric), other.Series(metric)
		if len(x) == 0 || len(x) != len(y) {
			continue
		}
		if sum == nil {
			sum = make([]float64, len(x))
		}
		for t := range x {
			sum[t] += x[t] - y[t]
		}
		seeds++
	}
	if a == b || seeds == 0 || len(sum) < 2 {
		return 0, 0, false
	}
	for t := range sum {
		sum[t] = Named(metric).Scale * sum[t] / float64(seeds)
	}
	mean, sd := stat.MeanStdDev(sum, nil)
	return mean, sd / math.Sqrt(float64(len(sum))), true
}

// PairedOverDays shows a's metric less b's, in the metric's own unit: the mean over days and, in brackets, its standard error.
func PairedOverDays(metric string, a, b *result.Method) string {
	mean, error, ok := OverDays(metric, a, b)
	if !ok {
		return "–"
	}
	sign := ""
	if mean > 0 {
		sign = "+"
	}
	return fmt.Sprintf("%s%s (%s)", sign, Optional(&mean, Named(metric).Digits), Optional(&error, Named(metric).Digits))
}
