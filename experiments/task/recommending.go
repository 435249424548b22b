package task

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"github.com/pkg/errors"

	"gophe/data"
	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/data/tables"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/learn"
	"gophe/phe/models/ncf"
	"gophe/phe/onepass"
)

// recommending is the task of Sec. 4.4: the rating that a user gives a film.
type recommending struct {
	stream  *ratings.Stream
	ratings filmRatings
	cold    []coldness // of each rating
}

// maxStars scales ratings to [0, 1], as the paper does.
const maxStars = 5

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
	return &recommending{stream, ratingData(ratings), coldnessOf(stream)}, p, errors.WithMessagef(err, "spec %s, protocol", spec.Name)
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
		d.Ratings[i] = float32(half) / (2 * maxStars)
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

// About describes the ratings. Genres that are items too are counted by [spec.Spec.Config]. Ratings do not stay on a device: a step takes
// the rows of the tables that it touches, and so costs the same whatever the size of the tables.
func (t *recommending) About() About {
	return About{NumItems: len(t.ratings.Users) + len(t.ratings.Films), Tokens: 2, SHA256: t.stream.Ratings.SHA256, Verified: t.stream.Ratings.Verified}
}

// Network returns the recommender of a configuration, with the ratings as it reads them.
func (t *recommending) Network(c spec.Config) (learn.Network, *learn.Batch, error) {
	m, err := ncf.New(c.RecommenderModel())
	if err != nil {
		return learn.Network{}, nil, err
	}
	all, err := m.Batch(ncf.Data{Users: t.ratings.Users, Items: t.ratings.Films, User: t.ratings.User, Item: t.ratings.Film,
		Ratings: t.ratings.Ratings, ItemLabels: t.ratings.FilmGenres})
	return m.Network, all, err
}

// Judge scores the recommender's predictions of ratings.
func (t *recommending) Judge(c spec.Config, rows []int32) protocol.Judge {
	forecast := c.RecommenderModel().Forecast
	if c.Stream.Columns > 0 {
		forecast = ratingForecast
	}
	return func(predictions []float32) protocol.Score {
		width := len(predictions) / len(rows)
		return t.score(rows, func(i int) ncf.Predictive { return forecast(predictions[i*width : (i+1)*width]) })
	}
}

// score scores a forecast of each of some ratings.
func (t *recommending) score(rows []int32, forecast func(i int) ncf.Predictive) protocol.Score {
	s := ratingScore{finite: true}
	for i, row := range rows {
		s.add(forecast(i), t.ratings.Ratings[row], t.cold[row])
	}
	return s.score()
}

// halfStar is the distance between ratings, scaled.
const halfStar = 1.0 / (2 * maxStars)

// ratingScore adds up the scores of a day's ratings.
type ratingScore struct {
	rows                                float64
	sampleError, error, squared, logLik float64
	transforms                          [][2]float64
	cold                                [coldWays][coldCells]result.Tally
	finite                              bool
}

// add scores a prediction of y.
func (s *ratingScore) add(p ncf.Predictive, rating float32, cold coldness) {
	y := math.Round(float64(rating)/halfStar) * halfStar // as written in the file
	e := math.Abs(p.Mean() - y)
	s.finite = s.finite && !math.IsNaN(e) && !math.IsInf(e, 0)
	s.rows++
	s.error += e
	s.squared += e * e
	apart := 0.0 // the authors' score also counts the spread of the posterior (PROTOCOL, disagreement 10)
	for _, mean := range p.Means {
		apart += math.Abs(mean - y)
	}
	s.sampleError += apart / float64(len(p.Means))
	s.logLik += max(p.LogDensity(y), minLogLikelihood)
	// The forecast is continuous and ratings are not: a rating covers all values that are rounded to it.
	from, to := 0.0, 1.0
	if y > 1.5*halfStar {
		from = p.CDF(y - halfStar/2)
	}
	if y < 1-halfStar/2 {
		to = p.CDF(y + halfStar/2)
	}
	s.transforms = append(s.transforms, [2]float64{from, to})
	for way := range coldWays {
		cell := &s.cold[way][cold.cell(way)]
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

// Baselines of the recommender learn in the order of time.
func (t *recommending) Baselines(s spec.Spec, p *protocol.Plan) ([]result.Method, error) {
	inTime, stream := *p, *p.Stream
	stream.Initial, inTime.Stream = slices.Sorted(slices.Values(p.Initial)), &stream
	var rivals []named
	for _, name := range averageNames {
		rivals = append(rivals, named{name, 0, newAverages(name, t, s.Recommender.StdDev)})
	}
	return runBaselines(s, &inTime, rivals)
}

// Columns of a rating, as one pass reads them. Genres, if the spec wants them, are one column of several values: each of the
// film's n genres is an item with a share of 1/n.
const (
	userColumn = iota
	filmColumn
	genreColumn
)

// RowLearner makes the learner of one pass, by the preset Stream of package onepass. It predicts the mean and the standard deviation of
// each rating, in units of the scaled ratings.
func (t *recommending) RowLearner(c spec.Config, _ spec.Method, from Beginning) (RowLearner, error) {
	stream := onepass.Stream(c.Stream)
	stream.Seed = from.Seed
	learner, err := onepass.New(stream)
	if err != nil {
		return nil, err
	}
	data, genres := t.ratings, c.Recommender.Genres
	encoder, err := onepass.NewEncoder(stream, spec.RatingColumns(genres))
	pass := &rowPass{learner, func(row int32) float64 { return float64(data.Ratings[row]) }, func(row int32) *onepass.Row {
		film := data.Film[row]
		encoder.Item(userColumn, data.Users[data.User[row]])
		encoder.Item(filmColumn, data.Films[film])
		if genres == ncf.Embedded {
			for of := data.FilmGenres[film]; of != 0; of &= of - 1 {
				encoder.Item(genreColumn, data.Genres[bits.TrailingZeros32(of)])
			}
		}
		return encoder.Row()
	}, func(values []float32, f onepass.Forecast) []float32 {
		return append(values, float32(f.Mean), float32(math.Sqrt(f.Variance)))
	}}
	return Judged{pass, func(rows []int32) protocol.Judge { return t.Judge(c, rows) }}, err
}

// ratingForecast returns the Gaussian that a row learner predicted.
func ratingForecast(prediction []float32) ncf.Predictive {
	return ncf.Predictive{Means: []float64{float64(prediction[0])}, StdDev: float64(prediction[1])}
}

// CountNumbers counts the numbers that one pass keeps. Other methods keep the numbers of their tables.
func (t *recommending) CountNumbers(row *result.Method, _ spec.Method, c spec.Config, _ *protocol.Plan) {
	if c.Stream.Columns > 0 {
		row.Parameters, row.TotalParameters = spec.StreamNumbers(onepass.Stream(c.Stream))
	}
}

// coldness says how new a rating's user and film are: four cells, each of three bits, in the order of coldNames.
type coldness uint16

// coldNames are the ways to count the ratings before one. "first" counts the ratings that came earlier in time, on the
// same day too: the user's first rating, second, …. "learned" counts ratings of earlier days only. A model can learn only
// from these, and most users give all their ratings on one day.
var coldNames = [coldWays]string{"user first", "film first", "user learned", "film learned"}

const coldWays = 4

// coldCells is the number of coldCell's cells: no rating before, 1, 2 to 4, 5 to 9, more.
const coldCells = 5

// coldCell of a number of ratings before.
func coldCell(before uint32) coldness {
	switch {
	case before < 2:
		return coldness(before)
	case before < 5:
		return 2
	case before < 10:
		return 3
	}
	return 4
}

// cell of a way, by its number in coldNames.
func (c coldness) cell(way int) int { return int(c >> (3 * way) & 7) }

// coldnessOf every rating that the stream shows.
func coldnessOf(s *ratings.Stream) []coldness {
	r := s.Ratings
	shown := make([]bool, r.NumRows())
	users, films := make([]uint32, len(r.UserIDs)), make([]uint32, len(r.MovieIDs)) // ratings shown so far
	for _, row := range s.Initial {
		users[r.Users[row]]++
		films[r.Movies[row]]++
	}
	learnedUsers, learnedFilms := append([]uint32{}, users...), append([]uint32{}, films...)
	cold := make([]coldness, r.NumRows())
	next := 0
	for _, step := range s.Steps {
		for _, row := range step {
			shown[row] = true
		}
		first := next
		for n := 0; n < len(step); next++ { // ratings lie in the order of time
			if !shown[next] {
				continue
			}
			n++
			u, f := r.Users[next], r.Movies[next]
			for way, before := range [coldWays]uint32{users[u], films[f], learnedUsers[u], learnedFilms[f]} {
				cold[next] |= coldCell(before) << (3 * way)
			}
			users[u]++
			films[f]++
		}
		for row := first; row < next; row++ {
			if shown[row] {
				learnedUsers[r.Users[row]], learnedFilms[r.Movies[row]] = users[r.Users[row]], films[r.Movies[row]]
			}
		}
	}
	return cold
}
