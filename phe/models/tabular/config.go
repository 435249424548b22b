// Package tabular classifies the rows of a table. It is the paper's classifier (Sec. 4.2, Supp. G.3): one linear layer over the embeddings
// of the categorical columns and the numeric columns, then a sigmoid or a softmax,
//
//	p(y | s, x) = Cat(softmax(θᵀ [E_{h_s}, x])),
//
// with beliefs over the embeddings and plain numbers for θ.
//
// The order of calls: ForTable or Paper returns a Config, New a Model, and [learn.New] a learner of its Network. Model.Encode makes a
// batch of records for the learner's Fit, Predict and Update. Model.Forecast reads a prediction.
package tabular

import (
	"gophe/phe"
	"gophe/phe/learn"
	"gophe/phe/remedy/fieldpath"
)

// Config describes the model and how it learns. Columns, Numbers, Classes and Incremental come with the data.
type Config struct {
	learn.Config

	Columns []string `json:"-"` // names of the categorical columns; an item is its column's name and its value
	Numbers int      `json:"-"` // number of numeric columns
	Classes int      `json:"-"` // 2 classes share one logit; more have one each
}

// Paper returns PHE as the authors trained it on Adult (Supp. G.3 and their configuration files). Scheme Local has the same
// distribution as their program's sampling.
func Paper() Config {
	return Config{Config: learn.Config{
		Encoder: phe.Paper(),
		Scheme:  phe.Local, TrainSamples: 10, TestSamples: 100,
		Loss: phe.LogAverage, KLWeight: 1, LearningRate: 0.01, BatchSize: 128,
		Scope: phe.IncrementalColumn,
	}}
}

// ForTable returns a configuration for a table of your own whose rows come in the order of time. All columns learn online, the
// tables have room for some hundred items, embeddings begin small and uncertain, and the loss is Eq. 2 of the paper. Scale numbers
// to about 1. Fit chooses hash functions by the items that it learns. For thousands of items set Encoder to [phe.ForVocabulary] of their
// number. Paper suits rows in random order. On each of the paper's four tables, streamed in file order, it forecasts worse than ForTable,
// and on Mushroom far worse than no model.
func ForTable(columns []string, numbers, classes int) Config {
	c := Config{Columns: columns, Numbers: numbers, Classes: classes, Config: learn.Config{
		Encoder: phe.ForVocabulary(1009),
		Scheme:  phe.Moments, TrainSamples: 10, TestSamples: 100,
		Loss: phe.Expected, KLWeight: 1, LearningRate: 0.01, BatchSize: 128,
		Scope: phe.AllColumns,
	}}
	c.Encoder.Assembly, c.Encoder.NumWeights, c.Encoder.HashDraws = phe.PlainSum, 0, phe.UsualDraws
	if classes > 2 {
		c.Scheme, c.TrainSamples = phe.Local, 4
	}
	return c
}

// Validate returns the first thing wrong with the configuration and what would be right.
func (c Config) Validate() error {
	switch {
	case len(c.Columns) == 0 && c.Classes != 0: // without data there are neither
		return fieldpath.Errorf("columns", "columns is empty; a classifier needs at least one categorical column")
	case c.Scheme == phe.Quadrature && c.Loss == phe.LogAverage:
		return fieldpath.Errorf("scheme", "scheme %q with loss %q learns clearly worse than any sampling; use loss %q or scheme %q",
			phe.Quadrature, phe.LogAverage, phe.Expected, phe.Moments)
	case c.Scheme.NeedsOneLogit() && c.Classes > 2:
		return fieldpath.Errorf("scheme", "scheme %q has one logit and the data %d classes; use scheme %q", c.Scheme, c.Classes, phe.Local)
	}
	return c.Config.Validate()
}

// outputs returns the number of logits.
func (c Config) outputs() int {
	if c.Classes <= 2 {
		return 1
	}
	return c.Classes
}
