package experiments

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/phe"
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

func ratingColumns(genres ncf.LabelInput) []string {
	columns := []string{"user", "film"}
	if genres == ncf.Embedded {
		columns = append(columns, "genres")
	}
	return columns
}

// ratingShape is what the preset Stream must know of ratings. One pass keeps at most as many numbers as the tables of PHE
// have, its head included.
func ratingShape(c config, interactions onepass.Interactions) onepass.Shape {
	s := onepass.Shape{Columns: len(ratingColumns(c.Recommender.Genres)), Head: onepass.Gaussian, Interactions: interactions, Memory: 1}
	tables, total := streamNumbers(onepass.Stream(s))
	s.Memory = max(1, float32Bytes*(c.Encoder.NumParameters()-(total-tables)))
	return s
}

// streamNumbers counts the numbers of 4 bytes that the preset Stream keeps: those of its tables, whose size the memory sets,
// and all. A slot of evidence has two: a mean, and check bits with a count.
func streamNumbers(c onepass.Config) (tables, total int) {
	tables = 2 * (c.Buckets + c.LatentRows*c.Latents + c.Evidence)
	total = tables + 2*c.Columns                      // scales
	total += 2*(c.Columns*onepass.EvidenceBins+1) + 2 // weights and bias of evidence, base rate and the rows behind it
	total += 2                                        // the block's bias, with its variance
	total += 5                                        // scale and noise of the target
	if c.Latents > 0 {
		total += c.Fields * (c.Fields - 1) // weights of the pairs
	}
	return tables, total
}

// validateRatingPass checks one pass over ratings.
func (m Method) validateRatingPass(s Spec) error {
	c := s.config(m, 1)
	switch {
	case m.Start != FromNothing:
		return errors.Errorf("start of %q is %q; one pass over ratings starts from nothing, so leave it out", m.Name, m.Start)
	case m.Rows != phe.Hash || m.Estimate != phe.Posterior:
		return errors.Errorf("rows of %q is %q and estimate %q; one pass over ratings hashes items and every number is a belief: write %q and %q",
			m.Name, m.Rows, m.Estimate, phe.Hash, phe.Posterior)
	case m.Assembly != "":
		return errors.Errorf("assembly of %q is %q; the preset of one pass has its own, so leave it out", m.Name, m.Assembly)
	case c.Recommender.Genres == ncf.MultiHot:
		return errors.Errorf("genres of %q is %q; one pass reads items: choose %q or %q", m.Name, ncf.MultiHot, ncf.Embedded, ncf.NoLabels)
	}
	if choices := onepass.AllInteractions(); m.Interactions != "" && !slices.Contains(choices, m.Interactions) {
		return errors.Errorf("interactions of %q is %q; choose one of %q", m.Name, m.Interactions, choices)
	}
	if c.Stream.Memory < leastStream {
		return errors.Errorf("num_buckets, num_weights and embedding_dim of %q give PHE %d numbers, too few for one pass; make one of them larger",
			m.Name, c.Encoder.NumParameters())
	}
	return onepass.Stream(c.Stream).Validate()
}

// leastStream is the least memory of one pass over ratings, in bytes: a few buckets of each table.
const leastStream = 1 << 10

// ratingPass learns ratings by the preset Stream of package onepass.
type ratingPass struct {
	learner *onepass.Learner
	encoder *onepass.Encoder
	data    filmRatings
	genres  ncf.LabelInput
}

// rowLearner makes the learner of one pass.
func (t *recommending) rowLearner(c config, _ Method, from beginning) (rowLearner, error) {
	stream := onepass.Stream(c.Stream)
	stream.Seed = from.seed
	learner, err := onepass.New(stream)
	if err != nil {
		return nil, err
	}
	encoder, err := onepass.NewEncoder(stream, ratingColumns(c.Recommender.Genres))
	return &ratingPass{learner, encoder, t.ratings, c.Recommender.Genres}, err
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

// countNumbers counts what one pass keeps. The numbers of other methods are those of their tables.
func (t *recommending) countNumbers(rows []result.Method, f *family, _ *plan) {
	for i := range rows {
		if f.config.Stream.Columns > 0 {
			rows[i].Parameters, rows[i].TotalParameters = streamNumbers(onepass.Stream(f.config.Stream))
		}
	}
}
