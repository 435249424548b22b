package task

import (
	"math"
	"math/bits"

	"gophe/experiments/protocol"
	"gophe/experiments/spec"
	"gophe/phe/ncf"
	"gophe/phe/onepass"
)

// Columns of a rating, as one pass reads them. Genres, if the spec wants them, are one column of several values: each of the
// film's n genres is an item with a share of 1/n.
const (
	userColumn = iota
	filmColumn
	genreColumn
)

// ratingPass learns ratings by the preset Stream of package onepass.
type ratingPass struct {
	learner *onepass.Model
	encoder *onepass.Encoder
	data    filmRatings
	genres  ncf.LabelInput
}

// RowLearner makes the learner of one pass.
func (t *Recommending) RowLearner(c spec.Config, _ spec.Method, from Beginning) (RowLearner, error) {
	stream := onepass.Stream(c.Stream)
	stream.Seed = from.Seed
	learner, err := onepass.New(stream)
	if err != nil {
		return nil, err
	}
	encoder, err := onepass.NewEncoder(stream, spec.RatingColumns(c.Recommender.Genres))
	return Judged{&ratingPass{learner, encoder, t.Ratings, c.Recommender.Genres}, func(rows []int32) protocol.Judge { return t.Judge(c, rows) }}, err
}

// read returns a rating's row, until the next call.
func (l *ratingPass) read(row int32) *onepass.Row {
	film := l.data.Film[row]
	l.encoder.Item(userColumn, l.data.Users[l.data.User[row]])
	l.encoder.Item(filmColumn, l.data.Films[film])
	if l.genres == ncf.Embedded {
		for of := l.data.FilmGenres[film]; of != 0; of &= of - 1 {
			l.encoder.Item(genreColumn, l.data.Genres[bits.TrailingZeros32(of)])
		}
	}
	return l.encoder.Row()
}

// Predict appends the mean and the standard deviation of each rating's law, which is Gaussian, in units of the scaled ratings.
func (l *ratingPass) Predict(laws []float32, rows []int32) []float32 {
	for _, row := range rows {
		f := l.learner.Predict(l.read(row))
		laws = append(laws, float32(f.Mean), float32(math.Sqrt(f.Variance)))
	}
	return laws
}

// ratingLaw is the law that Predict gave a rating.
func ratingLaw(prediction []float32) ncf.Predictive {
	return ncf.Predictive{Means: []float64{float64(prediction[0])}, StdDev: float64(prediction[1])}
}

// Learn conditions the beliefs on ratings in their order.
func (l *ratingPass) Learn(rows []int32) error {
	for _, row := range rows {
		l.learner.Learn(l.read(row), float64(l.data.Ratings[row]))
	}
	return nil
}

// MarshalBinary returns the beliefs.
func (l *ratingPass) MarshalBinary() ([]byte, error) {
	return l.learner.MarshalBinary()
}

// UnmarshalBinary replaces the beliefs.
func (l *ratingPass) UnmarshalBinary(content []byte) error {
	return l.learner.UnmarshalBinary(content)
}
