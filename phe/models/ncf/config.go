// Package ncf predicts users' ratings of items. It is the paper's recommender (Sec. 4.4): neural collaborative filtering over probabilistic
// hash embeddings of users and items. A rating y of an item m by a user u, with labels x such as tags, is Gaussian,
//
//	p(y | u, m, x) = N(f([E_{h_u}, E_{h_m}, E_{h_u} ⊙ E_{h_m}, x]), σ²),
//
// where f is a layer of tanh units and a linear one, plain numbers θ, and σ is fixed. Ratings are scaled to [0, 1].
//
// The order of calls: Paper returns a Config, to which you add the labels of your items. New returns a Model, and [learn.New] a
// learner of its Network. Model.Encode makes a batch of ratings for Fit, Predict and Update. Model.Forecast reads a prediction.
package ncf

import (
	"math"

	"gophe/phe"
	"gophe/phe/learn"
	"gophe/phe/remedy/fieldpath"
)

// Config describes the model and how it learns.
type Config struct {
	learn.Config
	Recommender

	Labels []string `json:"-"` // labels that items may have, such as tags; at most 32, and none with NoLabels
}

// Recommender holds the settings that only a model of ratings has.
type Recommender struct {
	Hidden     int        `json:"hidden"`      // tanh units
	StdDev     float64    `json:"std_dev"`     // σ of the likelihood, in units of the scaled ratings
	LabelInput LabelInput `json:"label_input"` // form in which the network reads labels
}

// LabelInput is the form in which the network reads an item's labels.
type LabelInput string

const (
	// MultiHot is the paper's x: a number for each label, which is 1 if the item has the label and else 0.
	MultiHot LabelInput = "multi-hot"
	// Embedded makes labels a categorical feature with several values. x is the mean embedding of the item's labels, which are
	// rows of the same tables as users and items. All rows of a batch share one draw of a label's embedding in each sample.
	Embedded LabelInput = "embedded"
	// NoLabels leaves x out.
	NoLabels LabelInput = "none"
)

// Paper returns the model of the authors' program on MovieLens, at the size of the paper's Table 4 (d = 20 and 460,414
// parameters). Their configuration file has d = 50 (PROTOCOL, disagreement 11).
func Paper() Config {
	encoder := phe.Paper()
	encoder.NumBuckets, encoder.NumWeights = 10009, 10009
	return Config{
		Config: learn.Config{
			Encoder: encoder, Scheme: phe.Local, TrainSamples: 10, TestSamples: 10, Loss: phe.Expected, KLWeight: 1,
			LearningRate: 0.005, BatchSize: 1024, Scope: phe.AllColumns,
		},
		Recommender: Recommender{Hidden: 50, StdDev: 0.3, LabelInput: MultiHot},
	}
}

// Validate returns the first thing wrong with the configuration and what would be right.
func (c Config) Validate() error {
	switch {
	case c.Hidden < 1:
		return fieldpath.Errorf("hidden", "hidden is %d; it must be at least 1 (the authors take 50)", c.Hidden)
	case !(c.StdDev > 0) || math.IsInf(c.StdDev, 0):
		return fieldpath.Errorf("std_dev", "std_dev is %g; it must be above 0, in units of ratings scaled to [0, 1] (the authors take 0.3)",
			c.StdDev)
	case c.LabelInput != MultiHot && c.LabelInput != Embedded && c.LabelInput != NoLabels:
		return fieldpath.Errorf("label_input", "label_input is %q; choose %q (the paper), %q or %q",
			c.LabelInput, MultiHot, Embedded, NoLabels)
	case c.Scheme.NeedsOneLogit():
		return fieldpath.Errorf("scheme", "scheme %q works on one logit of a linear head; a recommender needs embeddings: use scheme %q",
			c.Scheme, phe.Local)
	case c.Scheme == phe.Table:
		return fieldpath.Errorf("scheme", "scheme %q draws whole tables, and a recommender's steps take only the rows they touch; "+
			"use scheme %q", phe.Table, phe.Local)
	case c.Scope == phe.IncrementalColumn:
		return fieldpath.Errorf("scope", "scope is %q; users and items both keep appearing: use %q or %q",
			c.Scope, phe.AllColumns, phe.AllParameters)
	case c.LikelihoodFloor > 0:
		return fieldpath.Errorf("likelihood_floor", "likelihood_floor is %g; it belongs to classifiers, so leave it out", c.LikelihoodFloor)
	}
	return c.Config.Validate()
}
