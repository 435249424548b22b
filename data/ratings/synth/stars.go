package synth

import (
	"math"
	"math/rand/v2"
	"time"
)

const numFactors = 8 // number of a taste's factors

// factors is the taste of a user or the nature of a film.
type factors [numFactors]float64

// The standard deviations of a rating's parts, in stars. Together with the rounding they give 1.04, the standard deviation of
// ml-latest-small. User means and film means there have 0.48 and 0.44.
const (
	starsMean    = 3.80 // mean for a film of medium popularity
	userStars    = 0.48
	filmStars    = 0.40
	factorStars  = 0.52 // user times film
	fashionShare = 0.3  // share of the common taste of all users at a time, relative to a user's own
	noiseStars   = 0.70
)

// halfStarsSince is the first second of the period with half-stars, 2003-02-18. MovieLens had whole stars before.
var halfStarsSince = int32(time.Date(2003, 2, 18, 0, 0, 0, 0, time.UTC).Unix()) - int32(firstDay*secondsPerDay)

// reception holds the users' common opinion of each film.
type reception struct {
	bias, drift []float64 // stars, and stars per ten years since the entry
	nature      []factors
}

// newReception draws a reception. Popular films get more stars: in ml-latest-small the most popular hundredth has a mean of
// 3.89 and films of fewer than 5 ratings 3.20. Half of the variance of a film's factors comes from its genres.
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

// factorScale returns the standard deviation of each factor's contribution. It falls by a fifth from factor to factor. The sum of the
// squares is the square of factorStars.
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

// giveStars draws all ratings: mean + user + film + taste·nature + noise, rounded. A user's taste turns by 1 radian in ten years. The
// fashion, a taste common to all users, turns by 1 radian in six. A film's reception moves in a straight line for twenty years. One in
// eight users gives only whole stars. giveStars returns the mean absolute error of the median, which is the mean without noise, rounded to
// the same grid.
func (d *draft) giveStars(users *audience, films *catalogue, seed uint64) (minError float64) {
	random := newGenerator(seed, drawStars)
	reception := newReception(random, films)
	fashion := newTaste(random, 6)
	sum := 0 // in half-stars: the sum of integers is exact
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

// taste turns from one vector towards another and keeps its size. It caches the taste of the last day.
type taste struct {
	from, to factors
	period   float64 // seconds per radian
	day      int32
	now      factors
}

func newTaste(random *rand.Rand, years float64) *taste {
	return &taste{from: drawFactors(random), to: drawFactors(random), period: years * daysPerYear * secondsPerDay, day: -1}
}

// at returns the taste at a time in seconds since its beginning. The taste changes once a day.
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
