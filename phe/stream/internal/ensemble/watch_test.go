package ensemble

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gophe/phe/count"
	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
	"gophe/phe/stream/change"
	"gophe/phe/stream/schema"
)

// watched returns the watch of a new model of a number of classes, or of a number.
func watched(t *testing.T, classes int) *watch {
	target := schema.Target{Kind: schema.Amount}
	if classes > 0 {
		target = schema.Target{Kind: schema.Classes, Classes: slices.Repeat([]string{"a"}, classes)}
	}
	for i := range target.Classes {
		target.Classes[i] = fmt.Sprint(i)
	}
	m := modelOf(t, target)
	return m.combiners[len(m.combiners)-1].(*watch)
}

// rowOf returns a row whose experts, main forecast and inputs say the same: log-odds, logarithms of probabilities, or a number of noise 1.
func rowOf(w *watch, says []float64) *Row {
	r, p := labelOf(0, 1), slices.Clone(says)
	r.Predictions.Rows = w.model.Rows
	n := w.model.Design.outputs()
	if len(says) == 1 && len(w.model.target.Classes) == 2 {
		p = []float64{1 - sigmoid(says[0]), sigmoid(says[0])}
	} else if len(says) > 1 {
		onepass.SoftmaxInto(p, says)
	}
	main := &r.Predictions.Main
	main.Classes, r.Predictions.BaseRate.Classes = p, slices.Repeat([]float64{1 / float64(len(p))}, len(p))
	main.Mean, main.Inputs = says[0], slices.Repeat(says, n)
	if len(p) > 2 {
		for i := range main.Inputs {
			main.Inputs[i] = math.Log(p[i%len(p)])
		}
	}
	if len(w.model.target.Classes) == 0 {
		main.Inputs = append(main.Inputs, 0, 1)
	}
	return r
}

// Over what may come, each ratio of classes, and each ratio of places, has the mean 1 under the reference: Σ p(y) q(y)/p(y) = 1.
func TestMeanOne(t *testing.T) {
	for _, says := range [][]float64{{0.3}, {-2}, {5}, {1, 0, -1}, {0, 3, 1, -2, 0.5}} {
		classes, means := max(2, len(says)), [change.Ways]float64{}
		for y := range classes {
			w := watched(t, classes)
			w.bet.mean[1], w.quick[0] = 0.3, 0.3
			r := rowOf(w, says)
			p := r.Predictions.Main.Classes[y]
			r.Predictions.Main.Classes = slices.Repeat([]float64{1 / float64(classes)}, classes)
			r.Y = float64(y)
			ratios := w.ofTwo
			if classes > 2 {
				ratios = w.ofClasses
			}
			for k, ratio := range ratios(r) {
				means[k] += p * ratio
			}
		}
		for k, mean := range means {
			filetest.Near(t, mean, 1, 1e-9, "%v: the mean of ratio %d", says, k)
		}
	}
	means := [change.Ways]float64{}
	for place, y := range []float64{-3, -1.5, -0.5, 0, 0.5, 1.5, 3} {
		w := watched(t, 0)
		w.quick[0], w.quick[6] = w.quick[0]+0.1, w.quick[6]-0.01
		w.quick[3] -= 0.09
		r := rowOf(w, []float64{0})
		r.Y = y
		ratios, _ := w.ofNumber(r)
		for k, ratio := range ratios {
			means[k] += normal[place] * ratio
		}
	}
	for k, mean := range means {
		filetest.Near(t, mean, 1, 2e-3, "numbers: the mean of ratio %d", k) // the forecasts are equal
	}
}

// follow takes a watch along rows. The labels obey the forecasts times a slope, with a shift, and some are noise, from row 5,000 on. It
// returns the alarms.
func follow(w *watch, rows int64, slope, shift, noise float64) []change.Alarm {
	return followed(w, 4, rows, slope, shift, noise)
}

func followed(w *watch, seed uint64, rows int64, slope, shift, noise float64) []change.Alarm {
	rng, k := rand.New(rand.NewPCG(seed, 9)), len(w.model.target.Classes)
	says, p := make([]float64, max(1, k)), make([]float64, k)
	if k == 2 {
		says = says[:1]
	}
	for ; w.model.Rows < rows; w.model.Rows++ {
		a, b, random := slope, shift, noise
		if w.model.Rows < 5000 {
			a, b, random = 1, 0, 0
		}
		for i := range says {
			says[i] = 1.5 * rng.NormFloat64()
		}
		r, u := rowOf(w, says), rng.Float64()
		switch {
		case k == 0:
			r.Y = a*says[0] + b + (1+5*random)*rng.NormFloat64()
		case k == 2:
			if u < (1-random)*sigmoid(a*says[0]+b)+random/2 {
				r.Y = 1
			}
		default:
			for i := range p {
				p[i] = a * says[i]
			}
			p[0] += b
			for onepass.SoftmaxInto(p, p); r.Y < float64(k-1) && u >= (1-random)*p[int(r.Y)]+random/float64(k); r.Y++ {
				u -= (1-random)*p[int(r.Y)] + random/float64(k)
			}
		}
		w.Learn(r)
	}
	return w.detector.Alarms
}

// Forecasts that hold set off no alarm. Each change does, soon and as its kind.
func TestWatch(t *testing.T) {
	quiet := int64(30_000)
	if filetest.Long() {
		quiet = 1_000_000
	}
	for _, classes := range []int{0, 2, 3, 7} {
		filetest.Want(t, len(follow(watched(t, classes), quiet, 1, 0, 0)), 0, "%d classes: false alarms", classes)
		moved := map[bool]change.Kind{true: change.Level, false: change.BaseRate}[classes == 0]
		for _, c := range []struct {
			kind                change.Kind
			slope, shift, noise float64
			within              int64
		}{{change.Items, 0, 0, 0, 100}, {change.Items, -1, 0, 0, 50}, {moved, 1, 1.5, 0, 300}, {change.Noise, 1, 0, 0.4, 300}} {
			at := follow(watched(t, classes), 5000+c.within, c.slope, c.shift, c.noise)
			filetest.True(t, len(at) == 1 && at[0].Row > 5000 && at[0].Kind == c.kind, "%d classes, %+v: %+v", classes, c, at)
		}
	}
}

// A low slope tells new effects of counts whatever leads, of numbers if it is sure, and of classes only if neither noise nor odds lead.
func TestKind(t *testing.T) {
	for _, c := range []struct {
		target    schema.TargetKind
		lead      int
		slope, sd float64
		want      change.Kind
	}{{schema.Count, 2, 0.7, 1, change.Items}, {schema.Count, 1, 0.8, 0, change.Level}, {schema.Amount, 2, 0.5, 0.1, change.Items},
		{schema.Amount, 2, 0.5, 0.2, change.Noise}, {schema.Amount, 4, 0.9, 0, change.Level}} {
		w := newWatch(modelOf(t, schema.Target{Kind: c.target}))
		w.detector.Sums[c.lead], w.bet.cov[0] = 1, c.sd*c.sd
		filetest.Want(t, w.kind(c.slope), c.want, "%+v", c)
	}
	for lead, want := range []change.Kind{change.Items, change.Items, change.Noise, change.Items, change.BaseRate, change.BaseRate} {
		w := watched(t, 2)
		w.detector.Sums[lead], w.bet.cov[0] = 1, 0.01
		filetest.Want(t, w.kind(0.4), want, "two classes, alternative %d leads", lead)
	}
}

// The rows after an alarm choose its remedy, not the few that set it off: on no stream does noise make forget, and new effects always do.
func TestRemedy(t *testing.T) {
	for _, classes := range []int{0, 3, 7} {
		for seed := range uint64(12) {
			for remedy, c := range map[change.Remedy][2]float64{change.Nothing: {1, 0.3}, change.Forget: {0, 0}} {
				at := followed(watched(t, classes), seed, 5600, c[0], 0, c[1])
				filetest.True(t, len(at) == 1 && at[0].Remedy == remedy, "%d classes, seed %d: %+v, want %q", classes, seed, at, remedy)
			}
		}
	}
}

// A number whose noise follows the hour sets off no alarm, and one whose items say something else still does.
func TestNoisyHours(t *testing.T) {
	for seed := range uint64(8) {
		w, rng := watched(t, 0), rand.New(rand.NewPCG(seed, 3))
		for ; w.model.Rows < 20_200; w.model.Rows++ {
			says := 1.5 * rng.NormFloat64()
			r := rowOf(w, []float64{says})
			if w.model.Rows >= 20_000 {
				says = -says
			}
			r.Y = says + []float64{1, 0.5, 0.8, 1.6}[w.model.Rows/50%4]*rng.NormFloat64()
			w.Learn(r)
		}
		at := w.detector.Alarms
		filetest.True(t, len(at) == 1 && at[0].Row > 20_000 && at[0].Kind == change.Items, "seed %d: %+v", seed, at)
	}
}

// After an alarm by labels that depend on each other, nothing is forgotten.
func TestGroup(t *testing.T) {
	for z, want := range map[float64]change.Remedy{0.9: change.Forget, 1.1: change.Nothing} {
		w := watched(t, 2)
		follow(w, 5000, 1, 0, 0)
		w.model.statistics.Lag, w.block[3], w.block[4] = 50, 50, z
		at := follow(w, 5300, -1, 0, 0)
		filetest.True(t, len(at) == 1 && at[0].Kind == change.Items && at[0].Remedy == want, "|z| of %g: %+v, want %q", z, at, want)
	}
}

// Labels with equal errors count as one, and more of them than a block has. Errors that cancel each other do not,
// but three blocks of labels say nothing yet.
func TestDependent(t *testing.T) {
	for _, c := range []struct{ lag, second, want float64 }{{3, 1, 16 * math.Pi}, {60, -1, 61}, {3, -1, 0}, {0, 1, 16 * math.Pi},
		{31, 0, 8 * math.Pi}} {
		w, got := watched(t, 2), 0.0
		for i := range 4 * 32 {
			w.miss = []float64{1, c.second}[i%2]
			measure(w.block, w.miss, c.lag, true)
			got = w.dependent(c.lag)
		}
		filetest.Near(t, got, c.want, 1e-12, "labels that count as one of lag %g", c.lag)
	}
}

// geometric is the distribution of a count with P(Y ≥ y) = qʸ.
type geometric struct {
	count.Distribution
	q float64
}

func (g geometric) CDF(y int) float64 { return 1 - math.Pow(g.q, float64(y+1)) }
func (g geometric) Quantile(share float64) float64 {
	return math.Floor(math.Log(1-share) / math.Log(g.q))
}

// Under the forecast, and under one whose usual places are not N(0, 1)'s, each ratio of a count has the mean 1, and the error the mean 0,
// however few counts are likely. Forecasts that hold set off no alarm by day or by night, nor if their labels come late. A change does:
// beliefs are forgotten if the columns say little of the counts since, and not if all counts have grown.
func TestCounts(t *testing.T) {
	usual := [...]float64{0.1, 0.1, 0.1, 0.2, 0.1, 0.1, 0.3}
	under := func(u float64) (p float64) { // the usual places' distribution function
		for k, share := range normal {
			p += usual[k] * max(0, min(1, u/share))
			u -= share
		}
		return p
	}
	for _, q := range []float64{0.01, 0.3, 0.8} {
		means, miss := [change.Ways]float64{}, 0.0
		for y := range 200 {
			w, r, d := newWatch(modelOf(t, schema.Target{Kind: schema.Count})), labelOf(float64(y), 1), geometric{q: q}
			p := under(d.CDF(y)) - under(d.CDF(y-1))
			copy(w.slow, usual[:])
			r.Predictions.Main.Count = d
			ratios, _ := w.ofNumber(r)
			for k, ratio := range ratios {
				means[k] += p * ratio
			}
			miss += p * w.miss
		}
		filetest.Near(t, miss, 0, 1e-4, "q %g: the mean error", q)
		for k, mean := range means {
			filetest.Near(t, mean, 1, 1e-4, "q %g: the mean of ratio %d", q, k)
		}
	}
	for _, c := range []struct {
		late   bool
		came   [2]float64
		remedy change.Remedy
	}{{false, [2]float64{0.7, 0.7}, change.Forget}, {true, [2]float64{0.7, 0.7}, change.Forget}, {false, [2]float64{0.6, 0.97},
		change.Nothing}} {
		m, rng := modelOf(t, schema.Target{Kind: schema.Count}), rand.New(rand.NewPCG(3, 8))
		for w := newWatch(m); m.Rows < 30_300; m.Rows++ {
			says := geometric{q: []float64{0.1, 0.9}[m.Rows/4%2]}
			came := says
			if m.Rows >= 30_000 {
				came.q = c.came[m.Rows/4%2]
			}
			r := labelOf(came.Quantile(rng.Float64()), 1)
			if r.Predictions.Rows, r.Predictions.Main = m.Rows, predictionOfCount(says); c.late {
				r.Predictions.Main.Count = nil
			}
			w.Learn(r)
		}
		at := m.statistics.Change.Alarms
		filetest.True(t, len(at) == 1 && at[0].Row > 30_000 && at[0].Remedy == c.remedy, "%+v: %+v", c, at)
	}
}

// A count's remedy comes with the row that is due, and makes the tree's beliefs as unsure as at first.
func TestCountForgets(t *testing.T) {
	m := modelOf(t, schema.Target{Kind: schema.Count})
	r := m.NewRow()
	variance := func() (v float64) {
		for _, part := range m.Counter.tables() {
			if part.Name == "tree biases" {
				_, v = part.Get(0)
			}
		}
		return v
	}
	first := variance()
	m.statistics.Change.Remedy, m.statistics.Change.Due = change.Forget, 20
	for row := range int64(20) {
		m.Read(schema.Record{"one", "two", "3"}, &r)
		r.Label = Label{true, 3, 1, 1}
		m.Begin(&r, row)
		Take(&r, m.Forecasters...)
		m.Finish(&r)
		filetest.Want(t, variance() == first, row == 19, "row %d: the variance of the root's bias is as at first", row+1)
	}
}
