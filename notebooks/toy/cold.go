package toy

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"gophe/data/ratings"
)

// Cold holds the scores of new users by the number of their ratings that are known.
type Cold struct {
	Known   []int
	Error   []float64 // mean absolute error in stars
	Biases  []float64 // error of a rule: the film's mean, plus the user's mean deviation, drawn to 0 as if by shrinkage ratings more
	Spread  []float64 // mean standard deviation of the belief about a film, without the noise
	Held    []float64 // share of ratings, in percent, within the interval that promised nine in ten
	Users   int
	Ratings int // scored for each number
}

// shrinkage is about the variance of a deviation within a user over the variance of users' means.
const shrinkage = 4

// ninety is half the width of an interval that holds nine in ten, in standard deviations.
const ninety = 1.645

// Score conditions new users on their first ratings, and forecasts the ratings after the last known one. Users are new if keep accepts
// their ratings and FitTastes did not.
func (t *Tastes) Score(r *ratings.Ratings, keep func(row int) bool, known ...int) (Cold, error) {
	byUser, most := make([][]int, len(r.UserIDs)), slices.Max(known)
	for row := range r.NumRows() {
		if keep(row) {
			byUser[r.Users[row]] = append(byUser[r.Users[row]], row)
		}
	}
	c := Cold{Known: known}
	for _, n := range known {
		var s coldSums
		c.Users = 0
		for _, rows := range byUser {
			if len(rows) > most {
				c.Users++
				if err := s.user(t, r, rows[:n], rows[most:]); err != nil {
					return c, err
				}
			}
		}
		c.Error, c.Biases = append(c.Error, s.error/s.rows), append(c.Biases, s.biases/s.rows)
		c.Spread, c.Held = append(c.Spread, s.spread/s.rows), append(c.Held, 100*s.held/s.rows)
		c.Ratings = int(s.rows)
	}
	return c, nil
}

// coldSums adds up the scores of ratings.
type coldSums struct{ error, biases, spread, held, rows float64 }

// user conditions a user on some ratings and scores others.
func (s *coldSums) user(t *Tastes, r *ratings.Ratings, known, scored []int) error {
	user, err := t.newUser()
	if err != nil {
		return err
	}
	sum := 0.0
	deviation := func(row int) float64 { return float64(r.HalfStars[row])/2 - t.Mean[r.Movies[row]] }
	for _, row := range known {
		user.Update(t.Features[r.Movies[row]], deviation(row))
		sum += deviation(row)
	}
	mean, covariance, err := user.Posterior()
	if err != nil {
		return err
	}
	bias := sum / (float64(len(known)) + shrinkage)
	for _, row := range scored {
		x := mat.NewVecDense(mean.Len(), t.Features[r.Movies[row]])
		miss, variance := math.Abs(deviation(row)-mat.Dot(x, mean)), mat.Inner(x, covariance, x)
		s.error += miss
		s.biases += math.Abs(deviation(row) - bias)
		s.spread += math.Sqrt(variance)
		if miss < ninety*math.Sqrt(variance+t.Noise) {
			s.held++
		}
		s.rows++
	}
	return nil
}
