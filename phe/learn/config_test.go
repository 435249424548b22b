package learn_test

import (
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
)

// Each damage is refused by a message that says what would be right.
func TestConfigValidate(t *testing.T) {
	for right, damage := range map[string]func(*learn.Config){
		`scheme is "all"; choose "rows"`: func(c *learn.Config) { c.Scheme = "all" },
		`scheme is ""; choose`:           func(c *learn.Config) { c.Scheme = "" },
		`scope is "head"`:                func(c *learn.Config) { c.Scope = "head" },
		`use scheme "items"`:             func(c *learn.Config) { c.Scheme, c.Encoder.Assembly, c.Encoder.NumWeights = phe.Local, phe.Maximum, 0 },
		`scope is ""; choose "incremental-column", "all-columns" or "all-parameters"`: func(c *learn.Config) { c.Scope = "" },
		"likelihood_floor is -1; it must be 0 or":                                     func(c *learn.Config) { c.LikelihoodFloor = -1 },
		`likelihood_floor is 1e-08; it belongs to`:                                    func(c *learn.Config) { c.LikelihoodFloor = 1e-8 },
		"num_buckets (B) is 1; it must be at least 2":                                 func(c *learn.Config) { c.Encoder.NumBuckets = 1 },
		`loss is ""; choose "expected"`:                                               func(c *learn.Config) { c.Loss = "" },
		"train_samples is 0":                                                          func(c *learn.Config) { c.TrainSamples = 0 },
		"both must be at least 1":                                                     func(c *learn.Config) { c.TestSamples = 0 },
		"kl_weight is -1; it must be 0 or more":                                       func(c *learn.Config) { c.KLWeight = -1 },
		"learning_rate is 0; it must be above 0":                                      func(c *learn.Config) { c.LearningRate = 0 },
		"update_learning_rate is -1":                                                  func(c *learn.Config) { c.UpdateLearningRate = -1 },
		"update_kl_weight is -1; it must be 0 (the":                                   func(c *learn.Config) { c.UpdateKLWeight = -1 },
		"batch_size is 0; it must be at least 1":                                      func(c *learn.Config) { c.BatchSize = 0 },
	} {
		c := hashed(phe.Posterior)
		filetest.Check(t, c.Validate())
		damage(&c)
		filetest.WantError(t, c.Validate(), right)
	}
	for _, scheme := range []phe.Scheme{phe.Fresh, phe.Table, phe.Items, phe.Local, phe.Moments, phe.Quadrature} {
		for _, scope := range []phe.UpdateScope{phe.IncrementalColumn, phe.AllColumns, phe.AllParameters} {
			for _, loss := range []phe.Loss{phe.Expected, phe.LogAverage} {
				c := hashed(phe.Posterior)
				c.Scheme, c.Scope, c.Loss = scheme, scope, loss
				filetest.Check(t, c.Validate())
			}
		}
	}
}
