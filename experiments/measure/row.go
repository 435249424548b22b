package measure

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

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

// Estimate is a mean with its standard deviation.
type Estimate struct {
	Mean  *float64 // nil without a value
	SD    *float64 // nil with fewer than two values
	Seeds int      // number of values

	freedom float64 // degrees of freedom of the mean's t; 0 stands for one less than the values
}

// Over returns the mean of values, their standard deviation and their number.
func Over(values []float64) Estimate {
	switch m, sd := stat.MeanStdDev(values, nil); len(values) {
	case 0:
		return Estimate{}
	case 1:
		return Estimate{Mean: &m, Seeds: 1}
	default:
		return Estimate{Mean: &m, SD: &sd, Seeds: len(values)}
	}
}

// Welch returns how far a mean lies above another one whose values do not pair with its own.
func Welch(a, b Estimate) Estimate {
	if a.SD == nil || b.SD == nil {
		return Estimate{}
	}
	n, m := float64(a.Seeds), float64(b.Seeds)
	own, other := *a.SD**a.SD/n, *b.SD**b.SD/m
	less := Estimate{Mean: new(*a.Mean - *b.Mean), SD: new(math.Sqrt((own + other) * (n + m))), Seeds: a.Seeds + b.Seeds}
	if own+other > 0 {
		less.freedom = (own + other) * (own + other) / (own*own/(n-1) + other*other/(m-1))
	}
	return less
}

// Text shows the estimate, such as "81.2 ± 0.3". It is a dash without a mean.
func (e Estimate) Text(digits int) string {
	text := Optional(e.Mean, digits)
	if e.Mean != nil && e.SD != nil {
		text += " ± " + Optional(e.SD, digits)
	}
	return text
}

// Half returns half of the 95 % interval of the mean, by t, and the probability of a mean as far from 0 by chance alone. Both are NaN with
// fewer than two values.
func (e Estimate) Half() (half, p float64) {
	if e.SD == nil {
		return math.NaN(), math.NaN()
	}
	if *e.Mean == 0 && *e.SD == 0 {
		return 0, 1
	}
	t, error := distuv.StudentsT{Sigma: 1, Nu: cmp.Or(e.freedom, float64(e.Seeds-1))}, *e.SD/math.Sqrt(float64(e.Seeds))
	return t.Quantile(0.975) * error, 2 * t.Survival(math.Abs(*e.Mean)/error)
}

// Interval shows a difference with half of its 95 % interval, such as "+0.16 ± 0.32".
func (e Estimate) Interval(digits int) string {
	if e.Mean == nil {
		return "–"
	}
	text := fmt.Sprintf("%+.*f", digits, *e.Mean)
	if half, _ := e.Half(); e.SD != nil && *e.SD > 0 {
		text += " ± " + Optional(&half, digits)
	}
	return text
}

// Verdict judges a difference to a rival's mean. It is "ahead" or "behind" if p, which may be adjusted for other tests, is below one in
// twenty, "level" if the whole 95 % interval lies within the metric's margin, and else "undecided".
func (e Estimate) Verdict(m *Metric, rival, p float64) string {
	half, _ := e.Half()
	switch better := e.Mean != nil && *e.Mean > 0 != m.Less; {
	case p < 0.05 && better:
		return "ahead"
	case p < 0.05:
		return "behind"
	case e.Mean != nil && math.Abs(*e.Mean)+half <= m.Margin(rival):
		return "level"
	}
	return "undecided"
}

// Holm adjusts the probabilities of a table's tests, in place: by chance alone, the least is below a limit as seldom as in one test.
func Holm(p []*float64) {
	slices.SortStableFunc(p, func(a, b *float64) int { return cmp.Compare(*a, *b) })
	least := 0.0
	for i, each := range p {
		least = max(least, min(1, float64(len(p)-i)**each))
		*each = least
	}
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
