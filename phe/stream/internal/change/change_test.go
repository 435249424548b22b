package change

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
)

// forecast is a forecast that is right: the distribution of its outcomes, and the ratios of each.
type forecast struct {
	p      []float64
	ratios func(outcome int) Ratios
}

func ofClasses(odds ...float64) forecast {
	p := make([]float64, len(odds))
	onepass.SoftmaxInto(p, odds)
	return forecast{p, func(class int) Ratios { return OfClasses(p, class) }}
}

// streams are streams of forecasts that are right, by name.
func streams() map[string]func(*rand.Rand) forecast {
	two := func(odds func(*rand.Rand) float64) func(*rand.Rand) forecast {
		return func(rng *rand.Rand) forecast { return ofClasses(0, odds(rng)) }
	}
	several := func(classes int, spread float64) func(*rand.Rand) forecast {
		return func(rng *rand.Rand) forecast {
			odds := make([]float64, classes)
			for k := range odds {
				odds[k] = spread * rng.NormFloat64()
			}
			return ofClasses(odds...)
		}
	}
	all := map[string]func(*rand.Rand) forecast{
		"odds N(0, 1)": two(func(rng *rand.Rand) float64 { return rng.NormFloat64() }),
		"odds N(0, 9)": two(func(rng *rand.Rand) float64 { return 3 * rng.NormFloat64() }),
		"rare":         two(func(rng *rand.Rand) float64 { return rng.NormFloat64() - 5 }),
		"sure":         two(func(rng *rand.Rand) float64 { return math.Copysign(8, rng.NormFloat64()) }),
		"3 classes":    several(3, 1), "12 classes": several(12, 3),
	}
	for _, share := range []float64{0.05, 0.01, 0.1} { // of numbers below their interval
		places, rows := Places{share, 0.9, 0.1 - share}, int64(0)
		all[fmt.Sprintf("numbers, %g below", share)] = func(*rand.Rand) forecast {
			if rows == 0 {
				places = NewPlaces()
			}
			return forecast{[]float64{share, 0.9, 0.1 - share}, func(place int) Ratios {
				r := places.Ratios(place)
				places.Learn(place, rows)
				rows++
				return r
			}}
		}
	}
	return all
}

// draw draws an outcome.
func draw(rng *rand.Rand, p []float64) int {
	at, u := 0, rng.Float64()
	for ; at < len(p)-1 && u >= p[at]; at++ {
		u -= p[at]
	}
	return at
}

// Over what may come, each ratio has the mean 1 under the forecast: Σ p(y) q(y)/p(y) = 1. A test of other ratios would promise nothing.
func TestMeanOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 46))
	for name, next := range streams() {
		for range 30 {
			f, places := next(rng), Places{0.2, 0.7, 0.1}
			if name[0] == 'n' {
				f = forecast{places[:], places.Ratios}
			}
			means := Ratios{}
			for y, p := range f.p {
				for i, ratio := range f.ratios(y) {
					means[i] += p * ratio
				}
			}
			for i, mean := range means {
				filetest.Near(t, mean, 1, 1e-9, "%s: the mean of ratio %d of the forecast %.4g", name, i+1, f.p)
			}
		}
	}
	// e²/(1 + e²) of the class that came becomes e/(1 + e), ½, 1/(1 + e), …: by hand
	p, e := 1/(1+math.Exp(-2)), math.E
	r := OfClasses([]float64{1 - p, p}, 1)
	for i, q := range []float64{e / (1 + e), 0.5, 1 / (1 + e), 2 * e * e / (1 + 2*e*e), e * e / (2 + e*e), e * e * e / (1 + e*e*e)} {
		filetest.Near(t, r[i], q/p, 1e-12, "ratio %d", i+1)
	}
}

// The forecasts are p = ¾ of a class that never comes. The alternatives say √3, 1, 1/√3, 6, 3/2 and 3√3 times as often, so that each R is
// r + r² + … + rⁿ after n rows, with r = 4/(1 + odds). Alarms come in the first row in which the mean passes ten millions, and a test that
// went through JSON goes on alike. It waits after an alarm, and watches only forecasts that knew the label watched before.
func TestAlarmByHand(t *testing.T) {
	var want int64
	for sum := 0.; sum < 6*Threshold; want++ {
		sum = 0
		for _, odds := range []float64{math.Sqrt(3), 1, 1 / math.Sqrt(3), 6, 1.5, 3 * math.Sqrt(3)} {
			r := 4 / (1 + odds)
			sum += r * (math.Pow(r, float64(want+1)) - 1) / (r - 1)
		}
	}
	test, alarms := Test{Places: NewPlaces()}, []int64(nil)
	for rows := range int64(From + 5000) {
		b := filetest.Must(json.Marshal(test))(t)
		test = Test{}
		filetest.Check(t, json.Unmarshal(b, &test))
		filetest.True(t, test.Sound(), "%s is not sound", b)
		asked := rows
		if rows > From+2000 { // labels come 10 rows late: each tenth is watched
			asked -= 9
		}
		if test.Watches(asked, rows) && test.Add(OfClasses([]float64{0.25, 0.75}, 0), rows+1, 500) {
			alarms = append(alarms, rows+1)
		}
	}
	n, first := want, From+want
	for i, at := range []int64{first, first + 500 + n, first + 1000 + 2*n, first + 1500 + 3*n} {
		filetest.True(t, i >= len(alarms) || alarms[i] == at, "alarm %d comes in another row than %d: %v", i+1, at, alarms)
	}
	if last := len(alarms) - 1; last < 4 || alarms[last]-alarms[last-1] < 500+10*(n-1) || test.Alarms != last+1 ||
		test.Last != alarms[last] {
		t.Errorf("alarms in rows %d with labels that come late, %+v", alarms, test)
	}
}

// A million rows whose forecasts are right set off at most one alarm in each stream. The short form has a tenth of them.
func TestQuiet(t *testing.T) {
	rows := int64(100_000)
	if filetest.Long() {
		rows = 1_000_000
	}
	for name, next := range streams() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng, test := rand.New(rand.NewPCG(2, 46)), Test{}
			for row := range rows {
				if f := next(rng); test.Watches(row, row) {
					test.Add(f.ratios(draw(rng, f.p)), row+1, 0)
				}
			}
			filetest.True(t, test.Alarms <= 1, "%d alarms", test.Alarms)
		})
	}
}
