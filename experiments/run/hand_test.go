package run

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"

	"gophe/data/sales"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/resulttest"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/count"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/ncf"
)

// ledByHand is a method's learner of one seed after the initial phase. The test leads it on.
func ledByHand(t *testing.T, s spec.Spec, m spec.Method, seed int64) (Device, spec.Config) {
	t.Helper()
	made, p := loaded(t, s)
	c := s.Config(m, made.About().NumItems)
	d := filetest.Must(NewDevice(made, options(t, "").Backend, c, []int64{seed}, p.LargestStep(), true))(t)
	t.Cleanup(d.Close)
	filetest.Check(t, d.Fit(d.All.Take(p.Initial), s.Protocol.InitialEpochs))
	d.Settle()
	return d, c
}

// predictedAt returns the predictions of rows with the noise of a step's number.
func predictedAt(t *testing.T, d Device, rows []int32, step int) []float32 {
	t.Helper()
	return filetest.Must(d.PredictDraw(d.All.Take(rows), uint64(step)))(t).Values
}

// along leads a learner along a plan as the runner leads a method: it predicts a step, scores it, and then learns it.
func along(t *testing.T, d Device, m spec.Method, p *protocol.Plan, score func(step int, predicted []float32)) {
	t.Helper()
	past := slices.Clone(p.Initial)
	for step, rows := range p.Steps {
		score(step, predictedAt(t, d, rows, step))
		if past = append(past, rows...); m.Replay {
			filetest.Check(t, d.Replay(d.All.Take(past), m.UpdateEpochs))
		} else {
			filetest.Check(t, d.Update(d.All.Take(rows), m.UpdateEpochs))
		}
	}
}

// wantTableScore compares an accuracy and a log-likelihood of the runner with predictions by hand of some of Adult's rows.
func wantTableScore(t *testing.T, what string, rows []int32, predicted []float32, accuracy, logLikelihood float64) {
	t.Helper()
	table := resulttest.MustLoad(t, "adult")
	var labels []int32
	for _, row := range rows {
		labels = append(labels, table.Labels[row])
	}
	filetest.Want(t, accuracy, measure.ClassAccuracy(predicted, labels, 2), "%s: accuracy", what)
	filetest.Near(t, logLikelihood, measure.ClassLogLikelihood(predicted, labels, 2), 1e-7, "%s: log-likelihood", what)
}

// handScore adds up scores in the words of the metrics' names, and compares them with a run's.
type handScore struct {
	series  map[string][]float64 // means over each step
	sums, n map[string]float64   // of the step under way
	cells   []float64            // of calibration
	cold    map[string][]result.Tally
}

func newHandScore() *handScore {
	return &handScore{map[string][]float64{}, map[string]float64{}, map[string]float64{}, nil, map[string][]result.Tally{}}
}

func (h *handScore) add(metric string, v float64) {
	h.sums[metric] += v
	h.n[metric]++
}

// spread spreads a count evenly over the cells of an interval of probability.
func (h *handScore) spread(from, to float64) {
	if h.cells == nil {
		h.cells = make([]float64, 20)
	}
	for k := range h.cells {
		if overlap := min(to, float64(k+1)/20) - max(from, float64(k)/20); overlap > 0 {
			h.cells[k] += overlap / (to - from)
		}
	}
}

// sale scores a forecast of a window's last quantity by the words of Supp. G.4. The distribution may be nil.
func (h *handScore) sale(s *sales.Stream, w int32, point, mean float64, d count.Distribution, calibrated bool) {
	y := int(s.Sales.Quantities[s.Windows.Rows[w*10+9]])
	e := math.Abs(point - float64(y))
	h.add(measure.AbsoluteError, e)
	if s.Windows.Padding[w] > 0 {
		return
	}
	h.add(measure.WholeError, e)
	h.add(measure.CappedError, math.Min(e, 100))
	h.add(measure.ErrorOfMean, math.Abs(mean-float64(y)))
	if d != nil {
		h.add(measure.LogLikelihood, d.LogProbability(y))
	}
	if calibrated {
		h.spread(d.CDF(y-1), d.CDF(y))
	}
}

// rating scores a forecast of a rating whose user and film are so new.
func (h *handScore) rating(half uint8, cold [4]int, p ncf.Predictive) {
	y, apart := float64(half)/10, 0.0
	for _, m := range p.Means {
		apart += math.Abs(m-y) / float64(len(p.Means))
	}
	e := math.Abs(p.Mean() - y)
	h.add(measure.RatingError, e)
	h.add(measure.SampleError, apart)
	h.add(measure.SquaredError, e*e)
	h.add(measure.LogLikelihood, p.LogDensity(y))
	from, to := 0., 1. // the lowest and the highest rating stand for an open interval
	if half > 1 {
		from = p.CDF(y - 0.05)
	}
	if half < 10 {
		to = p.CDF(y + 0.05)
	}
	h.spread(from, to)
	for way, name := range []string{"user first", "film first", "user learned", "film learned"} {
		if h.cold[name] == nil {
			h.cold[name] = make([]result.Tally, 5)
		}
		h.cold[name][cold[way]].Rows++
		h.cold[name][cold[way]].Error += e
	}
}

// endStep averages over a step.
func (h *handScore) endStep() {
	for metric, sum := range h.sums {
		h.series[metric] = append(h.series[metric], sum/h.n[metric])
	}
	clear(h.sums)
	clear(h.n)
}

// wantRivals compares the rivals of a spec, whose seeds are alike, with scores by hand along all steps.
func wantRivals(t *testing.T, s spec.Spec, names []string, score func(rival int, h *handScore)) {
	t.Helper()
	made, p := loaded(t, s)
	methods := filetest.Must(made.Baselines(s, p))(t)
	filetest.Want(t, len(methods), len(names), "number of rivals")
	for i, m := range methods {
		filetest.Want(t, m.Name, names[i], "rival %d", i)
		filetest.True(t, baseline.Has(m.Name) && !m.Frozen && m.Hash == "" && m.Parameters == 0, "rival %+v", m)
		filetest.Want(t, len(m.Runs), len(s.Seeds), "%s: number of runs", m.Name)
		h := newHandScore()
		score(i, h)
		for _, run := range m.Runs {
			filetest.Want(t, len(run.Rows), len(p.Steps), "%s: number of days", m.Name)
			h.check(t, m.Name, run)
		}
	}
}

// check compares with a run's result: means to the file's digits. Sums over all ratings are float32 in the program, so each rating has the
// same tolerance.
func (h *handScore) check(t *testing.T, name string, run result.Run) {
	t.Helper()
	tolerance := 1e-6
	metrics := slices.Collect(maps.Keys(run.Scores))
	if run.LogLikelihood != nil {
		metrics = append(metrics, measure.LogLikelihood)
	}
	filetest.Want(t, slices.Sorted(slices.Values(metrics)), slices.Sorted(maps.Keys(h.series)), "%s: the list of metrics", name)
	near := func(what string, i int, got, want float64) {
		t.Helper()
		filetest.Near(t, got, want, tolerance, "%s: %s", name, what+" "+strconv.Itoa(i))
	}
	for metric, want := range h.series {
		got := run.Series(metric)
		if len(got) != len(want) {
			t.Fatalf("%s: %s of %d days, want %d", name, metric, len(got), len(want))
		}
		for day := range want {
			near(metric+" of day", day, got[day], want[day])
		}
	}
	if len(run.Calibration) != len(h.cells) {
		t.Fatalf("%s: %d cells of calibration, want %d", name, len(run.Calibration), len(h.cells))
	}
	if len(h.cold) > 0 {
		for _, n := range run.Rows {
			tolerance += 1e-7 * float64(n)
		}
	}
	for i := range h.cells {
		near("cell", i, run.Calibration[i], h.cells[i])
	}
	for way, cells := range h.cold {
		for i, want := range cells {
			near("rows, "+way, i, run.Tallies[way][i].Rows, want.Rows)
			near("errors, "+way, i, run.Tallies[way][i].Error, want.Error)
		}
	}
}
