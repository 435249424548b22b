package measure_test

import (
	"math"
	"slices"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
)

// handMade returns a result of three methods. TestMeasure has its metrics, worked out by hand.
func handMade() *result.File {
	run := func(seed int64, rows []int, accuracy ...float64) result.Run {
		r := result.Run{Seed: seed, Status: result.Complete, Rows: rows, Accuracy: accuracy}
		for _, a := range accuracy {
			r.LogLikelihood = append(r.LogLikelihood, -1-a)
		}
		return r
	}
	rows := []int{10, 20, 10}
	phe := run(0, rows, 0.5, 0.7, 0.9)
	phe.Tests = []result.Score{{After: result.Untrained, Set: 0, Accuracy: 0.1},
		{After: 0, Set: 0, Accuracy: 0.75, LogLikelihood: -1}, {After: 0, Set: 1, Accuracy: 0.25, LogLikelihood: -9},
		{After: 3, Set: 0, Accuracy: 0.5, LogLikelihood: -0.25}, {After: 3, Set: 1, Accuracy: 1, LogLikelihood: -0.75}}
	reference := []result.Run{run(0, rows, 0.6, 0.8, 0.8), run(1, rows, 1, 1, 1), run(2, rows, 1, 1, 1), run(3, []int{10, 20, 9}, 1, 1, 1)}
	diverged, partial := run(1, nil), run(2, rows[:1], 0.1)
	diverged.Status, partial.Status = result.Diverged, result.Partial
	return &result.File{Stream: result.Stream{Steps: 3, Changes: []result.Change{{Step: 1, What: "item b"}, {Step: 2, What: "item c"}}},
		Methods: []result.Method{
			{Name: "PHE", Parameters: 346, Protocol: protocol.ByGroup,
				Runs: []result.Run{phe, diverged, partial, run(3, rows, 0.8, 0.8, 0.8)}},
			{Name: "PHE", Frozen: true, Parameters: 346, Protocol: protocol.ByGroup, Runs: []result.Run{run(0, rows, 0.5, 0.5, 0.5)}},
			{Name: measure.Reference, Protocol: protocol.ByGroup, Runs: reference},
		}}
}

// none is the metric of a run that does not have it.
var none = math.NaN()

// wantMetric fails a test unless a run of a method has a value of a metric, or none.
func wantMetric(t *testing.T, what, metric string, f *result.File, method, run int, want float64) {
	t.Helper()
	m := &f.Methods[method]
	got, ok := measure.Of(metric, f, m, &m.Runs[run])
	if ok == math.IsNaN(want) || ok && !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%s: %s of %s is %v, %v; want %v", what, metric, m.Label(), got, ok, want)
	}
}

func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		metric      string
		method, run int
		want        float64
	}{
		{measure.Accuracy, 0, 0, 70}, // unweighted, whatever the steps' rows
		{measure.Accuracy, 0, 1, none},
		{measure.Accuracy, 0, 2, none},
		{measure.LogLikelihood, 0, 0, -1.7},
		{measure.Adapting, 0, 0, 80}, // from the first change, step 1, on
		{measure.FinalAverage, 0, 0, 75},
		{"final_log_likelihood", 0, 0, -0.5},
		{measure.Forgetting, 0, 0, 25}, // of the first test only, from after the initial phase to the end
		{measure.FinalAverage, 1, 0, none},
		{measure.Forgetting, 1, 0, none},
		{measure.Regret, 0, 0, 1000 * (0.1*10 + 0.1*20 - 0.1*10) / 40}, // errors, so weighted by rows
		{measure.Regret, 1, 0, 1000 * (0.1*10 + 0.3*20 + 0.3*10) / 40},
		{measure.Regret, 2, 0, 0},
		{measure.Regret, 0, 1, none}, // diverged
		{measure.Regret, 0, 3, none}, // the reference met other rows
		{measure.Recurring, 0, 0, none},
		{measure.Parameters, 0, 0, 346},
		{"no such metric", 0, 0, none},
	} {
		wantMetric(t, "as made", c.metric, handMade(), c.method, c.run, c.want)
	}
}

// Without changes all steps count as adaptation; where a run ends before the first change, none does. Regret needs a reference of the very
// seed, complete.
func TestMeasureOfChangedStream(t *testing.T) {
	for _, c := range []struct {
		name, metric string
		change       func(f *result.File)
		want         float64
	}{
		{"no change", measure.Adapting, func(f *result.File) { f.Stream.Changes = nil }, 70},
		{"a change after the end", measure.Adapting, func(f *result.File) { f.Stream.Changes = []result.Change{{Step: 9}} }, none},
		{"no reference", measure.Regret, func(f *result.File) { f.Methods[2].Name = "EE replay" }, none},
		{"a frozen one", measure.Regret, func(f *result.File) { f.Methods[2].Frozen = true }, none},
		{"of another seed", measure.Regret, func(f *result.File) { f.Methods[2].Runs = f.Methods[2].Runs[1:] }, none},
		{"that diverged", measure.Regret, func(f *result.File) { f.Methods[2].Runs[0].Status = result.Diverged }, none},
		{"that is half done", measure.Regret, func(f *result.File) { f.Methods[2].Runs[0].Status = result.Partial }, none},
		{"with steps left over", measure.Regret, func(f *result.File) { f.Methods[2].Runs[0].Rows = []int{10, 20, 10, 5} }, none},
	} {
		f := handMade()
		c.change(f)
		wantMetric(t, c.name, c.metric, f, 0, 0, c.want)
	}
}

// Items 0 and 1 are new at steps 0 and 2; item 0 is back at step 4 and item 1 at step 6.
func TestRecurrenceError(t *testing.T) {
	f := &result.File{Stream: result.Stream{Changes: []result.Change{{Step: 0}, {Step: 2}, {Step: 4}, {Step: 6}}}, Methods: []result.Method{
		{Name: "Observation", Runs: []result.Run{{Status: result.Complete, Prediction: []float64{1, 1, -1, -1, 1, 1, -1, -1}}}},
		{Name: "Ada", Runs: []result.Run{{Status: result.Complete, Prediction: []float64{0, 1, 0, -1, 0.25, 1, -0.5, -1}}}},
	}}
	wantMetric(t, "itself", measure.Recurring, f, 0, 0, 0)
	wantMetric(t, "of two items", measure.Recurring, f, 1, 0, (0.75+0.5)/2)
	f.Stream.Changes = f.Stream.Changes[:2]
	wantMetric(t, "nothing came back", measure.Recurring, f, 1, 0, none)
}

// A metric is summarised over the seeds that have it.
func TestSummarise(t *testing.T) {
	f := handMade()
	for _, c := range []struct {
		metric string
		method int
		want   string
		seeds  int
	}{
		{measure.Accuracy, 0, "75.000000000 ± 7.071067812", 2}, // 70 and 80: √50, by n − 1
		{measure.FinalAverage, 0, "75.000000000", 1},
		{measure.Accuracy, 1, "50.000000000", 1},
		{measure.FinalAverage, 1, "–", 0},
		{measure.Regret, 0, "50.000000000", 1},
	} {
		if e := measure.Rows(f)[c.method].Over(c.metric); e.Text(9) != c.want || e.Seeds != c.seeds {
			t.Errorf("%s of method %d: %s of %d, want %s of %d", c.metric, c.method, e.Text(9), e.Seeds, c.want, c.seeds)
		}
	}
}

// Each protocol lists its main metric first, and each metric has a heading.
func TestMetricsOf(t *testing.T) {
	for name, leading := range map[string]string{
		protocol.Online: measure.Accuracy, protocol.InOrder: measure.Accuracy, protocol.Validation: measure.Accuracy,
		protocol.ByGroup: measure.Accuracy, protocol.Growing: measure.Accuracy, protocol.Swapped: measure.Accuracy,
		protocol.GroupWise: measure.FinalAverage, protocol.Order: measure.FinalAverage,
		protocol.Adaptation: measure.Adapting, protocol.TwoItems: measure.Recurring,
		protocol.Daily: measure.WholeError, protocol.Products: measure.FinalError, protocol.Recommend: measure.RatingError,
	} {
		metrics := measure.Metrics(&result.Method{Protocol: name, Convention: protocol.Paper})
		if metrics[0] != leading {
			t.Errorf("%s leads with %s", name, metrics[0])
		}
		for _, metric := range metrics {
			if measure.Named(metric).Heading == "" {
				t.Errorf("%s has no heading", metric)
			}
		}
	}
	if len(protocol.Names()) != 12 {
		t.Errorf("%d protocols; the test knows 12", len(protocol.Names()))
	}
	// The authors' figure is over all windows, and what scores a reconstruction is no forecast's likelihood.
	got := measure.Metrics(&result.Method{Protocol: protocol.Daily, Convention: protocol.Authors})
	if got[0] != measure.AbsoluteError || slices.Contains(got, measure.LogLikelihood) {
		t.Errorf("metrics of the authors' %s: %q", protocol.Daily, got)
	}
	// Their figure of ratings counts the posterior's spread (PROTOCOL, disagreement 10).
	if got := measure.Metrics(&result.Method{Protocol: protocol.Recommend, Convention: protocol.Authors}); got[0] != measure.SampleError {
		t.Errorf("metrics of the authors' %s: %q", protocol.Recommend, got)
	}
}

// Methods that learn one stream in other steps, such as all at once, are paired by how they end.
func TestPairedDifferenceAtOnce(t *testing.T) {
	run := func(steps int, final float64) []result.Run {
		none := make([]float64, steps)
		return []result.Run{{Status: result.Complete, Scored: steps, Accuracy: none, LogLikelihood: none,
			Tests: []result.Score{{After: 0, Accuracy: 0.1}, {After: steps, Accuracy: final}}}}
	}
	f := &result.File{Methods: []result.Method{{Name: "PHE as it comes", Protocol: protocol.Order, Runs: run(3, 0.5)},
		{Name: "PHE at once", Protocol: protocol.Order, Runs: run(1, 0.75)}}}
	mean := measure.Rows(f)[1].Less(measure.Rows(f)[0], measure.FinalAverage).Mean
	if mean == nil || math.Abs(*mean-25) > 1e-9 {
		t.Errorf("the difference is %v, want 25 points", measure.Optional(mean, 2))
	}
	if mean := measure.Rows(f)[1].Less(measure.Rows(f)[0], measure.Accuracy).Mean; mean != nil {
		t.Errorf("accuracies of other steps differ by %v", *mean)
	}
}

// A forecast's errors are means over days, and differences pair the seeds.
func TestErrors(t *testing.T) {
	run := func(seed int64, errors ...float64) result.Run {
		return result.Run{Seed: seed, Status: result.Complete,
			Scores: map[string][]float64{measure.WholeError: errors}, LogLikelihood: []float64{-1, -2},
			Tests: []result.Score{{After: 0, AbsoluteError: 9}, {After: 2, AbsoluteError: 1}, {After: 2, Set: 1, AbsoluteError: 4}}}
	}
	half := run(3, 100)
	half.Status = result.Partial
	f := &result.File{Methods: []result.Method{
		{Name: "PHE", Protocol: protocol.Daily, Convention: protocol.Paper, Runs: []result.Run{run(0, 5, 7), run(1, 1, 1), run(3, 0, 0)}},
		{Name: "EE", Protocol: protocol.Daily, Convention: protocol.Paper,
			Runs: []result.Run{run(0, 6, 10), run(1, 2, 4), run(2, 50, 50), half}},
	}}
	for metric, want := range map[string]float64{measure.WholeError: 6, measure.LogLikelihood: -1.5, measure.FinalError: 2.5,
		measure.CappedError: none} {
		wantMetric(t, "two days", metric, f, 0, 0, want)
	}
	rows := measure.Rows(f)
	// Seeds 0 and 1 have both: 2 more by seed 0, and 2 more by seed 1.
	if got := rows[1].Less(rows[0], measure.WholeError).Interval(3); got != "+2.000" {
		t.Errorf("paired: %s", got)
	}
	for name, got := range map[string]string{
		"itself": rows[0].Less(rows[0], measure.WholeError).Interval(3),
		"no day": rows[1].Less(rows[0], measure.CappedError).Interval(3),
	} {
		if got != "–" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Three differences leave two degrees of freedom, where t has a closed form: p = 1 − t/√(2 + t²), and its quantile is .95·√(2/(1 − .95²)).
func TestInterval(t *testing.T) {
	e := measure.Over([]float64{1, 2, 3})
	half, p := e.Half()
	if want := 0.95 * math.Sqrt(2/(1-0.95*0.95)) / math.Sqrt(3); math.Abs(half-want) > 1e-9 {
		t.Errorf("half of the interval %v, want %v", half, want)
	}
	if want := 1 - math.Sqrt(12)/math.Sqrt(14); math.Abs(p-want) > 1e-9 {
		t.Errorf("p %v, want %v", p, want)
	}
	accuracy, error := measure.Named(measure.Accuracy), measure.Named(measure.WholeError)
	small, spread := measure.Over([]float64{0.01, 0.02, 0.03}), measure.Over([]float64{-0.1, 0.01, 0.1})
	for _, c := range []struct {
		e        measure.Estimate
		m        *measure.Metric
		rival, p float64
		want     string
	}{
		{e, accuracy, 80, 0.04, "ahead"}, {e, accuracy, 80, 0.06, "undecided"}, {e, error, 80, 0.04, "behind"},
		{small, accuracy, 80, 0.07, "level"}, {spread, accuracy, 80, 0.9, "undecided"}, // within .1, and not within
		{small, error, 4.6, 0.07, "level"}, {small, error, 4.3, 0.07, "undecided"}, // its end is .0448, of 1 %
		{measure.Over([]float64{5}), accuracy, 80, math.NaN(), "undecided"},
		{small, measure.Named(measure.LogLikelihood), 1, 0.07, "undecided"},
	} {
		if got := c.e.Verdict(c.m, c.rival, c.p); got != c.want {
			t.Errorf("%s %s against %v, p %v: %s, want %s", c.e.Interval(3), c.m.Name, c.rival, c.p, got, c.want)
		}
	}
	if half, p := measure.Over([]float64{0, 0}).Half(); half != 0 || p != 1 {
		t.Errorf("no difference at all: half %v, p %v", half, p)
	}
	a, b, c := 0.01, 0.04, 0.03
	if measure.Holm([]*float64{&a, &b, &c}); math.Abs(a-0.03)+math.Abs(b-0.06)+math.Abs(c-0.06) > 1e-12 {
		t.Errorf("Holm makes %v, %v, %v; want .03, .06, .06", a, b, c)
	}
}

// Every rating weighs the same, not every day: three errors of 1 and five of 3, of days of three and five ratings.
func TestRootMeanSquare(t *testing.T) {
	run := result.Run{Status: result.Complete, Rows: []int{3, 5}, Scores: map[string][]float64{measure.SquaredError: {1, 9}}}
	shorter := run
	shorter.Rows = run.Rows[:1]
	f := &result.File{Methods: []result.Method{{Name: "PHE", Runs: []result.Run{run, shorter}}}}
	wantMetric(t, "two days", measure.RootError, f, 0, 0, 100*math.Sqrt((3*1+5*9)/8.))
	wantMetric(t, "a series of another length", measure.RootError, f, 0, 1, none)
}

// A summary was computed from exact series. It stays when a file has rounded a series. Regret is computed again, since its
// reference may have changed; files keep its series exact.
func TestSummariesStay(t *testing.T) {
	f := handMade()
	measure.Summarise(f)
	run := &f.Methods[0].Runs[0]
	accuracy, likelihood, before := run.Summary[measure.Accuracy], run.Summary[measure.LogLikelihood], run.Summary[measure.Regret]
	run.LogLikelihood = append([]float64(nil), run.LogLikelihood...)
	run.LogLikelihood[0]--
	best := f.Method(measure.Reference, false).Run(run.Seed)
	best.Accuracy = append([]float64(nil), best.Accuracy...)
	best.Accuracy[0] -= 0.1
	measure.Summarise(f)
	if run.Summary[measure.Accuracy] != accuracy || run.Summary[measure.LogLikelihood] != likelihood {
		t.Errorf("summary %v", run.Summary)
	}
	if run.Summary[measure.Regret] >= before {
		t.Errorf("regret %g against a worse reference, %g before", run.Summary[measure.Regret], before)
	}
}
