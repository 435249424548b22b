package stream

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// extreme returns a number of either sign whose logarithm is uniform over all of float64, as text.
func extreme(rng *rand.Rand) string {
	return strconv.FormatFloat(math.Ldexp((1+rng.Float64())*float64(2*rng.IntN(2)-1), rng.IntN(2098)-1074), 'g', -1, 64)
}

// extremeTable is a stream with a weight, whose numbers, weights and targets a test draws. Class weights are the least and nearly the
// largest.
func extremeTable(target string) schema.Schema {
	s := schema.Schema{Target: schema.Target{Column: "y", Kind: kindOf(target)}, Columns: []schema.Column{
		{Name: "u", Kind: schema.Category}, {Name: "x", Kind: schema.Both}, {Name: "varies late", Kind: schema.Both, Constant: "1"},
		{Name: "at", Kind: schema.Time, Layout: "unix", Derived: []string{"hour"}},
		{Name: "w", Kind: schema.Weight}, {Name: "y", Kind: schema.Label}}}
	switch target {
	case "two":
		s.Target.Classes, s.Target.Weights = []string{"a", "b"}, map[string]float64{"a": 5e-324, "b": 1e30}
	case "several":
		s.Target.Classes, s.Target.Weights = []string{"a", "b", "c"}, map[string]float64{"a": 1e-310, "b": 1e-30}
	}
	return s
}

func finite(f Forecast) bool {
	return !slices.ContainsFunc(append(f.Classes, f.Probability, f.Value, f.Low, f.High, f.Spread),
		func(v float64) bool { return !(math.Abs(v) <= math.MaxFloat64) })
}

// A record that can be learned can be saved, its file loads, and the forecasts are finite: for numbers and weights of any size, with late
// labels and without. Rows with a weight or a target beyond the bounds are refused.
func TestExtremes(t *testing.T) {
	t.Parallel()
	rows, delays := 200, []int{3}
	if filetest.Long() {
		rows, delays = 10_000, []int{0, 3}
	}
	for _, target := range targets {
		for _, delay := range delays {
			rng := rand.New(rand.NewPCG(3, 4))
			l := filetest.Must(New(extremeTable(target), Options{Memory: 64 << 10}))(t)
			for i := range rows {
				y := extreme(rng)
				switch target {
				case "two", "several":
					y = l.Schema.Target.Classes[rng.IntN(len(l.Schema.Target.Classes))]
				case "count":
					y = fmt.Sprint(rng.Int64() >> rng.IntN(63))
				}
				r := schema.Record{fmt.Sprint(rng.IntN(9)), extreme(rng), extreme(rng), extreme(rng), "", y}
				if i < rows/4 {
					r[2] = "1" // it stays constant
				}
				for r[4] == "" || r[4][0] == '-' {
					r[4] = extreme(rng)
				}
				f, err := l.StepLate(int64(i), r, delay)
				if field := (*schema.FieldError)(nil); errors.As(err, &field) {
					continue
				}
				filetest.Check(t, err)
				filetest.True(t, finite(f), "%s, delay %d, row %d: the forecast is %+v", target, delay, i, f)
				if i%1000 == 60 && filetest.Long() {
					reread(t, l)
				}
			}
			l = reread(t, l) // half of the weights are too large, and so are half of the numbers
			filetest.True(t, int(l.Rows()) >= rows/5, "%s, delay %d: %d of %d rows were learned", target, delay, l.Rows(), rows)
		}
	}
}

// Numbers of all exponents, signs and mixtures: the first rows give a schema or an error, and a learner of the schema forecasts, learns, is
// saved and loads. The bytes of a plan give the target, its kind, the kind of x, rows and delay, and three bytes each for y, x and z: the
// least exponent, the exponents above it, and signs, repeats and other fields among them. Or z is made so that x and z add up to y.
func FuzzNumbers(f *testing.F) {
	for _, y := range []string{"\x80\x02\x00", "\xff\x00\x00", "\xff\x01\x04", "\x00\x02\x01", "\x00\xff\x06"} {
		for _, head := range []string{"\x00\x00\x05", "\x01\x83\x82", "\x0a\x01\x04"} {
			f.Add(uint64(1), []byte(head+y+"\x80\x02\x00"+y))
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, plan []byte) {
		plan = append(plan, make([]byte, 12)...)
		rng, table := rand.New(rand.NewPCG(seed, 1)), make([][]string, 50+plan[2]>>3)
		for i := range table {
			var x [3]string
			for k := range x {
				p, among := plan[3+3*k:], strings.Fields("0 5e-324 -1.7976931348623157e308 1e30 7 -0.1 1e309 NA")
				n := math.Ldexp(1-2*rng.Float64(), min(int(p[0])*2097/255-1073+rng.IntN(8*int(p[1])+1), 1022))
				if p[2]&1 > 0 {
					n = math.Abs(n)
				}
				switch x[k] = strconv.FormatFloat(n, 'g', -1, 64); {
				case p[2]&2 > 0 && rng.IntN(4) == 0:
					x[k] = among[rng.IntN(len(among))]
				case p[2]&4 > 0 && i >= 12:
					x[k] = table[i%12][3-k]
				}
			}
			if sum, err := strconv.ParseFloat(x[0], 64); err == nil && plan[1]&128 > 0 {
				part, _ := strconv.ParseFloat(x[1], 64)
				x[2] = strconv.FormatFloat(sum/2-part/2, 'g', -1, 64)
			}
			table[i] = []string{fmt.Sprint("u", i%7), x[2], x[1], x[0]}
		}
		s, err := schema.Infer([]string{"u", "z", "x", "y"}, table, schema.Hints{
			Target: []string{"y", "log2(y)", "log1p(y)", "sqrt(y)", "y>=1e300", "y=1", "y<-5e-324", "x"}[plan[0]>>2&7],
			As:     []schema.TargetKind{"", schema.Amount, schema.Count, schema.Classes}[plan[0]&3],
			Kinds: map[string]schema.Kind{"x": []schema.Kind{schema.Kept, schema.Number, schema.Both, schema.Time,
				schema.Weight}[plan[1]%5]}})
		if err != nil {
			return
		}
		l := filetest.Must(New(s, Options{Memory: 4 << 10}))(t)
		for i, r := range table[:12] {
			f, err := l.StepLate(int64(i), r, int(plan[2]&7))
			if !errors.As(err, new(*schema.FieldError)) {
				filetest.Check(t, err)
				filetest.True(t, finite(f), "row %d, %q: the forecast is %+v", i, r, f)
			}
		}
		if seed%8 == 1 { // it takes most of the time
			l = reread(t, l)
		}
		_ = filetest.Must(l.LearnWaiting(0))(t)
		filetest.WantNone(t, l.Report().String(), "NaN", "Inf")
		filetest.Must(json.Marshal(l.Inspect()))(t)
	})
}

// To a learner without a course, a weight counts at least a millionth of the mean of the weights so far, where the base rate begins with a
// row of weight 1 for each class.
func TestLeastWeight(t *testing.T) {
	for _, c := range []struct {
		before      []float64
		tiny, least float64
	}{{nil, 5e-324, 1e-6}, {[]float64{4, 9}, 1e-310, 1e-6 * (2 + 4 + 9) / 4}, {[]float64{1e6, 1e6}, 1e-3, 1e-6 * (2 + 2e6) / 4},
		{[]float64{4, 9}, 1e-5, 1e-5}} {
		var all [2]float64
		var forecasts [2]Forecast
		for i, last := range []float64{c.tiny, c.least} {
			l := filetest.Must(New(extremeTable("two"), Options{Memory: 16 << 10, NoExactModel: true}))(t)
			r := schema.Record{"u", "1", "1", "1", "", "a"}
			for _, w := range append(c.before, last) {
				r[4] = fmt.Sprint(w)
				filetest.Check(t, l.Learn(r))
			}
			all[i], forecasts[i] = l.model.State().BaseRate.Total, filetest.Must(l.Predict(r))(t)
		}
		what := fmt.Sprintf("after %g, the weight %g counts as %g", c.before, c.tiny, c.least)
		filetest.Near(t, all[0], all[1], 1e-9*c.least, "%s: total", what)
		filetest.Near(t, forecasts[0].Probability, forecasts[1].Probability, 1e-12, "%s: the forecast", what)
	}
}

// A learner that no file may hold is not written, and the error names the faulty part.
func TestSpoiltIsNotWritten(t *testing.T) {
	l := waitingLearner(t)
	wrong, table, weights := math.NaN(), l.Parts()[1], l.model.State().Weights // a code is never wrong, and the scales come next
	mean, variance := table.Get(0)
	rate, waits := l.model.State().BaseRate, &l.pending.queue.Front().Value.(*asked).Predictions.Main
	for want, swap := range map[string]func(){
		"theta holds mean NaN":                       func() { m, _ := table.Get(0); table.Set(0, wrong, variance); wrong = m },
		"the weights of its models would be refused": func() { wrong, weights[0] = weights[0], wrong },
		"its base rate would be refused":             func() { wrong, rate.Squares = rate.Squares, wrong },
		"a record that waits would be refused":       func() { wrong, waits.Spread = waits.Spread, wrong },
		"its scores would be refused":                func() { wrong, l.eval.Intervals.Factor[1] = l.eval.Intervals.Factor[1], wrong },
	} {
		swap()
		filetest.WantError(t, l.Write(io.Discard), want)
		swap()
	}
	now, _ := table.Get(0)
	filetest.Want(t, now, mean, "the mean")
	state := l.model.State()
	state.Exact = -1
	l.model.Restore(state) // there were too many items, and the records that wait have a forecast of this model
	reread(t, l)
}

// A factorization machine learns from rows of a weight, and stays finite when heavy rows contradict each other: each of its factors moves
// with the size of the others.
func TestHeavyRows(t *testing.T) {
	t.Parallel()
	for _, classes := range [][]string{{"a", "b"}, {"a", "b", "c"}} {
		for weight, most := range map[string]float64{"10": 0.47, "1e6": math.Ln2} {
			s := schema.Schema{Target: schema.Target{Column: "y", Kind: schema.Classes, Classes: classes}, Columns: []schema.Column{
				{Name: "u", Kind: schema.Category}, {Name: "v", Kind: schema.Category}, {Name: "w", Kind: schema.Weight},
				{Name: "y", Kind: schema.Label}}}
			l := filetest.Must(New(s, Options{Memory: 64 << 10, Interactions: onepass.FM, NoExactModel: true}))(t)
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range 600 {
				u, v, y, of := rng.IntN(4), rng.IntN(4), 0, "1"
				if i%4 == 0 {
					of = weight
				}
				if y = (u + v) % 2; rng.IntN(10) == 0 {
					y = 1 - y
				}
				f, _, err := l.Step(schema.Record{fmt.Sprint(u), fmt.Sprint(v), of, classes[y]})
				filetest.Check(t, err)
				filetest.True(t, finite(f), "%d classes, weight %s, row %d: the forecast is %+v", len(classes), weight, l.Rows(), f)
			}
			loss := reread(t, l).Report().Models[0].Late.Means().LogLoss
			filetest.True(t, loss <= most, "%d classes, a row in four of weight %s: the log-loss is %.3f", len(classes), weight, loss)
		}
	}
}
