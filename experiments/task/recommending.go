package task

import (
	"math"
	"strconv"
	"time"

	"github.com/pkg/errors"

	"gophe/data"
	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/data/tables"
	"gophe/experiments/measure"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe/learn"
	"gophe/phe/ncf"
)

// Recommending is the task of Sec. 4.4: the rating that a user gives a film.
type Recommending struct {
	Stream  *ratings.Stream
	Ratings filmRatings
	Cold    []Coldness // of each rating
}

// mostStars scales ratings to [0, 1], as the paper does.
const mostStars = 5

func newRecommending(spec spec.Spec, o files.Options) (Task, *protocol.Plan, error) {
	ratings, err := data.OpenRatings(spec.Dataset, o)
	if err != nil {
		return nil, nil, err
	}
	stream, err := ratingStream(spec.Protocol, ratings)
	if err != nil {
		return nil, nil, errors.WithMessagef(err, "spec %s, protocol", spec.Name)
	}
	p := &protocol.Plan{Stream: &tables.Stream{Initial: stream.Initial, Steps: stream.Steps}, Scored: true}
	for _, day := range stream.Days {
		p.Days = append(p.Days, time.Unix(int64(day)*24*60*60, 0).UTC().Format(time.DateOnly))
	}
	p.Users = usersSeen(stream)
	p, err = p.Limit(spec.Protocol)
	return &Recommending{stream, ratingData(ratings), coldnessOf(stream)}, p, errors.WithMessagef(err, "spec %s, protocol", spec.Name)
}

// ratingStream cuts the ratings as the protocol says.
func ratingStream(p protocol.Spec, ratings *ratings.Ratings) (*ratings.Stream, error) {
	from, first, err := p.RatingDays()
	if err != nil {
		return nil, err
	}
	stream, err := ratings.Daily(from, first)
	if err == nil && p.MaxChunks > 0 && p.MaxChunks < len(stream.Steps) {
		stream.Steps, stream.Days = stream.Steps[:p.MaxChunks], stream.Days[:p.MaxChunks]
	}
	return stream, err
}

// usersSeen counts the distinct users of the initial phase and of the steps up to each.
func usersSeen(s *ratings.Stream) []int {
	seen := make([]bool, len(s.Ratings.UserIDs))
	n := 0
	see := func(rows []int32) {
		for _, row := range rows {
			if user := s.Ratings.Users[row]; !seen[user] {
				seen[user] = true
				n++
			}
		}
	}
	see(s.Initial)
	users := make([]int, len(s.Steps))
	for i, step := range s.Steps {
		see(step)
		users[i] = n
	}
	return users
}

// filmRatings are ratings in columns.
type filmRatings struct {
	Users, Films []string  // items, such as "17" and "-17": each distinct one once
	User, Film   []int32   // of each rating, into Users and Films
	Ratings      []float32 // scaled to [0, 1]
	Genres       []string  // items too; at most 32
	FilmGenres   []uint32  // of each film: bit g is set where it is of genre g
}

// ratingData is the ratings as the model reads them. Tokens are the authors': a user's number, and a film's negated
// (PROTOCOL: Tokens); a genre's is its name.
func ratingData(r *ratings.Ratings) filmRatings {
	d := filmRatings{User: r.Users, Film: r.Movies, Ratings: make([]float32, r.NumRows()), FilmGenres: r.Genres}
	for i, half := range r.HalfStars {
		d.Ratings[i] = float32(half) / (2 * mostStars)
	}
	for _, id := range r.UserIDs {
		d.Users = append(d.Users, strconv.Itoa(int(id)))
	}
	for _, id := range r.MovieIDs {
		d.Films = append(d.Films, strconv.Itoa(-int(id)))
	}
	for _, genre := range ratings.Genres() {
		d.Genres = append(d.Genres, "genre_"+genre)
	}
	return d
}

// NumItems counts users and films. Genres that are items too come on top, in [Spec.config].
func (t *Recommending) NumItems() int { return len(t.Ratings.Users) + len(t.Ratings.Films) }

// Tokens returns the number of items in a rating.
func (t *Recommending) Tokens() int { return 2 } // a user and a film

// File returns the checksum of the data's file, and whether it is the known one.
func (t *Recommending) File() (sha256 string, verified bool) {
	return t.Stream.Ratings.SHA256, t.Stream.Ratings.Verified
}

// Incremental returns 0, the column of users.
func (t *Recommending) Incremental() int { return 0 }

// StaysOnDevice is false: a step takes the rows of the tables that it touches, and so costs the same however large they are.
func (t *Recommending) StaysOnDevice() bool { return false }

// Network returns the recommender of a configuration, with the ratings as it reads them.
func (t *Recommending) Network(c spec.Config) (learn.Network, *learn.Batch, error) {
	m, err := ncf.New(c.RecommenderModel())
	if err != nil {
		return nil, nil, err
	}
	all, err := m.Batch(ncf.Data{Users: t.Ratings.Users, Items: t.Ratings.Films, User: t.Ratings.User, Item: t.Ratings.Film,
		Ratings: t.Ratings.Ratings, ItemLabels: t.Ratings.FilmGenres})
	return m, all, err
}

// Judge scores the recommender's predictions of ratings.
func (t *Recommending) Judge(c spec.Config, rows []int32) protocol.Judge {
	law := c.Recommender.Model().Forecast
	if c.Stream.Columns > 0 {
		law = ratingLaw
	}
	return func(predictions []float32) protocol.Score {
		s, width := newRatingScore(), len(predictions)/len(rows)
		for i, row := range rows {
			s.add(law(predictions[i*width:(i+1)*width]), t.Ratings.Ratings[row], t.Cold[row])
		}
		return s.score()
	}
}

// halfStar is the distance between ratings, scaled.
const halfStar = 1.0 / (2 * mostStars)

// ratingScore adds up the scores of a day's ratings.
type ratingScore struct {
	rows                                float64
	sampleError, error, squared, logLik float64
	transforms                          [][2]float64
	cold                                [coldWays][coldCells]result.Tally
	finite                              bool
}

func newRatingScore() *ratingScore { return &ratingScore{finite: true} }

// add scores a prediction of y.
func (s *ratingScore) add(p ncf.Predictive, rating float32, cold Coldness) {
	y := math.Round(float64(rating)/halfStar) * halfStar // as written in the file
	e := math.Abs(p.Mean() - y)
	s.finite = s.finite && !math.IsNaN(e) && !math.IsInf(e, 0)
	s.rows++
	s.error += e
	s.squared += e * e
	s.sampleError += p.SampleError(y)
	s.logLik += max(p.LogDensity(y), leastLogLikelihood)
	// The law is continuous, the ratings are not: a rating stands for all that is rounded to it.
	from, to := 0.0, 1.0
	if y > 1.5*halfStar {
		from = p.CDF(y - halfStar/2)
	}
	if y < 1-halfStar/2 {
		to = p.CDF(y + halfStar/2)
	}
	s.transforms = append(s.transforms, [2]float64{from, to})
	for way := range coldWays {
		cell := &s.cold[way][cold.Cell(way)]
		cell.Rows++
		cell.Error += e
	}
}

// score averages over the day's ratings.
func (s *ratingScore) score() protocol.Score {
	tallies := map[string][]result.Tally{}
	for way, name := range coldNames {
		tallies[name] = s.cold[way][:]
	}
	return protocol.Score{
		Metrics: map[string]float64{measure.SampleError: s.sampleError / s.rows, measure.RatingError: s.error / s.rows,
			measure.SquaredError: s.squared / s.rows, measure.LogLikelihood: s.logLik / s.rows},
		Transforms: s.transforms, Tallies: tallies, Finite: s.finite,
	}
}
