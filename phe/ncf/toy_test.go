package ncf_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gophe/phe"
	"gophe/phe/hash"
	"gophe/phe/ncf"
	"gophe/phe/online"
	"gophe/phe/phetest"
)

// All sizes of the toy are distinct: K = 2, d = 3, 4 samples in training and 6 at test, 5 genres, 7 hidden units,
// 11 users, P = 13, 19 films, B = 17, batches of 29, 97 ratings.
const (
	toyUsers, toyFilms, toyGenres = 11, 19, 5
	toyRatings                    = 97
)

// method is one cell of the paper's 2 × 2 table.
type method struct {
	name     string
	rows     phe.RowChoice
	estimate phe.Estimate
}

var methods = []method{
	{"PHE", phe.Hash, phe.Posterior}, {"Ada", phe.Hash, phe.Point},
	{"P-EE", phe.Vocabulary, phe.Posterior}, {"EE", phe.Vocabulary, phe.Point},
}

// config of a method on toy data, with beliefs wide enough to count.
func (m method) config() ncf.Config {
	c := ncf.Default()
	c.Encoder = phe.Config{Rows: m.rows, Estimate: m.estimate, EmbeddingDim: 3, InitialLogStdDev: -1.5}
	if m.rows == phe.Vocabulary {
		c.Encoder.Capacity = 37
	} else {
		c.Encoder.NumBuckets, c.Encoder.NumHashes, c.Encoder.NumWeights = 17, 2, 13
		c.Encoder.Assembly, c.Encoder.Hash = phe.WeightedSum, hash.CarterWegman
	}
	c.Hidden, c.TrainSamples, c.TestSamples, c.BatchSize, c.LearningRate = 7, 4, 6, 29, 0.05
	return c
}

// toyData has ratings that users' and films' tastes decide: high where both like the same, low where not, with noise. The
// first film has no genre, the second has all.
func toyData() ncf.Data {
	rng := rand.New(rand.NewPCG(41, 43))
	d := ncf.Data{FilmGenres: []uint32{0, 1<<toyGenres - 1}}
	for i := range toyUsers {
		d.Users = append(d.Users, fmt.Sprint(i+1))
	}
	for i := range toyFilms {
		d.Films = append(d.Films, fmt.Sprint(-i-1))
		if i > 1 {
			d.FilmGenres = append(d.FilmGenres, rng.Uint32N(1<<toyGenres))
		}
	}
	for g := range toyGenres {
		d.Genres = append(d.Genres, fmt.Sprint("genre_", g))
	}
	for i := range int32(toyRatings) {
		user, film := rng.Int32N(toyUsers), i%toyFilms
		mean := 0.1
		if user%2 == film%2 {
			mean = 0.9
		}
		d.User, d.Film = append(d.User, user), append(d.Film, film)
		d.Ratings = append(d.Ratings, float32(mean+0.1*(2*rng.Float64()-1)))
	}
	return d
}

// rowsOf lists the ratings from … to−1.
func rowsOf(from, to int32) (rows []int32) {
	for r := from; r < to; r++ {
		rows = append(rows, r)
	}
	return
}

func newModel(t testing.TB, c ncf.Config, d ncf.Data, runs, updateRows int) *online.Model {
	t.Helper()
	m, err := ncf.NewModel(phetest.Backend(t), c, d, runs, updateRows)
	check(t, err)
	t.Cleanup(m.Finalize)
	return m
}

// newDense is a model whose every step goes over all data and whole tables.
func newDense(t testing.TB, c ncf.Config, d ncf.Data, runs, updateRows int) *online.Model {
	t.Helper()
	m, err := ncf.NewDenseModel(phetest.Backend(t), c, d, runs, updateRows)
	check(t, err)
	t.Cleanup(m.Finalize)
	return m
}

// learnerOf a model, initialised.
func learnerOf(t testing.TB, m *online.Model, seeds ...int64) *online.Learner {
	t.Helper()
	l, err := m.NewLearner(seeds)
	check(t, err)
	check(t, l.Initialise())
	t.Cleanup(l.Finalize)
	return l
}

func predict(t testing.TB, l *online.Learner, rows []int32, step int) []float32 {
	t.Helper()
	p, err := l.Predict(rows, step)
	check(t, err)
	return p
}

func snapshot(t testing.TB, l *online.Learner) online.Snapshot {
	t.Helper()
	s, err := l.Snapshot()
	check(t, err)
	return s
}
