package run

import (
	"context"
	"gophe/experiments/spec"
	"gophe/phe/disk/filetest"
	"math"
	"testing"
)

// A Go program can ask for numbers that no JSON can.
func TestValidateNotFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, change := range map[string]func(*spec.Spec){
		"initial_log_std_dev":                              func(s *spec.Spec) { s.Model.Encoder.InitialLogStdDev = nan },
		"initial_log_std_dev is -Inf":                      func(s *spec.Spec) { s.Model.Encoder.InitialLogStdDev = -inf },
		"initial_log_std_dev is 81; it must lie in -80…80": func(s *spec.Spec) { s.Model.Encoder.InitialLogStdDev = 81 },
		"initial_mean_std_dev":                             func(s *spec.Spec) { s.Model.Encoder.InitialMeanStdDev = inf },
		"kl_weight":                                        func(s *spec.Spec) { s.Model.KLWeight = inf },
		"kl_weight is NaN":                                 func(s *spec.Spec) { s.Model.KLWeight = nan },
		"learning_rate":                                    func(s *spec.Spec) { s.Model.LearningRate = inf },
		"update_learning_rate":                             func(s *spec.Spec) { s.Methods[0].UpdateLearningRate = inf },
		"update_learning_rate is NaN":                      func(s *spec.Spec) { s.Methods[0].UpdateLearningRate = nan },
		"likelihood_floor":                                 func(s *spec.Spec) { s.Model.LikelihoodFloor = nan },
		"initial_fraction":                                 func(s *spec.Spec) { s.Protocol.InitialFraction = nan },
	} {
		spec := tiny(t)
		change(&spec)
		filetest.WantError(t, spec.Validate(), name)
		_, err := Execute(context.Background(), spec, Options{Out: t.TempDir()})
		filetest.WantError(t, err, name)
	}
}
