package stream

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// numberTable is a stream of numbers with items.
var numberTable = tableOf(schema.Target{Kind: schema.Amount})

// learnNumbers learns numbers whose labels come late, and returns the forecasts.
func learnNumbers(t *testing.T, rows, delay int, y func(n, item int, rng *rand.Rand) float64) (l *Learner, forecasts []float64) {
	t.Helper()
	l = filetest.Must(New(numberTable, Options{Memory: 16 << 10}))(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range rows {
		item := rng.IntN(20)
		record := schema.Record{fmt.Sprint(item), strconv.FormatFloat(y(n, item, rng), 'g', -1, 64)}
		forecasts = append(forecasts, filetest.Must(l.StepLate(int64(n), record, delay))(t).Value)
	}
	if delay > 0 {
		filetest.Must(l.LearnWaiting(0))(t)
	}
	return l, forecasts
}

// One number beyond all measure is counted, and the forecasts return to the forecasts without it: a twentieth of a deviation after a
// thousand rows at most.
func TestWildNumber(t *testing.T) {
	const rows, last = 1500, 500
	places, sizes := []int{5, 60, 500}, []float64{1e30}
	if filetest.Long() {
		places, sizes = []int{0, 5, 19, 20, 60, 500}, []float64{1e30, -1e30, 1e15}
	}
	for _, zeros := range []bool{false, true} {
		for _, delay := range []int{0, 3} {
			if zeros != (delay > 0) && !filetest.Long() {
				continue
			}
			run := func(at int, wild float64) (*Learner, []float64) {
				return learnNumbers(t, rows, delay, func(n, item int, rng *rand.Rand) float64 {
					y := 50 + 10*float64(item) + 5*rng.NormFloat64()
					switch {
					case n == at:
						return wild
					case zeros && item > 0:
						return 0
					}
					return y
				})
			}
			plain, want := run(-1, 0)
			models := plain.Report().Models
			deviation, baseRate := models[len(models)-1].All.Means().RMSE, models[0].All.Means().RMSE // the first of the base rate
			for _, at := range places {
				for _, wild := range sizes {
					l, got := run(at, wild)
					square := 0.
					for n := rows - last; n < rows; n++ {
						square += (got[n] - want[n]) * (got[n] - want[n]) / last
					}
					r, off := l.Report(), math.Sqrt(square)/deviation
					rmse := r.Models[0].All.Means().RMSE
					text := fmt.Sprintf("zeros %t, delay %d, %g at %d: forecasts %.2g deviations off, RMSE %.3g beside %.3g, %d outliers",
						zeros, delay, wild, at, off, rmse, baseRate, r.Outliers)
					t.Log(text)
					late := delay == 0 || at >= 19 // a forecast that waits since before the scale was known is scored as it was
					if r.Outliers != 1 || !strings.Contains(r.String(), "1 target more than a million deviations off") || off > 0.05 ||
						late && rmse > 10*baseRate {
						t.Error(text)
					}
				}
			}
			filetest.Want(t, plain.Report().Outliers, 0, "wild rows of an ordinary stream")
		}
	}
}

// A stream that changes for good is followed, however far: zeros that turn to ones are not wild, and others only at first.
func TestWildNumberStays(t *testing.T) {
	for _, test := range []struct {
		before, after float64
		most          int64 // wild rows
	}{{0, 1, 0}, {0, 1e6, 0}, {1e-12, 1, 0}, {5, 1e8, 0}, {7, 1e12, 30}, {0, -1e30, 60}} {
		l, forecasts := learnNumbers(t, 500, 0, func(n, item int, rng *rand.Rand) float64 {
			if n < 100 {
				return test.before
			}
			return test.after
		})
		wild, end := l.Report().Outliers, forecasts[499]
		what := fmt.Sprintf("%g turns to %g: %d outliers, the last forecast is %g", test.before, test.after, wild, end)
		filetest.True(t, wild <= test.most && (wild == 0) == (test.most == 0), "%s", what)
		filetest.True(t, end/test.after > 0.5 && end/test.after < 100, "%s", what)
		filetest.Want(t, reread(t, l).Report().Outliers, wild, "wild rows after a file")
	}
}

// Numbers beyond all measure that come again and again, one row in a hundred, spoil no forecast of the others.
func TestWildNumbersAmongOthers(t *testing.T) {
	const rows, noise = 3000, 5.
	l, forecasts := learnNumbers(t, rows, 0, func(n, item int, rng *rand.Rand) float64 {
		if y := 10*float64(item) + noise*rng.NormFloat64(); rng.IntN(100) > 0 {
			return y
		}
		return 1e12
	})
	square, wild := 0., l.Report().Outliers
	for _, f := range forecasts[rows/2:] {
		square += (f - 95) * (f - 95) * 2 / rows
	}
	filetest.True(t, wild >= rows/150, "%d outliers", wild)
	most := 1.5 * math.Hypot(10*math.Sqrt(399./12), noise)
	filetest.True(t, math.Sqrt(square) <= most, "forecasts have a deviation of %.3g; items have one of %.3g", math.Sqrt(square), most)
}

// Wild numbers of a small weight spoil no forecast either.
func TestLightWildNumbers(t *testing.T) {
	s := schema.Schema{Target: numberTable.Target, Columns: append([]schema.Column{{Name: "w", Kind: schema.Weight}},
		numberTable.Columns...)}
	l, rng, square := filetest.Must(New(s, Options{Memory: 16 << 10}))(t), rand.New(rand.NewPCG(1, 2)), 0.
	const rows, noise, small = 4000, 0.1, 0.001
	for n := range rows {
		item := rng.IntN(20)
		weight, y := 1., float64(item)/5+noise*rng.NormFloat64()
		if rng.IntN(100) == 0 {
			weight, y = small, 1e3
		}
		f := step(t, l, schema.Record{fmt.Sprint(weight), fmt.Sprint(item), strconv.FormatFloat(y, 'g', -1, 64)})
		if n >= rows/2 && weight == 1 {
			square += (f.Value - y) * (f.Value - y) * 2 / rows
		}
	}
	rmse := math.Sqrt(square)
	filetest.True(t, rmse <= 1.5*noise, "the error of the other rows is %.3g, and their noise %g", rmse, noise)
}
