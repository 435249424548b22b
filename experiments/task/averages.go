package task

import (
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
	"gophe/phe/models/ncf"
)

// averageNames are the baselines of ratings in the order of the table. Each predicts a Gaussian of the model's σ about a mean, and learns
// every day after it was scored.
var averageNames = []string{
	"Global mean",   // of all ratings so far
	"User mean",     // the user's, drawn to the global mean as if by ten ratings more
	"Film mean",     // the film's, shrunk in the same way
	baseline.Biases, // global mean, plus the film's deviation, plus the user's deviation from that
}

// drawnBy is the number of ratings by which a user's or a film's mean is drawn to the mean of all.
const drawnBy = 10

// averages predicts ratings by running averages. It learns a day's ratings together: first the mean of all, then each film's
// deviation from it, then each user's deviation from both.
type averages struct {
	task               *recommending
	rows, sum          float64
	filmRows, filmSum  []float64 // of ratings less the global mean of their time
	userRows, userSum  []float64 // of ratings less the film's and the global mean
	stdDev             float64   // of the forecasts, in the units of the ratings
	useFilms, useUsers bool
}

func newAverages(name string, t *recommending, stdDev float64) *averages {
	films, users := len(t.ratings.Items), len(t.ratings.Users)
	return &averages{task: t, stdDev: stdDev,
		filmRows: make([]float64, films), filmSum: make([]float64, films),
		userRows: make([]float64, users), userSum: make([]float64, users),
		useFilms: name == "Film mean" || name == baseline.Biases, useUsers: name == "User mean" || name == baseline.Biases,
	}
}

// film returns the mean of a rating without its user's share.
func (a *averages) film(row int32) float64 {
	mean := a.sum / max(a.rows, 1)
	if a.useFilms {
		i := a.task.ratings.Item[row]
		mean += a.filmSum[i] / (a.filmRows[i] + drawnBy)
	}
	return mean
}

// Score scores the forecasts of ratings.
func (a *averages) Score(rows []int32) (protocol.Score, error) {
	return a.task.score(rows, func(i int) ncf.Predictive {
		mean := a.film(rows[i])
		if a.useUsers {
			u := a.task.ratings.User[rows[i]]
			mean += a.userSum[u] / (a.userRows[u] + drawnBy)
		}
		return ncf.Predictive{Means: []float64{mean}, StdDev: a.stdDev}
	}), nil
}

// Learn learns the ratings of a day.
func (a *averages) Learn(rows []int32) error {
	d := a.task.ratings
	for _, row := range rows {
		a.rows++
		a.sum += float64(d.Ratings[row])
	}
	mean := a.sum / a.rows
	for _, row := range rows {
		i := d.Item[row]
		a.filmRows[i]++
		a.filmSum[i] += float64(d.Ratings[row]) - mean
	}
	for _, row := range rows {
		u := d.User[row]
		a.userRows[u]++
		a.userSum[u] += float64(d.Ratings[row]) - a.film(row)
	}
	return nil
}
