package ensemble

import (
	"fmt"
	"math"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
	"gophe/phe/stream/internal/counttree"
	"gophe/phe/stream/schema"
)

// wantNear compares a number of a part with its closed form.
func wantNear(t *testing.T, part string, got, want float64) {
	t.Helper()
	filetest.Near(t, got, want, 1e-12*max(1, math.Abs(want)), "%s", part)
}

// labelOf returns a row that has a label and a weight.
func labelOf(y, weight float64) *Row {
	return &Row{Label: Label{true, y, weight, weight}, share: 1, witness: 1, counts: min(1, weight)}
}

// tableOf returns the schema of two columns of items and a target.
func tableOf(target schema.Target) schema.Schema {
	target.Column = "y"
	return schema.Schema{Target: target, Columns: []schema.Column{{Name: "u", Kind: schema.Category}, {Name: "v", Kind: schema.Category},
		{Name: "y", Kind: schema.Label}}}
}

// modelOf returns a new model of such a table, and its design.
func modelOf(t *testing.T, target schema.Target) *Model {
	s := tableOf(target)
	d := filetest.Must(NewDesign(s, onepass.Shape{Memory: 16 << 10, Interactions: onepass.Auto}, 0, 0, true))(t)
	return filetest.Must(New(s, d, Ablation{}))(t)
}

var twoClasses = schema.Target{Kind: schema.Classes, Classes: []string{"a", "b"}}

// The base rate has the frequencies of classes from one row each, and mean and variance of numbers. An outlier counts as five deviations.
func TestBaseRate(t *testing.T) {
	u := newBaseRate(twoClasses, newScale(schema.Classes), newStatistics())
	for i, r := range []*Row{labelOf(1, 1), labelOf(1, 2.5), labelOf(0, 1)} {
		r.Predictions.Rows = int64(i)
		u.Learn(r)
	}
	r := &Row{}
	u.Forecast(r)
	wantNear(t, "base rate of two classes", r.Predictions.BaseRate.Classes[1],
		(2+math.Sqrt(2.5))/(3+math.Sqrt(2.5)+1/math.Cbrt(2.5))) // a weight counts relative to the geometric mean so far

	n := newBaseRate(schema.Target{Kind: schema.Amount}, &Scale{unit: unit{Spread: 1}, Window: &Window{}}, newStatistics())
	for _, y := range []float64{3, 5, 10} {
		n.Learn(labelOf(y, 1))
	}
	n.Forecast(r)
	wantNear(t, "base rate of numbers: mean", r.Predictions.BaseRate.Mean, 6)
	wantNear(t, "base rate of numbers: variance", r.Predictions.BaseRate.Variance, (9.+1+16)/2)
	wild := labelOf(-1e9, 1)
	n.Learn(wild)
	wantNear(t, "base rate of numbers: an outlier", wild.Y, 6-5*math.Sqrt(13))
}

// The scale of twenty numbers is their median and their standard deviation.
func TestScale(t *testing.T) {
	s, known := newScale(schema.Amount), 0
	s.ready = func() { known++ }
	for i := range scaleRows {
		s.Learn(labelOf(float64(100+(7*i)%scaleRows), 1)) // 100 … 119 in some order
	}
	filetest.Want(t, known, 1, "scale: times that the first rows were learned")
	wantNear(t, "scale: center", s.Center, 109.5)
	wantNear(t, "scale: spread", s.Spread, math.Sqrt((20*20-1)/12.))
	var f Prediction
	s.out(&onepass.Forecast{Mean: s.in(130), Variance: 4, Spread: 2}, &f)
	wantNear(t, "scale: a number, in and out", f.Mean, 130)
	wantNear(t, "scale: a variance, out", f.Variance, 4*s.Spread*s.Spread)
}

// made is a row of an ensemble of two classes whose one expert says p, and the base rate rate.
func made(p, rate float64) *Row {
	r := labelOf(1, 1)
	r.Predictions.Experts = []Prediction{{Classes: []float64{1 - p, p}}}
	r.Predictions.BaseRate = Prediction{Classes: []float64{1 - rate, rate}}
	return r
}

// The mixture is a mean by weights, which follow Bayes' rule except for the share that is dealt out.
func TestMixture(t *testing.T) {
	m, r := newMixture(schema.Classes, 1), made(0.8, 0.4)
	m.Forecast(r)
	wantNear(t, "mixture: forecast", r.Predictions.Main.Classes[1], 0.6)
	want := 0.5
	for range 2 {
		m.Learn(r)
		want = (1-shareOut)*0.8*want/(0.8*want+0.4*(1-want)) + shareOut/2
		wantNear(t, "mixture: weight of the expert", m.weights[0], want)
	}
}

// The stacking of two classes begins as the mixture. A row moves it by a step of a Kalman filter with the curvature p(1 − p).
func TestBinaryStacking(t *testing.T) {
	parts, inputs := newStacking(1, twoClasses, Ablation{})
	s, r := parts[0].(*binaryStacking), made(0.8, 0.5)
	r.Predictions.Main.Classes = []float64{0.3, 0.7}
	s.Forecast(r)
	x, p := r.Predictions.Main.Inputs, r.Predictions.Main.Classes[1]
	wantNear(t, "stacking of two classes: first forecast", p, 0.7)
	wantNear(t, "stacking of two classes: input of the expert", x[0], math.Log(4))
	q := firstVariance * (x[0]*x[0] + x[1]*x[1]) // what came last is the base rate yet
	s.Learn(r)
	filetest.Want(t, len(x), inputs, "stacking of two classes: inputs")
	filetest.Want(t, inputs, 8, "stacking of two classes: inputs that are said")
	for i, begun := range []float64{0, 1} {
		wantNear(t, fmt.Sprint("stacking of two classes: weight ", i), s.weights.mean[i], begun+firstVariance*x[i]*(1-p)/(1+q*p*(1-p)))
		wantNear(t, fmt.Sprint("stacking of two classes: variance ", i), s.weights.cov[i*inputs+i],
			firstVariance-firstVariance*firstVariance*x[i]*x[i]*p*(1-p)/(1+q*p*(1-p))+regained*firstVariance)
	}
}

// The stacking of several classes shares its weights between them, and moves along the gradient of log p(y).
func TestClassStacking(t *testing.T) {
	parts, _ := newStacking(1, schema.Target{Kind: schema.Classes, Classes: make([]string, 3)}, Ablation{})
	s, r := parts[0].(*classStacking), labelOf(2, 1)
	third := 1. / 3
	r.Predictions = Predictions{Main: Prediction{Classes: []float64{0.2, 0.3, 0.5}},
		Experts: []Prediction{{Classes: []float64{0.1, 0.1, 0.8}}}, BaseRate: Prediction{Classes: []float64{third, third, third}}}
	s.Forecast(r)
	for o, want := range []float64{0.2, 0.3, 0.5} {
		wantNear(t, fmt.Sprint("stacking of three classes: first forecast of class ", o), r.Predictions.Main.Classes[o], want)
	}
	gradient := math.Log(0.8) - 0.2*math.Log(0.1) - 0.3*math.Log(0.1) - 0.5*math.Log(0.8)
	ofMixture := math.Log(0.5) - 0.2*math.Log(0.2) - 0.3*math.Log(0.3) - 0.5*math.Log(0.5)
	q := firstVariance * (gradient*gradient + ofMixture*ofMixture)
	s.Learn(r)
	wantNear(t, "stacking of three classes: weight of the expert", s.weights.mean[0], firstVariance*gradient/(1+q))
	wantNear(t, "stacking of three classes: weight of the mixture", s.weights.mean[1], 1+firstVariance*ofMixture/(1+q))
}

// The stacking of numbers is Bayesian linear regression in deviations from the base rate.
func TestNumberStacking(t *testing.T) {
	parts, _ := newStacking(1, schema.Target{Kind: schema.Amount}, Ablation{})
	s, r := parts[0].(*numberStacking), labelOf(16, 1)
	r.known = unit{Spread: 1}
	r.Predictions = Predictions{Main: Prediction{Mean: 13}, Experts: []Prediction{{Mean: 14}}, BaseRate: Prediction{Mean: 10, Variance: 4}}
	s.Forecast(r)
	wantNear(t, "stacking of numbers: first forecast", r.Predictions.Main.Mean, 13)
	s.Learn(r)
	x := []float64{2, 1.5, 1} // expert, mixture and the constant; nothing came before
	e, q := (16-13)/2., firstVariance*(2*2+1.5*1.5+1)
	for i, begun := range []float64{0, 1, 0} {
		wantNear(t, fmt.Sprint("stacking of numbers: weight ", i), s.weights.mean[i], begun+firstVariance*x[i]*e/(q+1))
	}
	wantNear(t, "stacking of numbers: noise", s.state[1], 1+(e*e-1)/(noiseFirst+1))
	for _, noise := range []float64{1, 2e-4} { // little noise leaves the weights their memory
		s.state[1] = noise
		s.Learn(r)
		wantNear(t, fmt.Sprint("stacking of numbers: gain at noise ", noise), s.weights.gain/(regained*firstVariance), min(1,
			noise/someNoise))
	}
}

// Recalibration changes nothing at a knot at first. A row moves the two knots beside its log-odds by their nearness.
func TestRecalibration(t *testing.T) {
	c, r := newRecalibration(Ablation{}), made(0, 0)
	at := func(odds float64) float64 {
		r.odds, r.Predictions.Main.Classes = odds, []float64{0, 0}
		c.Forecast(r)
		return r.Predictions.Main.Classes[1]
	}
	wantNear(t, "recalibration: forecast at a new knot", at(1), sigmoid(1))
	half := (sigmoid(1) + sigmoid(1.5)) / 2
	wantNear(t, "recalibration: forecast between two new knots", at(1.25), sigmoid((1.25+math.Log(half/(1-half)))/2))
	c.Learn(r)
	moved := func(odds float64) float64 { return sigmoid(odds) + 0.5/(20+0.5)*(1-sigmoid(odds)) }
	half = (moved(1) + moved(1.5)) / 2
	wantNear(t, "recalibration: forecast after a row", at(1.25), sigmoid((1.25+math.Log(half/(1-half)))/2))
	r.Predictions.Seen = 1
	wantNear(t, "recalibration: forecast of another novelty", at(1), sigmoid(1))
}

// An expert learns a row by its weight, whatever the weight of its class. Its evidence alone knows the base rate of the
// rows, and not the new items: log-odds of g and the bias of one row with a variance of .05.
func TestExpert(t *testing.T) {
	target := twoClasses
	target.Weights = map[string]float64{"b": 3}
	weighted := modelOf(t, target)
	byHand := filetest.Must(onepass.New(weighted.Design.Experts[0].Learner))(t)
	w := weighted.NewRow()
	w.unit = weighted.scale.unit
	weighted.Read(schema.Record{"one", "two", "b"}, &w)
	w.Label = Label{true, 1, 2, 2}
	byHand.Predict(w.encoded[0])
	byHand.Update(1, 2)
	Take(&w, weighted.Experts[0])
	weighted.Read(schema.Record{"three", "four", ""}, &w)
	weighted.Experts[0].Forecast(&w)
	wantNear(t, "expert: its learner, by hand", w.Predictions.Experts[0].Classes[1], byHand.Predict(w.encoded[0]).Classes[1])

	m := modelOf(t, twoClasses)
	r := m.NewRow()
	r.unit = m.scale.unit
	m.Read(schema.Record{"one", "two", "b"}, &r)
	r.Label = Label{true, 1, 1, 1}
	Take(&r, m.Experts[0])
	m.Read(schema.Record{"three", "four", ""}, &r)
	m.Experts[0].Forecast(&r)
	bias := 0.05 * 0.5 / (1 + 0.05*0.25)
	wantNear(t, "evidence alone: forecast of new items", r.Predictions.Experts[len(m.Experts)].Classes[1], sigmoid(math.Log(3)+bias))
	for since, late := range []bool{false, true} { // rows learned since its forecast
		r.Late, r.Predictions.Rows = &Predictions{}, int64(since)
		m.Experts[0].Forecast(&r)
		filetest.Want(t, r.encoded[0].Late, late, "a row is late after %d others", since)
	}
}

// The exact model has numbers of its own for each item, and gives up at the first item without room.
func TestExact(t *testing.T) {
	m := modelOf(t, twoClasses)
	x := m.exact
	x.numbers.keys = x.numbers.keys[:3]
	r := m.NewRow()
	r.unit = m.scale.unit
	for i, record := range []schema.Record{{"a", "b", "b"}, {"c", "a", "a"}, {"a", "a", "a"}} {
		m.Read(record, &r)
		r.Label = Label{true, float64(1 - i), 1, 1}
		Take(&r, x)
		filetest.Want(t, m.exact == nil, i > 0, "the exact model is gone after %d rows", i+1)
		if i == 0 {
			wantNear(t, "exact model: number of the second item", float64(x.row.Slots[1]), 1)
			wantNear(t, "exact model: first forecast", r.exact.Classes[1], 0.5)
		}
	}
}

// The model of counts keeps what came last when it forecast: running means of log₂(1 + y) in half octaves.
func TestCounter(t *testing.T) {
	const k = 5
	c := newCounter(counttree.Config{Contexts: len(windows), Sets: 4, Slots: 64, Weights: 16})
	r := labelOf(3, 1)
	r.encoded, r.Predictions.Experts = []*onepass.Row{{}}, make([]Prediction, 1)
	for range k {
		Take(r, c)
	}
	c.Forecast(r)
	for i, m := range windows {
		wantNear(t, fmt.Sprint("model of counts: what came last, of a window of ", m), r.Predictions.Main.Inputs[i],
			math.Round(2*2*(1-math.Pow(1-1/m, k))))
	}
	late := Predictions{Main: Prediction{Inputs: []float64{9, 9, 9}}}
	r.Late = &late
	Take(r, c)
	first := len(c.row.Items) - len(windows)
	filetest.Want(t, c.row.Items[first], counttree.Item(uint64(first), 9),
		"model of counts: the context of a late label, and of its forecast")
}

// A narrow density to the power of a weight is infinite, and a wide one 0. The models still get the weights of Bayes' rule, in which only
// ratios count.
func TestNarrowDensities(t *testing.T) {
	for _, variance := range []float64{1e-40, 1, 1e40} {
		m := &mixture{kind: schema.Amount, weights: []float64{0.5, 0.25, 0.25}, odds: make([]float64, 3)}
		wide := Prediction{Mean: 0, Variance: variance}
		narrow := Prediction{Mean: 0, Variance: variance / 1.1} // √1.1 as dense at its mean
		m.Learn(&Row{Label: Label{Known: true, Weight: 30}, witness: 1,
			Predictions: Predictions{Experts: []Prediction{wide, narrow}, BaseRate: wide}})
		odds := 0.25 / 0.5 * math.Pow(1.1, 30./2)
		want := (1-shareOut)*odds/(1+odds+0.5) + shareOut/3
		filetest.Near(t, m.weights[1], want, 1e-12, "the weight of the narrower model of variance %g", variance)
	}
}

// The variance of the base rate remembers the numbers before a change of scale. So it counts as three units at most, once there is a unit
// that follows.
func TestOldVariance(t *testing.T) {
	for _, test := range []struct {
		spread, want float64
	}{{2, (1 + away*away*4) / 2.}, {0, 500.5}, {100, 500.5}} {
		r := &Row{known: unit{Spread: test.spread}, Predictions: Predictions{Experts: []Prediction{{Variance: 1}},
			BaseRate: Prediction{Variance: 1000}}}
		newMixture(schema.Amount, 1).Forecast(r)
		wantNear(t, "mixture: variance", r.Predictions.Main.Variance, test.want)
	}
}

// What came last are running means: k equal labels leave (1 − 1/m)ᵏ of the first value of a window of m rows.
func TestRecentLabels(t *testing.T) {
	const k, classes = 7, 3
	made := func(kind schema.TargetKind, classes int) Part {
		parts, inputs := newStacking(1, schema.Target{Kind: kind, Classes: make([]string, classes)}, Ablation{})
		r := Row{Label: Label{Known: true, Y: 1, Weight: 1}, share: 1, witness: 1}
		r.Predictions.Main.Inputs = make([]float64, inputs)
		r.Predictions.Main.Inputs[inputs-1] = 1 // a number's deviation
		for range k {
			parts[0].Learn(&r)
		}
		return parts[0]
	}
	two, several := made(schema.Classes, 2).(*binaryStacking), made(schema.Classes, classes).(*classStacking)
	number := made(schema.Amount, 0).(*numberStacking)
	for i, m := range windows {
		left := math.Pow(1-1/m, k)
		for name, c := range map[string]struct{ got, want float64 }{
			"two classes":   {two.recent.labels[i], 1 - left/2},
			"three classes": {several.recent.labels[i*classes+1], 1 - left*(1-1./classes)},
			"a number":      {number.recent.labels[i], 1}, // the first row's
		} {
			filetest.Near(t, c.got, c.want, 1e-12, "%s: the window of %g rows", name, m)
		}
	}
}

// Nothing is surer than one in ten million: log-odds are at most ±ln(10⁷ − 1).
func TestSurest(t *testing.T) {
	most := math.Log(1e7 - 1)
	for p, want := range map[float64]float64{0: -most, 1e-9: -most, 1e-7: -most, 2e-7: math.Log(2e-7 / (1 - 2e-7)), 0.5: 0, 1: most} {
		filetest.Near(t, logit(p), want, 1e-6, "the log-odds of %g", p)
	}
}

// An edge belongs to the bin above it.
func TestBinOf(t *testing.T) {
	edges := []float64{1990, 1995, 2005}
	for x, want := range map[float64]int{1990: 1, 1990 - 1e-9: 0, 2000: 2, 2005: 3, 1e9: 3} {
		filetest.Want(t, binOf(edges, x), want, "the bin of %g", x)
	}
}
