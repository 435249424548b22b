package spec

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	"gophe/data/ratings"
	"gophe/experiments/rivals/baseline"
	"gophe/phe"
	"gophe/phe/learn"
	"gophe/phe/models/dkf"
	"gophe/phe/models/ncf"
	"gophe/phe/models/tabular"
	"gophe/phe/onepass"
	"gophe/phe/remedy/fieldpath"
)

// Config is a method's model. The embedded part holds the settings of every model. The other parts are zero in a model of another kind.
type Config struct {
	learn.Config
	Filter      dkf.Filter
	Recommender Recommender
	// Stream is the whole shape of one pass over ratings. Of other methods it holds the memory and the bits of a belief.
	Stream onepass.Shape
}

// validateConfig returns the first thing wrong with a method's model and what would be right.
func (s Spec) validateConfig(c Config) error {
	switch {
	case s.Filter != nil:
		likelihood := fieldpath.OneOf("likelihood", c.Filter.Likelihood, dkf.Poisson, dkf.NegativeBinomial, packSizes)
		return within("filter", reflect.TypeFor[dkf.Filter](), cmp.Or(likelihood, c.FilterModel().Validate()))
	case s.Recommender != nil:
		return within("recommender", reflect.TypeFor[Recommender](), c.validateRecommender())
	}
	return fieldpath.In("model", tabular.Config{Config: c.Config}.Validate())
}

// within completes the path of an error: fields of the part's type belong to the part, and all others to the model.
func within(part string, t reflect.Type, err error) error {
	first, _, _ := strings.Cut(fieldpath.Path(err), ".")
	if slices.Contains(fieldsOf(t), first) {
		return fieldpath.In(part, err)
	}
	return fieldpath.In("model", err)
}

// packSizes is the likelihood of specs over cells of quantities: dkf.Histogram over baseline.Cells.
const packSizes dkf.Likelihood = "pack-sizes"

// FilterModel returns the configuration of the deep Kalman filter of sales.
func (c Config) FilterModel() dkf.Config {
	f := dkf.Config{Config: c.Config, Filter: c.Filter, Numbers: 1, Maxima: []float32{authorsMaxPrice}, Tick: time.Minute}
	if f.Filter.Likelihood == packSizes {
		f.Filter.Likelihood, f.Cells = dkf.Histogram, baseline.Cells()
	}
	return f
}

// Recommender is a recommender in a spec. Its labels are genres.
type Recommender struct {
	Hidden int            `json:"hidden"`  // tanh units
	StdDev float64        `json:"std_dev"` // σ of the likelihood, in units of the scaled ratings
	Genres ncf.LabelInput `json:"genres"`
}

// validateRecommender returns the first thing wrong with a recommender, by the names that specs have.
func (c Config) validateRecommender() error {
	err := c.RecommenderModel().Validate()
	if fieldpath.Path(err) == "label_input" {
		return fieldpath.Errorf("genres", "genres is %q; choose %q (the paper), %q or %q",
			c.Recommender.Genres, ncf.MultiHot, ncf.Embedded, ncf.NoLabels)
	}
	return err
}

// RecommenderModel returns the configuration of the recommender of films.
func (c Config) RecommenderModel() ncf.Config {
	own := c.Recommender
	r := ncf.Config{Config: c.Config, Recommender: ncf.Recommender{Hidden: own.Hidden, StdDev: own.StdDev, LabelInput: own.Genres}}
	if own.Genres != ncf.NoLabels {
		for _, genre := range ratings.Genres() {
			r.Labels = append(r.Labels, "genre_"+genre)
		}
	}
	return r
}

// Config returns the model of a method. numItems is the number of distinct items of the whole data set, future included. The
// vocabularies of EE and P-EE hold that number (PROTOCOL).
func (s Spec) Config(m Method, numItems int) Config {
	c := Config{Config: s.Model, Stream: onepass.Shape{BeliefBits: m.BeliefBits}}
	if s.Filter != nil {
		c.Filter = *s.Filter
	}
	if s.Recommender != nil {
		c.Recommender = *s.Recommender
	}
	m.overlay(&c)
	if c.Recommender.Genres == ncf.Embedded {
		numItems += len(ratings.Genres())
	}
	if m.Assembly != (phe.Assembly{}) && m.Assembly != phe.WeightedSum {
		c.Encoder.NumWeights = m.NumWeights
	}
	if m.Rows == phe.Vocabulary {
		c.Encoder = phe.Config{
			Rows: phe.Vocabulary, Estimate: m.Estimate, EmbeddingDim: c.Encoder.EmbeddingDim, Capacity: numItems,
			InitialLogStdDev: c.Encoder.InitialLogStdDev, InitialMeanStdDev: c.Encoder.InitialMeanStdDev,
		}
	}
	switch {
	case m.Rule.byMemory():
		c.Stream.Memory = m.Memory
	case s.Recommender != nil && m.Rule == OnePass:
		c.Stream = ratingShape(c, m.Interactions)
	}
	return c
}

// Shape holds the sizes of a table that a rule's configuration needs.
type Shape struct{ Columns, Numbers, Outputs, Items int }

// authorsMaxPrice is the number by which the authors' program divides prices. It is the largest price of the file, of a returned
// sale. Returned sales are not part of the data (PROTOCOL, disagreement 18).
const authorsMaxPrice = 38970
