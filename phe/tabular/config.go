// Package tabular is the paper's classifier of tables (Sec. 4.2, Supp. E.3): one linear layer over the embeddings of the
// categorical columns and the numeric columns, then a sigmoid or a softmax,
//
//	p(y | s, x) = Cat(softmax(θᵀ [E_{h_s}, x])),
//
// with beliefs over the embeddings and plain numbers for θ.
package tabular

import (
	"github.com/pkg/errors"

	"gophe/phe"
)

// Config describes the model and how it learns. Columns, Numbers, Classes and Incremental come with the data.
type Config struct {
	Encoder phe.Config `json:"encoder"`

	Scheme       phe.Scheme `json:"scheme"`
	TrainSamples int        `json:"train_samples"` // of the posterior, a training step; the authors take 10
	TestSamples  int        `json:"test_samples"`  // a prediction; the authors take 100
	Loss         phe.Loss   `json:"loss"`
	KLWeight     float64    `json:"kl_weight"`     // 1 is Bayes
	LearningRate float64    `json:"learning_rate"` // of Adam
	// LikelihoodFloor is added to the averaged likelihood before its logarithm; the authors' program adds 1e-8 where there
	// are several logits.
	LikelihoodFloor float64 `json:"likelihood_floor,omitempty"`
	BatchSize       int     `json:"batch_size"` // rows a step

	Scope              phe.UpdateScope `json:"scope"`                          // of online learning
	UpdateLearningRate float64         `json:"update_learning_rate,omitempty"` // of online learning; 0 is LearningRate

	Columns     int `json:"-"` // categorical
	Numbers     int `json:"-"` // numeric columns
	Classes     int `json:"-"` // 2 has one logit, more have one each
	Incremental int `json:"-"` // the column that keeps learning under phe.IncrementalColumn
}

// Default is PHE as the authors trained it on Adult (Supp. E.3 and their configuration files), sampled by scheme Local,
// which has the very law of their program's.
func Default() Config {
	return Config{
		Encoder: phe.Default(),
		Scheme:  phe.Local, TrainSamples: 10, TestSamples: 100,
		Loss: phe.LogAverage, KLWeight: 1, LearningRate: 0.01, BatchSize: 128,
		Scope: phe.IncrementalColumn,
	}
}

// Validate returns the first thing wrong with the configuration and what would be right.
func (c Config) Validate() error {
	for _, part := range []interface{ Validate() error }{c.Encoder, c.Scheme, c.Loss, c.Scope} {
		if err := part.Validate(); err != nil {
			return err
		}
	}
	switch {
	case c.TrainSamples < 1 || c.TestSamples < 1:
		return errors.Errorf("train_samples is %d and test_samples %d; both must be at least 1", c.TrainSamples, c.TestSamples)
	case !(c.KLWeight >= 0):
		return errors.Errorf("kl_weight is %g; it must be 0 or more (1 is Bayes)", c.KLWeight)
	case !(c.LikelihoodFloor >= 0 && c.LikelihoodFloor < 1):
		return errors.Errorf("likelihood_floor is %g; it must be 0 or more and below 1 (the authors' program has 1e-8 for several classes)", c.LikelihoodFloor)
	case c.LikelihoodFloor > 0 && c.Loss != phe.LogAverage:
		return errors.Errorf("likelihood_floor is %g; it belongs to loss %q, so leave it out", c.LikelihoodFloor, phe.LogAverage)
	case !(c.LearningRate > 0):
		return errors.Errorf("learning_rate is %g; it must be above 0 (the paper takes 0.01)", c.LearningRate)
	case !(c.UpdateLearningRate >= 0):
		return errors.Errorf("update_learning_rate is %g; it must be 0 (the initial phase's) or more", c.UpdateLearningRate)
	case c.BatchSize < 1:
		return errors.Errorf("batch_size is %d; it must be at least 1", c.BatchSize)
	case c.Scheme == phe.Quadrature && c.Loss == phe.LogAverage:
		return errors.Errorf("scheme %q with loss %q learns clearly worse than any sampling; use loss %q or scheme %q",
			phe.Quadrature, phe.LogAverage, phe.Expected, phe.Moments)
	case c.Scheme.NeedsLinearAssembly() && !c.Encoder.Assembly.IsLinear():
		return errors.Errorf("scheme %q needs an assembly linear in E, and %q is not; use scheme %q",
			c.Scheme, c.Encoder.Assembly, phe.Items)
	case c.Scheme.NeedsOneLogit() && c.Classes > 2:
		return errors.Errorf("scheme %q has one logit and the data %d classes; use scheme %q", c.Scheme, c.Classes, phe.Local)
	}
	return nil
}

// onlineLearningRate is Adam's in online learning.
func (c Config) onlineLearningRate() float64 {
	if c.UpdateLearningRate > 0 {
		return c.UpdateLearningRate
	}
	return c.LearningRate
}

// outputs is the number of logits.
func (c Config) outputs() int {
	if c.Classes == 2 {
		return 1
	}
	return c.Classes
}
