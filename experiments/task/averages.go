package task

import (
	"gophe/experiments/spec/protocol"
	"gophe/phe/models/ncf"
)

// drawnBy is the number of ratings by which a user's or a film's mean is drawn to the mean of all.
const drawnBy = 10

// deviations sum up how far ratings were from a forecast.
type deviations struct{ sum, number float64 }

func (d *deviations) add(deviation float64) {
	d.sum += deviation
	d.number++
}

// drawn returns the mean deviation, drawn to 0.
func (d deviations) drawn() float64 { return d.sum / (d.number + drawnBy) }

// averages predicts ratings by running averages: a Gaussian of the model's σ about a mean. It learns a day's ratings together: first the
// mean of all, then each film's deviation from it, then each user's deviation from both.
type averages struct {
	task         *recommending
	stdDev       float64      // of the forecasts, in the units of the ratings
	all          deviations   // from 0
	films, users []deviations // none where they do not count
}

// film returns the mean of a rating without its user's share.
func (a *averages) film(row int32) float64 {
	mean := a.all.sum / max(a.all.number, 1)
	if len(a.films) > 0 {
		mean += a.films[a.task.ratings.Item[row]].drawn()
	}
	return mean
}

// Score scores the forecasts of ratings.
func (a *averages) Score(rows []int32) (protocol.Score, error) {
	return a.task.score(rows, func(i int) ncf.Predictive {
		mean := a.film(rows[i])
		if len(a.users) > 0 {
			mean += a.users[a.task.ratings.User[rows[i]]].drawn()
		}
		return ncf.Predictive{Means: []float64{mean}, StdDev: a.stdDev}
	}), nil
}

// Learn learns the ratings of a day.
func (a *averages) Learn(rows []int32) error {
	d := a.task.ratings
	for _, row := range rows {
		a.all.add(float64(d.Ratings[row]))
	}
	mean := a.all.sum / a.all.number
	for _, row := range rows {
		if len(a.films) > 0 {
			a.films[d.Item[row]].add(float64(d.Ratings[row]) - mean)
		}
	}
	for _, row := range rows {
		if len(a.users) > 0 {
			a.users[d.User[row]].add(float64(d.Ratings[row]) - a.film(row))
		}
	}
	return nil
}
