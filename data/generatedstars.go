package data

import (
	"math"
	"math/rand/v2"
	"time"
)

const numFactors = 8 // of taste

// factors is the taste of a user or the nature of a film.
type factors [numFactors]float64

// The standard deviations of what a rating is made of, in stars. Together with the rounding they give 1.04, as
// ml-latest-small; user means and film means there have 0.48 and 0.44.
const (
	starsMean    = 3.80 // of a film of middling popularity
	userStars    = 0.48
	filmStars    = 0.40
	factorStars  = 0.52 // of user times film
	fashionShare = 0.3  // of the taste common to all users at a time, against a user's own
	noiseStars   = 0.70
)

// halfStarsSince is the first second of the period with half-stars, 2003-02-18: before, MovieLens had whole stars.
var halfStarsSince = int32(time.Date(2003, 2, 18, 0, 0, 0, 0, time.UTC).Unix()) - int32(generatedFirst*secondsPerDay)

// reception is how films are rated.
type reception struct {
	bias, drift []float64 // stars, and stars per ten years since the entry
	nature      []factors
}

// newReception draws it. Popular films are liked better: in ml-latest-small the most popular hundredth has a mean of
// 3.89, films of fewer than 5 ratings one of 3.20. Half of the variance of a film's factors is its genres'.
func newReception(random *rand.Rand, films *catalogue) *reception {
	n := len(films.ids)
	r := &reception{make([]float64, n), make([]float64, n), make([]factors, n)}
	var ofGenre [20]factors
	for g := range ofGenre {
		ofGenre[g] = drawFactors(random)
	}
	scale := factorScale()
	for film, genres := range films.genres {
		r.bias[film] = 0.11*(5-math.Log(10+float64(films.ranks[film]))) + filmStars*random.NormFloat64()
		r.drift[film] = 0.1 * random.NormFloat64()
		own, sum, num := drawFactors(random), factors{}, 0.0
		for g := range ofGenre {
			if genres&(1<<g) != 0 {
				num++
				for k := range sum {
					sum[k] += ofGenre[g][k]
				}
			}
		}
		for k := range own {
			r.nature[film][k] = scale[k] * (math.Sqrt(0.5)*own[k] + math.Sqrt(0.5/num)*sum[k])
		}
	}
	return r
}

// factorScale is the standard deviation of each factor's contribution, falling by a fifth from one to the next; the sum
// of their squares is the square of factorStars.
func factorScale() (scale factors) {
	sum := 0.0
	for k := range scale {
		scale[k] = math.Pow(0.8, float64(k))
		sum += scale[k] * scale[k]
	}
	for k := range scale {
		scale[k] *= factorStars / math.Sqrt(sum)
	}
	return scale
}

func drawFactors(random *rand.Rand) (f factors) {
	for k := range f {
		f[k] = random.NormFloat64()
	}
	return f
}

// giveStars draws all ratings: mean + user + film + taste·nature + noise, rounded. A user's taste turns into another by
// 1 radian in ten years, and the taste common to all, the fashion, by 1 in six; a film's reception moves in a straight
// line for twenty years. One in eight users keeps to whole stars where there are half ones. It returns the mean absolute
// error of the mean without noise, rounded to the same grid, which is the median.
func (d *draft) giveStars(users *audience, films *catalogue, seed uint64) (leastError float64) {
	random := newGenerator(seed, drawStars)
	reception := newReception(random, films)
	fashion := newTaste(random, 6)
	sum := 0 // of half-stars: an integer, so that it is exact
	for user, arrival := range users.arrivals {
		bias, taste, whole := userStars*random.NormFloat64(), newTaste(random, 10), random.Uint32N(8) == 0
		for i := d.starts[user]; i < d.starts[user+1]; i++ {
			second, film := d.seconds[i], d.films[i]
			now := taste.at(second - arrival)
			fashionNow := fashion.at(second)
			years := float64(second/secondsPerDay-films.entries[film]) / daysPerYear
			stars := starsMean + bias + reception.bias[film] + reception.drift[film]*min(max(years, 0), 20)/10
			for k, q := range reception.nature[film] {
				stars += (now[k] + fashionShare*fashionNow[k]) * q
			}
			step := 1
			if whole || second < halfStarsSince {
				step = 2
			}
			given, median := roundStars(stars+noiseStars*random.NormFloat64(), step), roundStars(stars, step)
			sum += max(given-median, median-given)
			d.films[i] = film<<4 | int32(given)
		}
	}
	return float64(sum) / 2 / float64(len(d.films))
}

// roundStars rounds stars to a multiple of step half-stars, from step to 10.
func roundStars(stars float64, step int) int {
	steps := int(math.Floor(stars*2/float64(step) + 0.5))
	return min(max(steps, 1), 10/step) * step
}

// taste turns from one into another, so that its size stays the same. It remembers the day it was last asked for.
type taste struct {
	from, to factors
	period   float64 // seconds per radian
	day      int32
	now      factors
}

func newTaste(random *rand.Rand, years float64) *taste {
	return &taste{from: drawFactors(random), to: drawFactors(random), period: years * daysPerYear * secondsPerDay, day: -1}
}

// at returns the taste so many seconds after its beginning. It changes from day to day only.
func (t *taste) at(second int32) *factors {
	if day := second / secondsPerDay; day != t.day {
		sin, cos := math.Sincos(float64(day) * secondsPerDay / t.period)
		for k := range t.now {
			t.now[k] = cos*t.from[k] + sin*t.to[k]
		}
		t.day = day
	}
	return &t.now
}
