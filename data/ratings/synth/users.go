package synth

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"
	"time"

	"github.com/pkg/errors"
)

// audience holds the users of a generated stream, in the order of their arrival.
type audience struct {
	arrivals []int32 // second of the period of the first rating
	starts   []int   // beginning of each user's ratings in the draft, then their end
}

// arrivalsPerYear holds the number of users, in about 1,000, who gave their first rating in 1996, 1997, …, 2023. The numbers come from
// ml-latest-small's 610 users and the first 323 of MovieLens-32M, rounded and smoothed. Here 1995 has a single user.
var arrivalsPerYear = []float64{115, 32, 13, 42, 64, 40, 24, 28, 28, 45, 42, 38, 30, 33, 25, 27, 28, 18, 16, 65, 57, 55, 40, 45, 48, 25,
	25, 20}

// hourWeights holds the number of ml-latest-small's ratings in each hour (UTC), in hundreds.
var hourWeights = []int{45, 50, 51, 43, 33, 26, 22, 36, 31, 24, 24, 27, 30, 30, 38, 42, 52, 63, 57, 62, 65, 63, 54, 42}

// newAudience draws the users' arrivals and their numbers of ratings.
func newAudience(shape Shape, films *catalogue, seed uint64) (*audience, error) {
	random := newGenerator(seed, drawUsers)
	a := &audience{make([]int32, shape.Users), make([]int, shape.Users+1)}
	until := sumsOf(arrivalRates(random))
	for i := range a.arrivals {
		draw := random.Float64() * until[len(until)-1]
		day := sort.SearchFloat64s(until, draw)
		a.arrivals[i] = int32(day*secondsPerDay + secondOfDay(random))
	}
	a.arrivals[0] = int32(secondOfDay(random)) // on the first day, as in MovieLens-32M; the others arrive a year later
	slices.Sort(a.arrivals)
	weights, most := make([]uint64, shape.Users), make([]int, shape.Users)
	for i := range weights {
		// Log-normal above the least number, like ml-latest-small: median 71, mean 165, nine in ten below 404. The weights
		// are integers so that the rest is exact.
		weights[i] = uint64(math.Exp(1.42*random.NormFloat64()) * (1 << 20))
		if a.arrivals[i] < 3*365*secondsPerDay {
			weights[i] = weights[i] / 5 * 2 // users who arrived in 1996 and 1997 gave 65 ratings on average, others 180
		}
		most[i] = films.entered(int(a.arrivals[i])/secondsPerDay) / 2
	}
	counts, err := allot(shape.Ratings, weights, most)
	for i, n := range counts {
		a.starts[i+1] = a.starts[i] + n
	}
	return a, err
}

// arrivalRates returns the expected number of arrivals on each day of the period. They vary around the year's mean by a third. Fewer
// users come at weekends. At times many come at once, as after an article in the press.
func arrivalRates(random *rand.Rand) []float64 {
	rates := make([]float64, lastDay-firstDay+1)
	wave := 0.0
	for i := range rates {
		day := time.Unix(int64(firstDay+i)*secondsPerDay, 0).UTC()
		wave = 0.9*wave + 0.11*random.NormFloat64() // standard deviation 0.25, of which half fades in a week
		rate := math.Exp(wave + 0.2*random.NormFloat64())
		if random.Float64() < 0.005 {
			rate *= 5
		}
		if weekday := day.Weekday(); weekday == time.Saturday || weekday == time.Sunday {
			rate *= 0.85
		}
		if year := day.Year(); year > 1996 || year == 1996 && day.YearDay() >= 29 { // ratings begin at the end of January
			rates[i] = rate * arrivalsPerYear[year-1996]
		}
	}
	return rates
}

// sumsOf returns the cumulative sums of the values.
func sumsOf(values []float64) []float64 {
	sums, sum := make([]float64, len(values)), 0.0
	for i, v := range values {
		sum += v
		sums[i] = sum
	}
	return sums
}

func secondOfDay(random *rand.Rand) int {
	return drawIndex(random, hourWeights)*3600 + random.IntN(3600)
}

// allot divides the ratings among the users. Each gets minUserRatings, and the rest is divided in proportion to the weights. No user gets
// more than most.
func allot(ratings int, weights []uint64, most []int) ([]int, error) {
	counts := make([]int, len(weights))
	rest := ratings - minUserRatings*len(weights)
	total := uint64(0)
	for _, w := range weights {
		total += w
	}
	for full := true; full && total > 0; {
		full = false
		restNow, totalNow := uint64(rest), total
		for i, w := range weights {
			// The rounding below may add one to the share.
			if counts[i] == 0 && minUserRatings+int(scaled(w, restNow, totalNow))+1 >= most[i] {
				counts[i], full = most[i], true
				rest -= most[i] - minUserRatings
				total -= w
			}
		}
	}
	if rest < 0 || total == 0 && rest != 0 {
		return nil, errors.Errorf("generated ratings: %d are too many for %d users, who rate at most half of the films at their arrival; "+
			"ask for fewer ratings, more users or more films", ratings, len(weights))
	}
	sum, given := uint64(0), uint64(0)
	for i, w := range weights {
		if counts[i] == 0 {
			sum += w
			until := scaled(sum, uint64(rest), total)
			counts[i] = minUserRatings + int(until-given)
			given = until
		}
	}
	return counts, nil
}

// scaled returns ⌊part·whole/total⌋ for part ≤ total.
func scaled(part, whole, total uint64) uint64 {
	high, low := bits.Mul64(part, whole)
	if high >= total {
		return whole
	}
	quotient, _ := bits.Div64(high, low, total)
	return quotient
}
