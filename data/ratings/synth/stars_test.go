package synth

import (
	"math"
	"testing"

	"gophe/data/ratings"
	"gophe/phe/disk/filetest"
)

// TestFactorsBeatBiases fits mean, users and films to nine ratings of ten and predicts the tenth. The error is well above the error of the
// noise, so that a factor model has something to learn.
func TestFactorsBeatBiases(t *testing.T) {
	r, least, err := generate(MovieLens32M().Scaled(0.01), 1)
	filetest.Check(t, err)
	biases := biasesError(r)
	t.Logf("mean absolute error of biases %.3f stars, of the noise %.3f", biases, least)
	filetest.Near(t, least, 0.51, 0.03, "mean absolute error of the noise")
	filetest.True(t, biases >= 1.2*least, "the error of biases is %.3f stars, less than a fifth above that of the noise", biases)
}

// biasesError returns the mean absolute error in stars of mean + user + film, shrunk and fitted in turns.
func biasesError(r *ratings.Ratings) float64 {
	const mean, shrinkage = 3.5, 5
	users, films := make([]float64, len(r.UserIDs)), make([]float64, len(r.MovieIDs))
	rest := func(i int) float64 {
		return float64(r.HalfStars[i])/2 - mean - users[r.Users[i]] - films[r.Movies[i]]
	}
	fit := func(biases []float64, column []int32) {
		sums, counts := make([]float64, len(biases)), make([]float64, len(biases))
		for i, v := range column {
			if i%10 > 0 {
				sums[v] += rest(i) + biases[v]
				counts[v]++
			}
		}
		for v := range biases {
			biases[v] = sums[v] / (counts[v] + shrinkage)
		}
	}
	for range 5 {
		fit(films, r.Movies)
		fit(users, r.Users)
	}
	sum := 0.0
	for i := 0; i < r.NumRows(); i += 10 {
		sum += math.Abs(rest(i))
	}
	return sum / float64((r.NumRows()+9)/10)
}

// The tolerance allows half a day: ten years have 3,652.5 days, and the test asks for 3,652.
func TestTasteTurnsSlowly(t *testing.T) {
	user := newTaste(newGenerator(1, 1), 10)
	start := *user.at(0)
	later := *user.at(int32(10 * daysPerYear * secondsPerDay))
	for k := range start {
		filetest.Want(t, start[k], user.from[k], "factor %d", k)
		filetest.Near(t, later[k], math.Cos(1)*start[k]+math.Sin(1)*user.to[k], 1e-3, "factor %d, ten years later", k)
	}
}

// TestGenresCarryFactors checks that films with the same single genre share half of their variance, and other films none.
func TestGenresCarryFactors(t *testing.T) {
	films := newCatalogue(4000, 1)
	r := newReception(newGenerator(1, drawStars), films)
	var same, pairs, own float64
	for i, nature := range r.nature {
		for j, other := range r.nature[:i] {
			if films.genres[i] != films.genres[j] || films.genres[i]&(films.genres[i]-1) != 0 {
				continue
			}
			pairs++
			for k := range nature {
				same += nature[k] * other[k]
			}
		}
		for k := range nature {
			own += nature[k] * nature[k]
		}
	}
	filetest.Near(t, same/pairs/(own/float64(len(r.nature))), 0.5, 0.25, "the variance that films of one genre share")
}

func TestHalfStars(t *testing.T) {
	for _, c := range []struct {
		stars      float64
		step, want int
	}{{3.74, 1, 7}, {3.75, 1, 8}, {3.49, 2, 6}, {3.5, 2, 8}, {-2, 1, 1}, {-2, 2, 2}, {7, 1, 10}, {7, 2, 10}} {
		filetest.Want(t, roundStars(c.stars, c.step), c.want, "%g stars in steps of %d half-stars", c.stars, c.step)
	}
}
