package ensemble

import (
	"math"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// far tells whether two numbers differ by more than rounding.
func far(got, want float64) bool { return !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) }

// The window has the moments of the last full block and of the block that is not full, and nothing older. The first blocks have 125, 250
// and 500 rows.
func TestWindow(t *testing.T) {
	const rows, young = 2700, 875
	rng, w, y := rand.New(rand.NewPCG(3, 4)), Window{Reach: leastReach}, make([]float64, rows)
	for i := range y {
		y[i] = rng.NormFloat64()
		if i < young {
			y[i] += 8
		}
		w.add(y[i], unit{0, 1})
	}
	seen, mean, square := y[young:], 0., 0.
	for _, v := range seen {
		mean += v / float64(len(seen))
	}
	for _, v := range seen {
		square += (v - mean) * (v - mean)
	}
	if all := w.Last.and(w.Now); all.Rows != rows-young || far(all.Mean, mean) || far(all.Squares, square) {
		t.Errorf("%+v, want mean %v and squares %v", all, mean, square)
	}
}

// One number beyond the reach counts as the reach, and each one after it as twice the reach before: an outlier with company is none.
func TestCompany(t *testing.T) {
	w, want := Window{Reach: leastReach}, 0.
	for i := range 100 {
		w.add(float64(i%2*2-1), unit{0, 1}) // mean 0, deviation 1
	}
	for k := range 4 {
		before := w.Last.and(w.Now)
		w.add(1e12, unit{0, 1})
		reach := math.Ldexp(leastReach, k) * math.Sqrt(before.Squares/before.Rows)
		want = before.Mean + reach/(before.Rows+1)
		got := w.Now.Mean
		filetest.True(t, !far(got, want), "%d wild numbers: the mean is %v, want %v", k+1, got, want)
	}
	for range 1500 {
		w.add(0, unit{0, 1})
	}
	filetest.Want(t, w.Reach, leastReach, "the reach after 1,500 rows without another one")
}

// The unit follows when the spread differs by a factor of two, or the level by three deviations, and not before. Equal numbers have no
// spread to follow.
func TestUnitFollows(t *testing.T) {
	first := unit{0, 1}
	watched := func(level, spread float64) *Scale {
		s := newScale(schema.Amount)
		s.unit = first
		for i := 0; i < scaleRows && spread > 0; i++ {
			s.Window.add(float64(i%2*2-1), s.unit)
		}
		for i := range 3 * blockRows {
			s.watch(level + spread*float64(i%2*2-1))
		}
		return s
	}
	for _, test := range []struct {
		level, spread float64
		follows       bool
	}{{0, 1.9, false}, {0, 2.1, true}, {0, 0.51, false}, {0, 0.49, true}, {2.9, 1, false}, {3.1, 1, true}, {-3.1, 1, true}, {9, 0, false}} {
		s := watched(test.level, test.spread)
		by := test.spread / s.Spread
		near := by <= loose && by >= 1./loose && math.Abs(test.level-s.Center) <= away*s.Spread
		if followed := s.Window.Changes == 1 && s.unit != first && near; followed != test.follows || !followed && s.unit != first {
			t.Errorf("level %g, spread %g: the unit is %+v after %d changes", test.level, test.spread, s.unit, s.Window.Changes)
		}
	}
}

// A row counts as its weight relative to the geometric mean of the weights so far, each of which moves the logarithm of the mean from at
// most 7 away. By hand: u = 2, then 3, then 3 + 7/3, then 16/3 − 7/4.
func TestUsualWeight(t *testing.T) {
	c := &Statistics{}
	for i, test := range []struct{ w, u, counts float64 }{
		{2, 2, 1}, {4, 3, math.E}, {9, 5, 20}, {-30, 5 - 7./4, 1e-3}, {5 - 7./4, 5 - 7./4, 1}, {-744, 13./4 - 7./6, 1e-3},
	} {
		w := math.Exp(test.w)
		filetest.Near(t, c.counts(w, int64(i)), test.counts, 1e-12, "weight %g counts as rows", w)
		filetest.Near(t, c.LogWeight, test.u, 1e-12, "u after weight %g", w)
	}
}
