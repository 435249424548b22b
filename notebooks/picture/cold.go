package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"gophe/data/ratings"
	"gophe/figures"
	"gophe/figures/draw"
)

// cold holds the scores of new users by the number of their ratings that are known.
type cold struct {
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

// score conditions new users on their first ratings, and forecasts the ratings after the last known one. Users are new if keep accepts
// their ratings and FitTastes did not.
func (t *Tastes) score(r *ratings.Ratings, keep func(row int) bool, known []int) cold {
	byUser, most := make([][]int, len(r.UserIDs)), slices.Max(known)
	for row := range r.NumRows() {
		if keep(row) {
			byUser[r.Users[row]] = append(byUser[r.Users[row]], row)
		}
	}
	c := cold{Known: known}
	for _, n := range known {
		var s coldSums
		c.Users = 0
		for _, rows := range byUser {
			if len(rows) > most {
				c.Users++
				s.user(t, r, rows[:n], rows[most:])
			}
		}
		c.Error, c.Biases = append(c.Error, s.error/s.rows), append(c.Biases, s.biases/s.rows)
		c.Spread, c.Held = append(c.Spread, s.spread/s.rows), append(c.Held, 100*s.held/s.rows)
		c.Ratings = int(s.rows)
	}
	return c
}

// coldSums adds up the scores of ratings.
type coldSums struct{ error, biases, spread, held, rows float64 }

// user conditions a user on some ratings and scores others.
func (s *coldSums) user(t *Tastes, r *ratings.Ratings, known, scored []int) {
	user, sum := newUser(t.Features[0], t.Noise), 0.0
	deviation := func(row int) float64 { return float64(r.HalfStars[row])/2 - t.Mean[r.Movies[row]] }
	for _, row := range known {
		user.Update(t.Features[r.Movies[row]], deviation(row))
		sum += deviation(row)
	}
	bias := sum / (float64(len(known)) + shrinkage)
	believed := tasteOf(user)
	for _, row := range scored {
		mean, sd := believed.expected(film{Features: t.Features[r.Movies[row]]})
		miss := math.Abs(deviation(row) - mean)
		s.error += miss
		s.biases += math.Abs(deviation(row) - bias)
		s.spread += sd
		if miss < ninety*math.Hypot(sd, math.Sqrt(t.Noise)) {
			s.held++
		}
		s.rows++
	}
}

// ColdUsers draws the error of forecasts for new users by the number of their ratings that are known, and the spread of the belief. Users
// are new if keep accepts their ratings and FitTastes did not.
func ColdUsers(t *Tastes, r *ratings.Ratings, keep func(row int) bool, known ...int) *figures.Figure {
	return t.score(r, keep, known).figure()
}

func (c cold) figure() *figures.Figure {
	var x []float64
	var held []string
	for i, n := range c.Known {
		x, held = append(x, float64(n)), append(held, fmt.Sprintf("%.0f", c.Held[i]))
	}
	errors := draw.New("Known ratings of the user", "Error (stars)").Size(8.5*vg.Centimeter, 5.5*vg.Centimeter).
		Line("exact belief", x, c.Error, draw.Method("PHE")).Dots("exact belief", x, c.Error, draw.Method("PHE")).
		Line("means of film and user", x, c.Biases, draw.Faint(), draw.Dashed()).Dots("means of film and user", x, c.Biases, draw.Faint())
	spread := draw.New("Known ratings of the user", "Spread (stars)").Size(8.5*vg.Centimeter, 5.5*vg.Centimeter).
		Line("standard deviation of the belief", x, c.Spread, draw.Method("PHE")).Dots("standard deviation of the belief", x, c.Spread, draw.Method("PHE"))
	return draw.Row(fmt.Sprintf("%d new users, %s ratings that all points score. Intervals that promise 90 %% hold %s %%, from left to right.",
		c.Users, figures.Number(float64(c.Ratings)), strings.Join(held, ", ")), errors, spread)
}
