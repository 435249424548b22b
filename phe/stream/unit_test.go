package stream

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"gophe/phe/count"
	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// lateError steps through numbers of items and returns the root mean squared error of the last half.
func lateError(t *testing.T, rows int, row func(n int) (item string, y float64)) (rmse float64) {
	t.Helper()
	l := filetest.Must(New(numberTable, Options{Memory: 16 << 10}))(t)
	for n := range rows {
		item, y := row(n)
		f := step(t, l, schema.Record{item, strconv.FormatFloat(y, 'g', -1, 64)})
		if n >= rows/2 {
			rmse += (f.Value - y) * (f.Value - y) * 2 / float64(rows)
		}
	}
	return math.Sqrt(rmse)
}

// A column that tells an amount exactly is learned, however late the first amount comes, and whatever the unit of the amounts.
func TestEqualLabelsFirst(t *testing.T) {
	for _, test := range []struct {
		first        int
		amount, most float64
	}{{0, 6, 0.01}, {15, 6, 0.01}, {40, 6, 0.01}, {100, 6, 0.02}, {40, 6e-9, 0.02}, {40, 6e9, 0.3}, {300, 6, 0.2}} {
		rng := rand.New(rand.NewPCG(9, 9))
		if got := lateError(t, 1200, func(n int) (string, float64) {
			if n >= test.first && (n == test.first || rng.IntN(20) == 0) {
				return "yes", test.amount
			}
			return "no", 0
		}); !(got < test.most*test.amount/6) {
			t.Errorf("first %g in row %d: the error is %g", test.amount, test.first+1, got)
		}
	}
}

// A change of the level or the unit is learned like the beginning: at most twice the error of a stream that begins after the change.
func TestUnitChanges(t *testing.T) {
	for name, after := range map[string]func(y float64) float64{
		"another currency": func(y float64) float64 { return 100 * (y + 50) },
		"another level":    func(y float64) float64 { return y + 1e4 },
		"smaller":          func(y float64) float64 { return y / 20 },
	} {
		row := func(change int) func(n int) (string, float64) {
			rng := rand.New(rand.NewPCG(1, 7))
			return func(n int) (string, float64) {
				item := rng.IntN(20)
				y := 10*float64(item) + 5*rng.NormFloat64()
				if n >= change {
					y = after(y)
				}
				return fmt.Sprint(item), y
			}
		}
		const rows = 6000
		got, want := lateError(t, rows, row(800)), lateError(t, rows, row(0))
		filetest.True(t, got < 2*want, "%s: the error is %g, and %g if it began so", name, got, want)
	}
}

// A target that rises for ever takes unit after unit. The error stays near the noise: of one line for all items, and of a meter for each.
func TestRisingTarget(t *testing.T) {
	const rows, noise = 12_000, 50.
	rng, meters := rand.New(rand.NewPCG(3, 8)), make([]float64, 5)
	got := lateError(t, rows, func(n int) (string, float64) {
		return fmt.Sprint(rng.IntN(5)), 4.5*float64(n) + noise*rng.NormFloat64()
	})
	filetest.True(t, got < 1.4*noise, "a line: the error is %g", got)
	got = lateError(t, rows, func(int) (string, float64) {
		item := rng.IntN(len(meters))
		meters[item] += noise * rng.Float64()
		return fmt.Sprint(item), meters[item]
	})
	filetest.True(t, got < noise/2, "meters: the error is %g", got)
}

// The level changes while labels are late. From the first one on that tells, the learner is about as good as its part. The report counts
// the intervals that people were told, whether or not the learner was saved.
func TestLateLevel(t *testing.T) {
	const rows, delay = 6000, 60
	l, rng, held := filetest.Must(New(numberTable, Options{Memory: 16 << 10}))(t), rand.New(rand.NewPCG(4, 9)), 0.
	for n := range rows {
		item := rng.IntN(20)
		y := float64(item) + rng.NormFloat64() + float64(1000*(n/(rows/2)))
		f := filetest.Must(l.StepLate(int64(n), schema.Record{fmt.Sprint(item), fmt.Sprint(y)}, delay))(t)
		if f.Low <= y && y <= f.High {
			held++
		}
		if n == rows/3 {
			l = reread(t, l)
		}
	}
	filetest.Must(l.LearnWaiting(0))(t)
	models := l.Report().Models
	filetest.Want(t, models[0].All.Sum.Covered, held, "rows that were in the intervals")
	main, part := models[0].Late.Means().RMSE, models[1].Late.Means().RMSE
	filetest.True(t, main < 1.2*part, "the error is %g, and %g without interactions", main, part)
}

// countTable is a stream of counts with items.
var countTable = tableOf(schema.Target{Kind: schema.Count})

// Before a label a count is forecast as 0 or a little more, with any memory.
func TestFirstCount(t *testing.T) {
	for memory, joins := range map[int]onepass.Interactions{1 << 10: onepass.FM, 2 << 10: onepass.Auto, 32 << 10: onepass.Auto,
		256 << 10: onepass.Auto} {
		l := filetest.Must(New(countTable, Options{Memory: memory, Interactions: joins}))(t)
		for n := range 30 {
			f := filetest.Must(l.StepLate(int64(n), schema.Record{"a", "3"}, 20))(t)
			if n < 20 && (f.Value != 0 || f.Low != 0 || f.High > 5) || n == 29 && f.Value != 3 {
				t.Errorf("%d bytes, row %d: %+v", memory, n+1, f)
			}
		}
	}
}

// The log-loss of counts scores the forecasts made before their labels, whether these come at once or late.
func TestLossOfCounts(t *testing.T) {
	const rows = 400
	for _, delay := range []int{0, 30} {
		l, loss := filetest.Must(New(countTable, Options{Memory: 4 << 10}))(t), 0.
		rng := rand.New(rand.NewPCG(2, 3))
		for n := range rows {
			item := rng.IntN(20)
			y := int(rng.ExpFloat64() * math.Exp(float64(item)/3))
			r := schema.Record{fmt.Sprint(item), fmt.Sprint(y)}
			filetest.Check(t, l.Distribution(r, func(d count.Distribution) { loss -= d.LogProbability(y) / rows }))
			filetest.Must(l.StepLate(int64(n), r, delay))(t)
			if n == rows/2 {
				l = reread(t, l)
			}
		}
		filetest.Must(l.LearnWaiting(0))(t)
		for _, m := range l.Report().Models[:1] {
			filetest.Near(t, m.All.Means().LogLoss, loss, 1e-6*loss, "delay %d: the log-loss, and of the forecasts", delay)
		}
	}
}

// More memory makes the forecasts of counts no worse.
func TestMemoryOfCounts(t *testing.T) {
	s, last := countTable, math.Inf(1)
	s.Columns = append([]schema.Column{{Name: "shop", Kind: schema.Category}}, s.Columns...)
	for _, memory := range []int{32 << 10, 64 << 10, 256 << 10} {
		l, rng := filetest.Must(New(s, Options{Memory: memory}))(t), rand.New(rand.NewPCG(6, 6))
		for range 5000 {
			item, y := rng.IntN(100), 0
			for range 7 {
				if rng.IntN(100) < item {
					y++
				}
			}
			step(t, l, schema.Record{fmt.Sprint(rng.IntN(20)), fmt.Sprint(item), fmt.Sprint(y)})
		}
		loss := l.Report().Models[0].All.Means().LogLoss
		filetest.True(t, loss < 1.005*last, "%d bytes: the log-loss is %g, and with less memory %g", memory, loss, last)
		last = loss
	}
}

// No forecast of fair dice has a log-loss below the logarithm of their faces by more than ln(10⁶)/n, except one in a million (Ville, 1939).
// A new item each time teaches nothing. A score that has seen a part of its label is far below.
func TestFairDice(t *testing.T) {
	const rows, faces = 3000, 50
	for _, delay := range []int{0, 30} {
		l, rng := filetest.Must(New(countTable, Options{Memory: 64 << 10}))(t), rand.New(rand.NewPCG(4, 4))
		for n := range rows {
			filetest.Must(l.StepLate(int64(n), schema.Record{fmt.Sprint(n), fmt.Sprint(rng.IntN(faces))}, delay))(t)
		}
		filetest.Must(l.LearnWaiting(0))(t)
		for _, m := range l.Report().Models {
			if got, fair := m.All.Means().LogLoss, math.Log(faces); !(got > fair-math.Log(1e6)/rows && got < 1.07*fair) {
				t.Errorf("delay %d, %s: the log-loss is %g, and no dice are forecast better than %g", delay, m.Name, got, fair)
			}
		}
	}
}
