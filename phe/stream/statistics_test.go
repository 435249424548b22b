package stream

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
	"gophe/phe/stream/change"
	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/schema"
)

// weighted returns a learner of rows "item, weight, y", and the rows of a stream.
func weighted(t *testing.T, target string) (*Learner, []schema.Record) {
	t.Helper()
	memory := 4 << 10
	if target == "count" {
		memory = 64 << 10
	}
	classes := map[string][]string{"two": {"no", "yes"}, "several": {"low", "middle", "high"}}[target]
	s := schema.Schema{Target: schema.Target{Column: "y", Kind: kindOf(target), Classes: classes}, Columns: []schema.Column{
		{Name: "u", Kind: schema.Category}, {Name: "w", Kind: schema.Weight}, {Name: "y", Kind: schema.Label}}}
	l := filetest.Must(New(s, Options{Memory: memory, NoExactModel: true}))(t)
	var rows []schema.Record
	for _, r := range makeStream(120, target).records {
		rows = append(rows, schema.Record{r[0], "1", r[5]})
	}
	return l, rows
}

// Weights that are all equal change no bit of a forecast. A row of weight 0 changes only counters, with its label late or not.
func TestUnitOfWeights(t *testing.T) {
	for _, target := range targets {
		var want []Forecast
		for _, weight := range []string{"1", "3", "1e-6", "1e6", "5e-324"} {
			l, rows := weighted(t, target)
			for i, r := range rows {
				r[1] = weight
				f := filetest.Must(l.StepLate(int64(i), r, i/60))(t)
				if weight == "1" {
					want = append(want, f)
				} else if !same(f, want[i]) {
					t.Fatalf("%s, row %d of weight %s: %+v, and of weight 1 %+v", target, i+1, weight, f, want[i])
				}
			}
		}
		some, rows := weighted(t, target)
		none, _ := weighted(t, target)
		rng := rand.New(rand.NewPCG(3, 46))
		for i, r := range rows {
			if r[1] = strconv.Itoa(rng.IntN(3)); r[1] != "0" {
				filetest.Check(t, none.Learn(r))
			}
			_, learned, err := some.Step(r)
			filetest.Check(t, err)
			filetest.Want(t, learned, r[1] != "0", "%s: weight %s is learned", target, r[1])
			if i%2 == 0 && r[1] == "0" {
				filetest.Must(some.Ask(fmt.Sprint(i), r))(t)
				filetest.Check(t, some.Label(fmt.Sprint(i), r[2]))
			}
		}
		filetest.Want(t, len(some.Fields(true)), len(none.Fields(true)), "%s: values that the report says", target)
		some.eval.Unlabelled, some.observer.Learned = 0, none.observer.Learned
		filetest.True(t, bytes.Equal(bytesOf(t, some), bytesOf(t, none)), "%s: rows of weight 0 leave something", target)
	}
}

// A class of weight 10 is learned as if it had none, is forecast as if it came ten times as often, and its rows are scored ten times.
func TestClassWeights(t *testing.T) {
	for _, target := range []string{"two", "several"} {
		plain, rows := weighted(t, target)
		last := len(plain.Schema.Target.Classes) - 1
		class, heavy := plain.Schema, plain
		class.Target.Weights = map[string]float64{class.Target.Classes[last]: 10}
		heavy = filetest.Must(New(class, plain.options))(t)
		came, weight, sum, base := slices.Repeat([]float64{1}, last+1), 0., 0., 0. // by hand; the base rate begins with a row of each class
		for _, r := range rows {
			of := func(f Forecast) []float64 {
				if target == "two" {
					return []float64{1 - f.Probability, f.Probability}
				}
				return f.Classes
			}
			p, q := of(step(t, plain, r)), of(step(t, heavy, r))
			filetest.Near(t, q[last], 10*p[last]/(1+9*p[last]), 1e-12, "%s: %.15f is shifted to", target, p[last])
			y, rates := slices.Index(class.Target.Classes, r[2]), 9*came[last]
			for _, n := range came {
				rates += n
			}
			w := map[bool]float64{true: 10, false: 1}[y == last]
			sum, base, weight = sum-w*math.Log(q[y]), base-w*math.Log(w*came[y]/rates), weight+w
			came[y]++
		}
		a, b := plain.Report(), heavy.Report()
		filetest.Near(t, b.Models[0].All.Means().LogLoss, sum/weight, 1e-9, "%s: log-loss", target)
		filetest.Near(t, b.Models[len(b.Models)-1].All.Means().LogLoss, base/weight, 1e-9, "%s: log-loss of the base rate", target)
		filetest.Near(t, b.AUC, a.AUC, 2e-3, "%s: AUC with the weight, and without", target)
		filetest.Near(t, b.Classes[last].Weight, 10*a.Classes[last].Weight, 1e-9, "%s: the weight of the class", target)
	}
}

// What came last counts 1/(1 + lag/32), and the other inputs of stacking stay. With labels 40 rows late, the i-th of the first 41 comes
// when i rows have been learned that its forecast did not know: the mean of the first n is (n − 1)/2.
func TestStale(t *testing.T) {
	for _, target := range []string{"two", "several", "number"} {
		l, rows := weighted(t, target)
		for i, r := range rows {
			filetest.Must(l.StepLate(int64(i), r, 40))(t)
			if l.Rows() == 31 {
				filetest.Near(t, l.model.State().Statistics.Lag, 15, 1e-12, "%s: the lag after 31 rows", target)
			}
		}
		inputs := func(lag float64) ensemble.Prediction {
			l.model.State().Statistics.Lag = lag
			var p ensemble.Predictions
			p.Keep(&l.take(rows[80], ensemble.Label{}, ensemble.CallPeek).Predictions, ensemble.Label{})
			return p.Main
		}
		now, stale := inputs(0).Inputs, inputs(96).Inputs
		n, first := len(now), len(l.model.State().Weights)*max(1, len(l.Schema.Target.Classes)/3*3)
		if target == "number" { // a constant after the models, and level and deviation after what came last
			n, first = n-2, first+1
		}
		for i, v := range now {
			if want := map[bool]float64{true: v / 4, false: v}[i >= first && i < n]; math.Abs(stale[i]-want) > 1e-12 || i >= first &&
				i < n && v == 0 {
				t.Errorf("%s: input %d is %g with a lag of 96, and %g with none", target, i, stale[i], v)
			}
		}
	}
}

// After an alarm the beliefs are made less sure, a fixed number of rows after their remedy is chosen: with batches, with stops in between,
// and with single rows the bits are the same. The sum before row 1,537 is so large that it sets off an alarm, and the slope is .4, also 64
// rows later.
func TestResetsCovariance(t *testing.T) {
	const alarm, slope, items = 1537, 0.4, "the forecasts did not hold: the same items say something else"
	single, _ := weighted(t, "two")
	stops, _ := weighted(t, "two")
	batches, _ := weighted(t, "two")
	late := schema.Record{"i1", "1", single.Schema.Target.Classes[0]}
	for _, l := range []*Learner{single, stops, batches} { // late labels are hedged from now on
		filetest.Must(l.Ask("late", late))(t)
		for range MaxBatch - 1 {
			step(t, l, late)
		}
		filetest.Check(t, l.Label("late", late[2]))
	}
	p, batch, rng := batches.Pipeline(), []*Prepared(nil), rand.New(rand.NewPCG(4, 46))
	table := func(l *Learner, name string) belief.Part {
		return l.Parts()[slices.IndexFunc(l.Parts(), func(p belief.Part) bool { return p.Name == name })]
	}
	c := single.model.Design.Experts[0].Learner
	before, after, codec := 0., 0., onepass.NewCodec(c.BeliefBits, c.Prior.E)
	for i := int64(MaxBatch); i < 1700; i++ {
		u, one := rng.IntN(40), &Prepared{}
		r := schema.Record{"i" + strconv.Itoa(u), "1", single.Schema.Target.Classes[(u+rng.IntN(12)/11)%2]}
		if i == alarm-1 || i == alarm+2*MaxBatch-1 {
			for _, l := range []*Learner{single, stops, batches} {
				l.model.State().Statistics.Change.Sums[0] = 1e8
				table(l, "bet mean").Set(0, slope, 0)
				for at := range 4 {
					table(l, "bet covariance").Set(at, 0, 0)
				}
			}
		}
		reason := step(t, single, r).Reason
		if step(t, stops, r); i > alarm-2 && i%16 == 0 {
			stops = reread(t, stops)
		}
		filetest.True(t, p.Prepare(r, one), "the record is not prepared")
		if batch = append(batch, one); len(batch) == MaxBatch {
			p.Step(batch)
			batch = nil
			if i == alarm-2 || i == alarm+2*MaxBatch-2 {
				p.Step(nil)
			}
		}
		least, means := math.Inf(1), 0.
		for table, at := single.Parts()[0], 0; i > 1500 && at < table.Len; at++ {
			code, _ := table.Get(at)
			m, v := codec.Decode(uint32(code))
			least, means = min(least, v), means+math.Abs(m)
		}
		beside, _ := table(single, "last step covariance").Get(1)
		wide := least >= 0.9*c.Prior.E && beside == 0
		if i > 1500 && (wide != (i+1 == alarm+4*MaxBatch) || (reason == items) != (i+1 == alarm)) {
			t.Fatalf("row %d: the covariances are reset: %t; alarm %q", i+1, wide, reason)
		}
		if before, after = after, means; i > 1500 && wide {
			filetest.Near(t, after/before, single.model.State().Statistics.Change.Keep, 0.02, "share of the means that stays")
		}
	}
	p.Step(batch)
	p.Step(nil)
	r := single.Report()
	filetest.Want(t, r.Drifts, []change.Alarm{{Row: alarm, Kind: change.Items, Remedy: change.Forget}}, "alarms")
	filetest.WantWords(t, r.String(), "\nalarm at learned row 1,537: "+items+"\n")
	again := reread(t, single) // a late label is told of at the end too, after what reasoned when it was asked
	filetest.Must(again.StepLate(0, schema.Record{"i1", "1", single.Schema.Target.Classes[0]}, 40))(t)
	d := again.model.State().Statistics.Change
	d.Sums[0], d.From, d.Since, again.row.Reason = 1e15, 0, 0, "empty"
	f := filetest.Must(again.LearnWaiting(0))(t)
	filetest.WantWords(t, f.Reason, "empty; the forecasts did not hold: ")
	filetest.Want(t, [2]int64{int64(f.Alarms), f.Changed}, [2]int64{int64(again.Report().Alarms), 1701}, "alarms, and the row of the last")
	want := bytesOf(t, single)
	filetest.True(t, bytes.Equal(want, bytesOf(t, stops)), "stops change bits")
	filetest.True(t, bytes.Equal(want, bytesOf(t, batches)), "batches change bits")
}
