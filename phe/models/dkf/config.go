// Package dkf forecasts the next count of a series of events. It is the paper's deep Kalman filter (Sec. 4.3, Supp. A and E.4). It reads
// windows of events of one kind, such as the sales of a product. Each event has categorical columns, numbers, a count to forecast, and a
// time.
//
//	z_1 ~ N(0, 1),  z_i ~ p(z_i | z_{i−1}, Δ_i),  y_i ~ p(y_i | z_i, E_{h_s}, x_i)          (generation)
//	q_φ(z_i | history) = N(μ, σ²) of a GRU over the embeddings, numbers, counts and gaps up to i   (inference)
//
// Embeddings are beliefs, and the networks' weights are plain numbers. With [Relative], x_i also holds facts about the events
// before event i. One window is one row of the data.
//
// The order of calls: Paper returns a Config, to which you add the sizes of your data. New returns a Model, and [learn.New] a
// learner of its Network. Model.Encode makes a batch of windows for Fit, Predict and Update. Model.Forecast reads a prediction.
package dkf

import (
	"cmp"
	"slices"
	"time"

	"gophe/phe"
	"gophe/phe/count"
	"gophe/phe/learn"
	"gophe/phe/remedy/fieldpath"
)

// Config describes the model and how it learns. Fields without JSON come with the data.
type Config struct {
	learn.Config
	Filter

	Columns []string  `json:"-"` // names of the categorical columns; an item is its column's name and its value
	Numbers int       `json:"-"` // number of numeric columns, at least 1
	Length  int       `json:"-"` // number of events of a window, at least 2
	Maxima  []float32 `json:"-"` // [numbers], divisors of the numbers with Raw; nil means all 1

	// GapUnit is the time that networks read as 1; 0 means a week. MaxGaps is the longest time between two events that they
	// read, in gap units; 0 means 3. Tick is the resolution of times; 0 means a second.
	GapUnit time.Duration `json:"-"`
	MaxGaps float64       `json:"-"`
	Tick    time.Duration `json:"-"`

	// Cells are the cells of Histogram; the zero value means count.Octaves.
	Cells count.Cells `json:"-"`
}

// completed returns the configuration with defaults filled in.
func (c Config) completed() Config {
	c.GapUnit, c.MaxGaps, c.Tick = cmp.Or(c.GapUnit, 7*24*time.Hour), cmp.Or(c.MaxGaps, 3), cmp.Or(c.Tick, time.Second)
	if c.Cells.Len() == 0 {
		c.Cells = count.Octaves()
	}
	if c.Maxima == nil {
		c.Maxima = slices.Repeat([]float32{1}, max(0, c.Numbers))
	}
	return c
}

// Filter holds the settings that only a deep Kalman filter has.
type Filter struct {
	Prediction Prediction `json:"prediction"`
	Likelihood Likelihood `json:"likelihood"`
	Objective  Objective  `json:"objective"`
	Inputs     Inputs     `json:"inputs"`
	Transition Transition `json:"transition"`

	Hidden int `json:"hidden"` // units of the GRU
	Latent int `json:"latent"` // dimensions of z
	// TransitionHidden and EmissionHidden are units of a tanh layer; 0 means a linear map, as in the authors' program. With a
	// layer, the transition's mean is z_{i−1} plus the network's output.
	TransitionHidden int `json:"transition_hidden,omitempty"`
	EmissionHidden   int `json:"emission_hidden,omitempty"`
	// HistorySamples is the number of draws of the past events' embeddings in a forecast. Each draw serves an equal share of the
	// TestSamples draws of z and of the last event's embeddings; 0 means TestSamples. Most of the work is in the past events.
	HistorySamples int `json:"history_samples,omitempty"`
	// ItemDropout is the share of embeddings that training replaces by 0, without scaling the others. The networks then rely less
	// on known embeddings. A new item has an embedding that other items have trained.
	ItemDropout float64 `json:"item_dropout,omitempty"`
}

// Prediction says which counts the forecast of a window's last count reads.
type Prediction string

const (
	// Reconstruction decodes a sample of q(z_L | y_1 … y_L), as the authors' program does. The scored count is itself an
	// input, so the score measures the reconstruction of a count.
	Reconstruction Prediction = "reconstruction"
	// Forecast is the prediction that the paper describes: z_{L−1} from the counts before, z_L from the transition. It does not read y_L.
	Forecast Prediction = "forecast"
)

// Transition says which inputs p(z_i | z_{i−1}) has.
type Transition string

const (
	WithGap    Transition = "with-gap"    // also the time Δ_i since the event before (the paper)
	WithoutGap Transition = "without-gap" // the authors' program: it makes a layer for the time and never calls it
)

// Likelihood is the distribution of a count, given its network's output.
type Likelihood string

const (
	Poisson          Likelihood = "poisson"           // the rate is e^output (the paper)
	NegativeBinomial Likelihood = "negative-binomial" // mean and dispersion are e^outputs
	Histogram        Likelihood = "histogram"         // a softmax over cells of counts, since counts need not be smooth: buyers take dozens
)

// Objective is the term that training maximises, less the KL of the tables.
type Objective string

const (
	// ELBO is the sequence's evidence bound (Eqs. 16 and 25): the counts' log-likelihood under z ~ q less KL(q(z_i) ‖ p(z_i | z_{i−1})),
	// summed over the window.
	ELBO Objective = "elbo"
	// MeanELBO is ELBO divided by the window's length, as in the authors' program. The tables' KL then weighs more by that factor.
	MeanELBO Objective = "mean-elbo"
	// Predictive is the score of a forecast: the mean log-likelihood of counts 2 … L, each under z_i from the transition and z_{i−1} ~ q.
	Predictive Objective = "predictive"
)

// Inputs is the form in which networks read numbers and counts.
type Inputs string

const (
	Raw        Inputs = "raw"        // numbers divided by the data's maximum, counts as they are (the authors' program)
	Logarithms Inputs = "logarithms" // log(x + 0.1) and log(1 + y)
	// Relative is Logarithms and two facts about earlier events in the window. The first is the event's numbers less their mean. The
	// second is the mean of their counts, weighted by the likeness of their numbers: with prices, the usual count at this price.
	Relative Inputs = "relative"
)

// Paper returns the model of the authors' program on Retail (PROTOCOL: Retail model; Supp. G.4).
func Paper() Config {
	encoder := phe.Paper()
	encoder.NumBuckets, encoder.NumWeights = 109, 109
	return Config{
		Config: learn.Config{
			Encoder: encoder, Scheme: phe.Local, TrainSamples: 1, TestSamples: 1, Loss: phe.Expected, KLWeight: 1,
			LearningRate: 0.005, BatchSize: 128, Scope: phe.IncrementalColumn,
		},
		Filter: Filter{
			Prediction: Reconstruction, Likelihood: Poisson, Objective: MeanELBO, Inputs: Raw, Transition: WithoutGap,
			Hidden: 20, Latent: 20,
		},
	}
}

// Validate returns the first thing wrong with the configuration and what would be right.
func (c Config) Validate() error {
	if err := c.Filter.validate(); err != nil {
		return err
	}
	switch {
	case c.Scheme.NeedsOneLogit():
		return fieldpath.Errorf("scheme", "scheme %q works on one logit of a linear head; a filter needs embeddings: use scheme %q",
			c.Scheme, phe.Local)
	case c.HistorySamples < 0 || c.HistorySamples > 0 && c.TestSamples%c.HistorySamples != 0:
		return fieldpath.Errorf("history_samples", "history_samples is %d; it must be 0 or divide test_samples, which is %d",
			c.HistorySamples, c.TestSamples)
	case c.LikelihoodFloor > 0:
		return fieldpath.Errorf("likelihood_floor", "likelihood_floor is %g; it belongs to classifiers, so leave it out", c.LikelihoodFloor)
	case c.Loss == phe.LogAverage && c.Objective != Predictive:
		return fieldpath.Errorf("loss",
			"loss %q averages the likelihood of each event, and with objective %q that is no bound; use loss %q, or objective %q",
			c.Loss, c.Objective, phe.Expected, Predictive)
	}
	return c.Config.Validate()
}

// validate returns the first thing wrong with the filter and what would be right.
func (f Filter) validate() error {
	switch {
	case f.Prediction != Reconstruction && f.Prediction != Forecast:
		return fieldpath.Errorf("prediction", "prediction is %q; choose %q (the authors' program) or %q (the paper)",
			f.Prediction, Reconstruction, Forecast)
	case f.Transition != WithGap && f.Transition != WithoutGap:
		return fieldpath.Errorf("transition", "transition is %q; choose %q (the paper) or %q (the authors' program)",
			f.Transition, WithGap, WithoutGap)
	case f.Hidden < 1 || f.Latent < 1:
		at := fieldpath.First([]string{"hidden", "latent"}, f.Hidden < 1, f.Latent < 1)
		return fieldpath.Errorf(at, "hidden is %d and latent %d; both must be at least 1 (the authors take 20)", f.Hidden, f.Latent)
	case f.TransitionHidden < 0 || f.EmissionHidden < 0:
		at := fieldpath.First([]string{"transition_hidden", "emission_hidden"}, f.TransitionHidden < 0, f.EmissionHidden < 0)
		return fieldpath.Errorf(at, "transition_hidden is %d and emission_hidden %d; both must be 0 (a linear map) or more",
			f.TransitionHidden, f.EmissionHidden)
	case !(f.ItemDropout >= 0 && f.ItemDropout < 1):
		return fieldpath.Errorf("item_dropout", "item_dropout is %g; it must be 0 or more and below 1", f.ItemDropout)
	case f.Prediction == Reconstruction && f.Objective == Predictive:
		return fieldpath.Errorf("objective", "objective %q never trains the decoding of a posterior that has seen its count; "+
			"use it with prediction %q", Predictive, Forecast)
	}
	return cmp.Or(fieldpath.OneOf("likelihood", f.Likelihood, Poisson, NegativeBinomial, Histogram),
		fieldpath.OneOf("objective", f.Objective, ELBO, MeanELBO, Predictive),
		fieldpath.OneOf("inputs", f.Inputs, Raw, Logarithms, Relative))
}
