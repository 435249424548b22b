package experiments

import (
	"slices"

	"gophe/experiments/result"
	"gophe/phe/ncf"
)

// Names of the trivial rivals of a recommender. Each predicts a Gaussian of the model's σ about a mean, and learns from
// every day after it was scored.
const (
	GlobalMean = "Global mean" // of all ratings so far
	UserMean   = "User mean"   // the user's, drawn to the global mean as if by ten ratings more
	FilmMean   = "Film mean"   // likewise the film's
	Biases     = "Biases"      // global mean, plus the film's deviation, plus the user's from that
)

func ratingRivals() []string { return []string{GlobalMean, UserMean, FilmMean, Biases} }

// drawnBy is how many ratings at the mean each user and film is given beforehand.
const drawnBy = 10

// biases counts ratings.
type biases struct {
	name               string
	data               filmRatings
	rows, sum          float64
	filmRows, filmSum  []float64 // less the global mean when they came
	userRows, userSum  []float64 // less what film and global mean said
	stdDev             float64
	useFilms, useUsers bool
}

func newBiases(name string, d filmRatings, stdDev float64) *biases {
	return &biases{name: name, data: d, stdDev: stdDev,
		filmRows: make([]float64, len(d.Films)), filmSum: make([]float64, len(d.Films)),
		userRows: make([]float64, len(d.Users)), userSum: make([]float64, len(d.Users)),
		useFilms: name == FilmMean || name == Biases, useUsers: name == UserMean || name == Biases,
	}
}

// film is what the global mean and the film say.
func (b *biases) film(row int32) float64 {
	mean := b.sum / max(b.rows, 1)
	if b.useFilms {
		f := b.data.Film[row]
		mean += b.filmSum[f] / (b.filmRows[f] + drawnBy)
	}
	return mean
}

func (b *biases) predict(row int32) ncf.Predictive {
	mean := b.film(row)
	if b.useUsers {
		u := b.data.User[row]
		mean += b.userSum[u] / (b.userRows[u] + drawnBy)
	}
	return ncf.Predictive{Means: []float64{mean}, StdDev: b.stdDev}
}

func (b *biases) learn(rows []int32) {
	for _, row := range rows {
		b.rows++
		b.sum += float64(b.data.Ratings[row])
	}
	mean := b.sum / b.rows
	for _, row := range rows {
		f := b.data.Film[row]
		b.filmRows[f]++
		b.filmSum[f] += float64(b.data.Ratings[row]) - mean
	}
	for _, row := range rows {
		u := b.data.User[row]
		b.userRows[u]++
		b.userSum[u] += float64(b.data.Ratings[row]) - b.film(row)
	}
}

// rivals of the recommender learn in the order of time.
func (t *recommending) rivals(s Spec, p *plan) ([]result.Method, error) {
	var methods []result.Method
	for _, name := range ratingRivals() {
		b := newBiases(name, t.ratings, s.Recommender.StdDev)
		b.learn(slices.Sorted(slices.Values(p.Initial)))
		run := result.Run{Status: result.Complete, Rows: []int{}}
		for _, rows := range p.Steps {
			score := newRatingScore()
			for _, row := range rows {
				score.add(b.predict(row), t.ratings.Ratings[row], t.cold[row])
			}
			writeDown(&run, len(rows), score.score())
			b.learn(rows)
		}
		methods = append(methods, rival(s, name, 0, run))
	}
	return methods, nil
}
