package learn

import (
	"cmp"
	"math"

	"gophe/phe"
	"gophe/phe/remedy/fieldpath"
)

// Config holds the settings that all models share: the encoder, the scheme that takes the expectation over the posterior, and the
// training.
type Config struct {
	// Encoder is zero only in a spec whose data will size it. With HashDraws, the first call of Fit chooses among the draws by its records.
	Encoder phe.Config `json:"encoder,omitzero"`

	Scheme       phe.Scheme `json:"scheme"`
	TrainSamples int        `json:"train_samples"` // samples of the posterior in a training step; the authors take 10, and 1 for sequences
	TestSamples  int        `json:"test_samples"`  // samples of the posterior in a prediction; the authors take 100, and 1 for sequences
	Loss         phe.Loss   `json:"loss"`
	KLWeight     float64    `json:"kl_weight"`     // 1 is Bayes
	LearningRate float64    `json:"learning_rate"` // learning rate of Adam
	// LikelihoodFloor is added to the averaged likelihood before its logarithm. The authors' program adds 1e-8 if there
	// are several logits.
	LikelihoodFloor float64 `json:"likelihood_floor,omitempty"`
	BatchSize       int     `json:"batch_size"` // records in a step

	Scope              phe.UpdateScope `json:"scope,omitempty"`                // scope of online learning
	UpdateLearningRate float64         `json:"update_learning_rate,omitempty"` // learning rate of online learning; 0 means LearningRate

	// UpdateKLWeight is the weight of the KL term in online learning (Eq. 3); 0 means KLWeight. Below 1 the model forgets: an update
	// trusts the last posterior less than Bayes' rule does, as the paper proposes in Supp. C.
	UpdateKLWeight float64 `json:"update_kl_weight,omitempty"`

	// Convergence, where above 0, ends each update when the ELBO has stopped to rise (Sec. 4.2: "train the model until convergence"): when
	// the mean of ten epochs is not above the mean of the ten before by more than Convergence standard errors. Each run ends by itself. The
	// epochs of the update are then the most that it takes.
	Convergence float64 `json:"convergence,omitempty"`

	// InitialConvergence, where above 0, ends the initial phase of each run by the same rule. Calls of Fit then take the same records, and
	// change nothing once the phase has ended. Replay has no such end, and returns an error.
	InitialConvergence float64 `json:"initial_convergence,omitempty"`

	// Restarts, where above 1, is the number of initial phases from which the best for the initial rows is taken. A spec's run trains them
	// side by side. A learner of your own trains its seeds: give it more, compare them by ELBO, and take one by Snapshot.Of.
	Restarts int `json:"restarts,omitempty"`

	Incremental int `json:"-"` // the column that keeps learning under phe.IncrementalColumn, from 0
}

// maxRestarts bounds the memory of initial phases side by side.
const maxRestarts = 64

// Validate returns the first thing wrong with the configuration and what would be right.
func (c Config) Validate() error {
	err := cmp.Or(fieldpath.In("encoder", c.Encoder.Validate()),
		fieldpath.OneOf("scheme", c.Scheme, phe.Fresh, phe.Table, phe.Items, phe.Local, phe.Moments, phe.Quadrature),
		fieldpath.OneOf("loss", c.Loss, phe.Expected, phe.LogAverage),
		fieldpath.OneOf("scope", c.Scope, phe.IncrementalColumn, phe.AllColumns, phe.AllParameters))
	if err != nil {
		return err
	}
	switch {
	case c.TrainSamples < 1 || c.TestSamples < 1:
		at := fieldpath.First([]string{"train_samples", "test_samples"}, c.TrainSamples < 1, c.TestSamples < 1)
		return fieldpath.Errorf(at, "train_samples is %d and test_samples %d; both must be at least 1", c.TrainSamples, c.TestSamples)
	case !(c.KLWeight >= 0 && c.KLWeight <= math.MaxFloat64):
		return fieldpath.Errorf("kl_weight", "kl_weight is %g; it must be 0 or more and finite (1 is Bayes)", c.KLWeight)
	case !(c.LikelihoodFloor >= 0 && c.LikelihoodFloor < 1):
		return fieldpath.Errorf("likelihood_floor", "likelihood_floor is %g; it must be 0 or more and below 1 "+
			"(the authors' program has 1e-8 for several classes)", c.LikelihoodFloor)
	case c.LikelihoodFloor > 0 && c.Loss != phe.LogAverage:
		return fieldpath.Errorf("likelihood_floor", "likelihood_floor is %g; it belongs to loss %q, so leave it out",
			c.LikelihoodFloor, phe.LogAverage)
	case !(c.LearningRate > 0 && c.LearningRate <= math.MaxFloat64):
		return fieldpath.Errorf("learning_rate", "learning_rate is %g; it must be above 0 and finite (the paper takes 0.01)",
			c.LearningRate)
	case !(c.UpdateLearningRate >= 0 && c.UpdateLearningRate <= math.MaxFloat64):
		return fieldpath.Errorf("update_learning_rate",
			"update_learning_rate is %g; it must be 0 (the initial phase's) or more, and finite",
			c.UpdateLearningRate)
	case !(c.UpdateKLWeight >= 0 && c.UpdateKLWeight <= math.MaxFloat64):
		return fieldpath.Errorf("update_kl_weight", "update_kl_weight is %g; it must be 0 (the initial phase's) or more, and finite",
			c.UpdateKLWeight)
	case !(c.Convergence >= 0 && c.Convergence <= math.MaxFloat64):
		return fieldpath.Errorf("convergence", "convergence is %g standard errors; it must be 0 (take all epochs) or more, and finite",
			c.Convergence)
	case !(c.InitialConvergence >= 0 && c.InitialConvergence <= math.MaxFloat64):
		return fieldpath.Errorf("initial_convergence",
			"initial_convergence is %g standard errors; it must be 0 (take all epochs) or more, "+
				"and finite", c.InitialConvergence)
	case c.Restarts < 0 || c.Restarts > maxRestarts:
		return fieldpath.Errorf("restarts", "restarts is %d; it must lie in 0…%d (0 and 1 take the one initial phase)",
			c.Restarts, maxRestarts)
	case c.BatchSize < 1:
		return fieldpath.Errorf("batch_size", "batch_size is %d; it must be at least 1", c.BatchSize)
	case c.Scheme.NeedsLinearAssembly() && !c.Encoder.Assembly.IsLinear(),
		c.Scheme.NeedsOneLogit() && c.Encoder.NumWeights > 0 && c.Encoder.Assembly != phe.WeightedSum:
		return fieldpath.Errorf("scheme", "scheme %q needs an assembly linear in E, and its moments if it has weights; %q has not; "+
			"use scheme %q",
			c.Scheme, c.Encoder.Assembly, phe.Items)
	}
	return nil
}
