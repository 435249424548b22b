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
	"gophe/data/labelled"
	"gophe/data/ratings"
	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/rivals/onehot"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/learn"
	"gophe/phe/models/ncf"
	"gophe/phe/onepass"
)

// recommending is the task of Sec. 4.4: the rating that a user gives a film.
type recommending struct {
	stream  *ratings.Stream
	ratings ncf.Data
	cold    []coldness // of each rating
}

// maxStars scales ratings to [0, 1], as the paper does.
const maxStars = 5

func newRecommending(spec spec.Spec, o files.Options) (Task, *protocol.Plan, error) {
	ratings, err := data.OpenRatings(spec.Dataset, o)
	if err != nil {
		return nil, nil, err
	}
	from, first, err := spec.Protocol.RatingDays()
	if err != nil {
		return nil, nil, errors.WithMessagef(err, "spec %s, protocol", spec.Name)
	}
	stream, err := ratings.Daily(from, first)
	if err != nil {
		return nil, nil, errors.WithMessagef(err, "spec %s, protocol", spec.Name)
	}
	s := &labelled.Stream{Initial: stream.Initial, Steps: stream.Steps}
	p, err := dayByDay(spec.Protocol, &protocol.Plan{Stream: s, Scored: true}, time.Unix(0, 0).UTC(), stream.Days)
	t := &recommending{stream: stream, ratings: ratingData(ratings)}
	stream.Steps = s.Steps
	t.cold, p.Users = noveltyOf(stream)
	return t, p, errors.WithMessagef(err, "spec %s, protocol", spec.Name)
}

// ratingData is the ratings as the model reads them. Tokens are the authors': a user's number, and a film's negated
// (PROTOCOL: Tokens); a genre's is its name.
func ratingData(r *ratings.Ratings) ncf.Data {
	d := ncf.Data{User: r.Users, Item: r.Movies, Ratings: make([]float32, r.NumRows()), ItemLabels: r.Genres}
	for i, half := range r.HalfStars {
		d.Ratings[i] = float32(half) / (2 * maxStars)
	}
	for _, id := range r.UserIDs {
		d.Users = append(d.Users, strconv.Itoa(int(id)))
	}
	for _, id := range r.MovieIDs {
		d.Items = append(d.Items, strconv.Itoa(-int(id)))
	}
	return d
}

// About describes the ratings. Genres that are items too are counted by [spec.Spec.Config]. Ratings do not stay on a device: a step takes
// the rows of the tables that it touches, and so costs the same whatever the size of the tables.
func (t *recommending) About() About {
	source := t.stream.Ratings
	return About{NumItems: len(t.ratings.Users) + len(t.ratings.Items), Tokens: 2, SHA256: source.SHA256, Verified: source.Verified}
}

// Network returns the recommender of a configuration, with the ratings as it reads them.
func (t *recommending) Network(c spec.Config) (learn.Network, *learn.Batch, error) {
	m, err := ncf.New(c.RecommenderModel())
	if err != nil {
		return learn.Network{}, nil, err
	}
	all, err := m.Batch(t.ratings)
	return m.Network, all, err
}

// Judge scores the recommender's predictions of ratings.
func (t *recommending) Judge(c spec.Config, rows []int32, predictions []float32) protocol.Score {
	forecast := c.RecommenderModel().Forecast
	if c.Stream.Columns > 0 {
		forecast = func(p []float32) ncf.Predictive { // of a row learner
			return ncf.Predictive{Means: []float64{float64(p[0])}, StdDev: float64(p[1])}
		}
	}
	width := len(predictions) / len(rows)
	return t.score(rows, func(i int) ncf.Predictive { return forecast(predictions[i*width : (i+1)*width]) })
}

// score scores a forecast of each of some ratings.
func (t *recommending) score(rows []int32, forecast func(i int) ncf.Predictive) protocol.Score {
	var s ratingScore
	for i, row := range rows {
		s.add(forecast(i), t.ratings.Ratings[row], t.cold[row])
	}
	return s.score()
}

// halfStar is the distance between ratings, scaled.
const halfStar = 1.0 / (2 * maxStars)

// ratingScore averages the scores of a day's ratings.
type ratingScore struct {
	means
	cold [coldWays][coldCells]result.Tally
}

// add scores a prediction of y.
func (s *ratingScore) add(p ncf.Predictive, rating float32, cold coldness) {
	y := math.Round(float64(rating)/halfStar) * halfStar // as written in the file
	e := math.Abs(p.Mean() - y)
	s.average(measure.RatingError, e)
	s.average(measure.SquaredError, e*e)
	apart := 0.0 // the authors' score also counts the spread of the posterior (PROTOCOL, disagreement 10)
	for _, mean := range p.Means {
		apart += math.Abs(mean - y)
	}
	s.average(measure.SampleError, apart/float64(len(p.Means)))
	s.average(measure.LogLikelihood, max(p.LogDensity(y), minLogLikelihood))
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

// score returns the day's score with the tallies of new users and films.
func (s *ratingScore) score() protocol.Score {
	score := s.means.score()
	score.Tallies = map[string][]result.Tally{}
	for way, name := range coldNames {
		score.Tallies[name] = s.cold[way][:]
	}
	return score
}

// Baselines of the recommender learn in the order of time.
func (t *recommending) Baselines(s spec.Spec, p *protocol.Plan) ([]result.Method, error) {
	inTime, stream := *p, *p.Stream
	stream.Initial, inTime.Stream = slices.Sorted(slices.Values(p.Initial)), &stream
	films, users := len(t.ratings.Items), len(t.ratings.Users)
	var rivals []named
	for _, r := range []struct {
		name         string
		films, users int // whose own means count
	}{{"Global mean", 0, 0}, {"User mean", 0, users}, {"Film mean", films, 0}, {baseline.Biases, films, users}} {
		own := &averages{task: t, stdDev: s.Recommender.StdDev, films: make([]deviations, r.films), users: make([]deviations, r.users)}
		rivals = append(rivals, named{r.name, 0, own})
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
	data, genres := t.ratings, c.RecommenderModel().Labels
	learner, read, err := streamed(c.Stream, spec.RatingColumns(c.Recommender.Genres), from.Seed, func(e *onepass.Encoder, row int32) {
		film := data.Item[row]
		e.Item(userColumn, data.Users[data.User[row]])
		e.Item(filmColumn, data.Items[film])
		if c.Recommender.Genres == ncf.Embedded {
			for of := data.ItemLabels[film]; of != 0; of &= of - 1 {
				e.Item(genreColumn, genres[bits.TrailingZeros32(of)])
			}
		}
	})
	rating := func(row int32) float64 { return float64(data.Ratings[row]) }
	moments := func(values []float32, f onepass.Forecast) []float32 {
		return append(values, float32(f.Mean), float32(math.Sqrt(f.Variance)))
	}
	pass := &onehot.Pass{Model: learner, Target: rating, Read: read, Append: moments}
	return Judged{pass, t, c}, err
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
	cell, _ := slices.BinarySearch([]uint32{1, 2, 5, 10}, before+1) // where each next cell begins
	return coldness(cell)
}

// cell of a way, by its number in coldNames.
func (c coldness) cell(way int) int { return int(c >> (3 * way) & 7) }

// noveltyOf returns the coldness of every rating that the stream shows, and the number of users seen by the end of each step.
func noveltyOf(s *ratings.Stream) (cold []coldness, seen []int) {
	r := s.Ratings
	users, films := make([]uint32, len(r.UserIDs)), make([]uint32, len(r.MovieIDs)) // ratings shown so far
	n := 0
	show := func(row int32) {
		if users[r.Users[row]] == 0 {
			n++
		}
		users[r.Users[row]]++
		films[r.Movies[row]]++
	}
	for _, row := range s.Initial {
		show(row)
	}
	cold = make([]coldness, r.NumRows())
	note := func(row int32, way int) { // of the user, and the next way of the film
		cold[row] |= (coldCell(users[r.Users[row]]) | coldCell(films[r.Movies[row]])<<3) << (3 * way)
	}
	for _, step := range s.Steps {
		for _, row := range step { // all earlier days are learned
			note(row, 2)
		}
		for _, row := range slices.Sorted(slices.Values(step)) { // ratings lie in the order of time
			note(row, 0)
			show(row)
		}
		seen = append(seen, n)
	}
	return cold, seen
}

// Export returns all ratings with their users, films and genres.
func (t *recommending) Export() Exported {
	d := t.ratings
	n, users := len(d.Ratings), int32(len(d.Users))
	index, genres := make([]int32, 0, 2*n), make([]uint32, 0, n)
	for i, film := range d.Item {
		index = append(index, d.User[i], users+film)
		genres = append(genres, d.ItemLabels[film])
	}
	return Exported{slices.Concat(d.Users, d.Items), map[string]Array{
		"index":   {index, []int{n, 2}},
		"genres":  {genres, []int{n}},
		"ratings": {d.Ratings, []int{n}},
	}, map[string]any{"users": len(d.Users), "films": len(d.Items), "genres": len(ratings.Genres())}}
}
