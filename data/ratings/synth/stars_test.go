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
	if biases := biasesError(r); least < 0.48 || least > 0.54 || biases < 1.2*least {
		t.Errorf("mean absolute error of biases %.3f stars, of the noise %.3f; want 0.48 to 0.54, and a fifth more of biases", biases, least)
	} else {
		t.Logf("mean absolute error of biases %.3f stars, of the noise %.3f", biases, least)
	}
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
		if want := math.Cos(1)*start[k] + math.Sin(1)*user.to[k]; start[k] != user.from[k] || !(math.Abs(later[k]-want) <= 1e-3) {
			t.Errorf("factor %d: %g, ten years later %g, want %g and %g", k, start[k], later[k], user.from[k], want)
		}
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
	if alike := same / pairs / (own / float64(len(r.nature))); alike < 0.25 || alike > 0.75 {
		t.Errorf("films of one genre share %.2f of their variance, want a half", alike)
	}
}

func TestHalfStars(t *testing.T) {
	for _, c := range []struct {
		stars      float64
		step, want int
	}{{3.74, 1, 7}, {3.75, 1, 8}, {3.49, 2, 6}, {3.5, 2, 8}, {-2, 1, 1}, {-2, 2, 2}, {7, 1, 10}, {7, 2, 10}} {
		filetest.WantEqual(t, roundStars(c.stars, c.step), c.want, "%g stars in steps of %d half-stars", c.stars, c.step)
	}
}
