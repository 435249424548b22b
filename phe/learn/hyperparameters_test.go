package learn_test

import (
	"bytes"
	"slices"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// Runs with hyperparameters of their own equal learners alone whose configuration has them: bit for bit in pure Go, where nothing is fused.
// They share one compilation with each other and with forks.
func TestHyperparametersOfRuns(t *testing.T) {
	for _, converges := range []float64{0, 1} {
		c := config(phe.Posterior)
		c.TrainSamples, c.Convergence, c.UpdateKLWeight = 2, converges, 0.5
		h := c.Hyperparameters()
		each := []learn.Hyperparameters{h, h, h}
		each[0].LearningRate, each[0].UpdateEpochs = 0.003, 30
		each[1].InitialLogStdDev, each[1].UpdateEpochs = -1, 29
		each[2].UpdateLearningRate, each[2].UpdateEpochs = 0.02, 7
		each[1].KLWeight, each[2].UpdateKLWeight = 0.1, 2
		seeds := []int64{3, 3, 5}
		o := learn.Options{Seeds: seeds, Hyperparameters: each, MaxUpdated: 40, MaxEpochs: 30}
		learnt := func(l nettest.Led, epochs int) learn.Snapshot {
			filetest.Check(t, l.Fit(numbersTo(40), 3))
			l.Settle()
			for _, records := range []int{33, 40} {
				filetest.Check(t, l.Update(numbersTo(records), epochs))
			}
			return l.State(t)
		}
		together := newLearner(t, sum(), c, o)
		filetest.WantError(t, together.Update(numbersTo(40), 8), "the runs take at most 30")
		all := learnt(together, 30)
		compiled := together.CompileTime()
		fork := nettest.Led{Learner: filetest.Must(together.Fork([]int64{7, 8, 9}, h))(t), All: together.All}
		t.Cleanup(fork.Close)
		filetest.Check(t, fork.Meet(fork.All))
		learnt(fork, 4)
		filetest.Want(t, fork.CompileTime(), compiled, "time of compilation of a fork with other hyperparameters and epochs")
		for k, seed := range seeds {
			own := learn.Options{Seeds: []int64{seed}, MaxUpdated: 40}
			alone := learnt(newLearner(t, sum(), c.With(each[k]), own), each[k].UpdateEpochs)
			for i, want := range alone.Parameters {
				own := all.Parameters[i][k*len(want):][:len(want)]
				if nettest.Backend(t).Name() == "xla" { // which fuses the programs of one run and of three in different ways
					nettest.Same(t, "parameters", [][]float32{own}, [][]float32{want}, 1e-3)
				} else if !slices.Equal(own, want) {
					t.Errorf("convergence %g, run %d: parameter %d differs from a learner alone", converges, k, i)
				}
			}
		}
		file, again := written(t, together), newLearner(t, sum(), c, o)
		filetest.Must(again.ReadFrom(bytes.NewReader(file)))(t)
		filetest.Want(t, again.State(t), all, "the state from a file")
		other := newLearner(t, sum(), c, learn.Options{Seeds: seeds, MaxUpdated: 40})
		filetest.WantError(t, filetest.Failure(other.ReadFrom(bytes.NewReader(file))), "make the learner as")
	}
}

// Each hyperparameter matters to its run, in its phase: run k differs from run 0 from then on.
func TestEachHyperparameterMatters(t *testing.T) {
	c := config(phe.Posterior)
	c.KLWeight, c.UpdateKLWeight, c.UpdateLearningRate = 0.5, 0.25, 0.02
	each := slices.Repeat([]learn.Hyperparameters{c.Hyperparameters()}, 7)
	each[1].LearningRate, each[2].KLWeight, each[3].InitialLogStdDev = 0.05, 1, -1
	each[4].UpdateLearningRate, each[5].UpdateKLWeight, each[6].UpdateEpochs = 0.04, 0.5, 1
	l := newLearner(t, sum(), c, learn.Options{Seeds: make([]int64, 7), Hyperparameters: each, MaxUpdated: 40})
	same := func() (equal []bool) {
		all := l.State(t).Parameters[0]
		for run := range slices.Chunk(all, len(all)/7) {
			equal = append(equal, slices.Equal(run, all[:len(all)/7]))
		}
		return equal
	}
	filetest.Check(t, l.Fit(numbersTo(40), 2))
	filetest.Want(t, same(), []bool{true, false, false, false, true, true, true}, "equal to run 0 after the initial phase")
	filetest.Check(t, l.Update(numbersTo(10), 2))
	filetest.Want(t, same(), []bool{true, false, false, false, false, false, false}, "equal to run 0 after an update")
}

// A learner whose runs have equal hyperparameters writes the file of a learner with this configuration.
func TestForkWritesItsConfiguration(t *testing.T) {
	c := config(phe.Posterior)
	other := c
	other.LearningRate, other.UpdateKLWeight = 0.5, 3
	root := newLearner(t, sum(), other, learn.Options{})
	fork := filetest.Must(root.Fork([]int64{5, 6}, c.Hyperparameters()))(t)
	defer fork.Close()
	var file bytes.Buffer
	filetest.Must(fork.WriteTo(&file))(t)
	filetest.Must(newLearner(t, sum(), c, learn.Options{Seeds: []int64{5, 6}}).ReadFrom(&file))(t)
	h := c.Hyperparameters()
	bayes := newLearner(t, sum(), c.With(learn.Hyperparameters{LearningRate: 1, KLWeight: 1}), learn.Options{})
	h.UpdateKLWeight = 3
	filetest.WantError(t, filetest.Failure(bayes.Fork([]int64{5, 6}, h)), "make a new learner")
	h.KLWeight = -1
	filetest.WantError(t, filetest.Failure(root.Fork([]int64{5, 6}, c.Hyperparameters(), h)), "run 1: kl_weight is -1")
	filetest.WantError(t, filetest.Failure(root.Fork([]int64{5, 6}, h, h, h)), "hyperparameters of 3 runs, and the learner has 2")
}

// Each damage is refused by a message that says what would be right.
func TestConfigValidate(t *testing.T) {
	for right, damage := range map[string]func(*learn.Config){
		`scheme is "all"; choose "rows"`: func(c *learn.Config) { c.Scheme = "all" },
		`scheme is ""; choose`:           func(c *learn.Config) { c.Scheme = "" },
		`scope is "head"`:                func(c *learn.Config) { c.Scope = "head" },
		`use scheme "items"`: func(c *learn.Config) {
			c.Scheme, c.Encoder.Assembly, c.Encoder.NumWeights = phe.Local, phe.Maximum, 0
		},
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
		"initial_convergence is -1 standard errors; it must be 0 (":                   func(c *learn.Config) { c.InitialConvergence = -1 },
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
