package measure

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"gophe/experiments/result"
)

// Row is a method of a result, as a row of a table. Every table takes its numbers from rows. Method is nil if the result or the method
// is not there. Such a row has no numbers, and its cells are dashes.
type Row struct {
	File *result.File
	*result.Method
}

// frozenMark ends the label of a model that is never updated.
const frozenMark = " (frozen)"

// Find returns the row of a label. The label of a frozen model ends in " (frozen)". The result may be nil.
func Find(f *result.File, label string) Row {
	if f == nil {
		return Row{}
	}
	name, frozen := strings.CutSuffix(label, frozenMark)
	return Row{f, f.Method(name, frozen)}
}

// Rows returns the rows of all methods.
func Rows(f *result.File) (rows []Row) {
	for i := range f.Methods {
		rows = append(rows, Row{f, &f.Methods[i]})
	}
	return rows
}

// Initial returns the row's model as it was before the stream, never updated.
func (r Row) Initial() Row {
	if r.Method == nil {
		return r
	}
	own := Find(r.File, r.Name+frozenMark)
	if own.Method == nil && slices.Contains([]string{"SlowAda", "MediumAda", "FastAda"}, r.Name) { // which share their initial model
		return Find(r.File, "Ada"+frozenMark)
	}
	return own
}

// Leading returns the main metric of the row's protocol.
func (r Row) Leading() string { return Metrics(r.Method)[0] }

// Seeds returns a metric of each seed that has it.
func (r Row) Seeds(metric string) iter.Seq2[int64, float64] {
	return func(yield func(int64, float64) bool) {
		if r.Method == nil {
			return
		}
		for i := range r.Runs {
			if v, ok := Of(metric, r.File, r.Method, &r.Runs[i]); ok && !yield(r.Runs[i].Seed, v) {
				return
			}
		}
	}
}

// Values returns a metric of each seed that has it, without the seeds.
func (r Row) Values(metric string) (values []float64) {
	for _, v := range r.Seeds(metric) {
		values = append(values, v)
	}
	return values
}

// Over returns a metric's mean and deviation over the seeds that have it.
func (r Row) Over(metric string) Estimate { return Over(r.Values(metric)) }

// Mean returns a metric's mean over seeds. It is nil if no seed has the metric.
func (r Row) Mean(metric string) *float64 { return r.Over(metric).Mean }

// Cell shows a metric with the digits of the metric.
func (r Row) Cell(metric string) string { return r.Over(metric).Text(Named(metric).Digits) }

// Seconds returns the wall time of a seed, as a mean over the complete seeds.
func (r Row) Seconds() *float64 {
	var seconds []float64
	for _, run := range r.Runs {
		if run.Status == result.Complete {
			seconds = append(seconds, run.Seconds.Total())
		}
	}
	return Over(seconds).Mean
}

// Less returns how far a metric lies above the metric of another row, over the seeds that have both. A row less itself has no difference.
func (r Row) Less(other Row, metric string) Estimate {
	if r.Method != nil && other.Method != nil && r.Name == other.Name && r.Frozen == other.Frozen {
		return Estimate{}
	}
	return Over(r.Differences(other, metric))
}

// Differences returns how far a metric lies above the metric of another row, for each seed that scored the same rows in both.
func (r Row) Differences(other Row, metric string) (differences []float64) {
	others := maps.Collect(other.Seeds(metric))
	for seed, own := range r.Seeds(metric) {
		than, paired := others[seed]
		ofTests := metric == FinalAverage // at once or step by step: the tests are the same
		if paired && (ofTests || other.Run(seed).Scored == r.Run(seed).Scored) {
			differences = append(differences, own-than)
		}
	}
	return differences
}

// OverDays returns how far a metric lies above the metric of another row: the mean over days, of means over the seeds that both
// completed, and its standard error. It returns false if no two days can be paired.
func (r Row) OverDays(other Row, metric string) (mean, error float64, ok bool) {
	if r.Method == nil || other.Method == nil || r.Method == other.Method {
		return 0, 0, false
	}
	var sum []float64
	seeds := 0.0
	for i := range r.Runs {
		same := other.Run(r.Runs[i].Seed)
		if same == nil || r.Runs[i].Status != result.Complete || same.Status != result.Complete {
			continue
		}
		x, y := r.Runs[i].Series(metric), same.Series(metric)
		if len(x) == 0 || len(x) != len(y) {
			continue
		}
		if sum == nil {
			sum = make([]float64, len(x))
		}
		floats.Add(sum, x)
		floats.Sub(sum, y)
		seeds++
	}
	if len(sum) < 2 {
		return 0, 0, false
	}
	floats.Scale(Named(metric).Scale/seeds, sum)
	mean, sd := stat.MeanStdDev(sum, nil)
	return mean, sd / math.Sqrt(float64(len(sum))), true
}

// LessOverDays shows the result of OverDays in the metric's unit: the mean and, in brackets, its standard error.
func (r Row) LessOverDays(other Row, metric string) string {
	mean, error, ok := r.OverDays(other, metric)
	if !ok {
		return "–"
	}
	sign := ""
	if mean > 0 {
		sign = "+"
	}
	return fmt.Sprintf("%s%s (%s)", sign, Optional(&mean, Named(metric).Digits), Optional(&error, Named(metric).Digits))
}

// Estimate is a mean with its standard deviation.
type Estimate struct {
	Mean  *float64 // nil without a value
	SD    *float64 // nil with fewer than two values
	Seeds int      // number of values
}

// Over returns the mean of values, their standard deviation and their number.
func Over(values []float64) Estimate {
	switch m, sd := stat.MeanStdDev(values, nil); len(values) {
	case 0:
		return Estimate{}
	case 1:
		return Estimate{&m, nil, 1}
	default:
		return Estimate{&m, &sd, len(values)}
	}
}

// Text shows the estimate, such as "81.2 ± 0.3". It is a dash without a mean.
func (e Estimate) Text(digits int) string {
	text := Optional(e.Mean, digits)
	if e.Mean != nil && e.SD != nil {
		text += " ± " + Optional(e.SD, digits)
	}
	return text
}

// unreadable is the size from which a number with decimals is shown as a power of ten. Only what diverges is as large.
const unreadable = 1e5

// Optional formats a value, or a dash if value is nil.
func Optional(value *float64, digits int) string {
	if value == nil {
		return "–"
	}
	if digits > 0 && math.Abs(*value) >= unreadable {
		return fmt.Sprintf("%.1e", *value)
	}
	return fmt.Sprintf("%.*f", digits, *value)
}
