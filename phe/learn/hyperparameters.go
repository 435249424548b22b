package learn

import (
	"cmp"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe/belief"
)

// Hyperparameters are the settings that the compiled programs take as inputs. Runs side by side may differ in them, and so may forks of
// one learner. The other settings are the shape of the programs, see [Config.Shape].
type Hyperparameters struct {
	LearningRate, KLWeight, InitialLogStdDev float64
	UpdateLearningRate, UpdateKLWeight       float64 // 0 means the initial phase's
	// UpdateEpochs is the run's number of passes in an update, and 0 means all. Update is then given the most that any run takes.
	UpdateEpochs int
}

// Hyperparameters returns the hyperparameters of the configuration.
func (c Config) Hyperparameters() Hyperparameters {
	return Hyperparameters{LearningRate: c.LearningRate, KLWeight: c.KLWeight, InitialLogStdDev: c.Encoder.InitialLogStdDev,
		UpdateLearningRate: c.UpdateLearningRate, UpdateKLWeight: c.UpdateKLWeight}
}

// With returns the configuration with other hyperparameters.
func (c Config) With(h Hyperparameters) Config {
	c.LearningRate, c.KLWeight, c.Encoder.InitialLogStdDev = h.LearningRate, h.KLWeight, h.InitialLogStdDev
	c.UpdateLearningRate, c.UpdateKLWeight = h.UpdateLearningRate, h.UpdateKLWeight
	return c
}

// Shape returns the configuration without its hyperparameters. Learners of one network and of one shape can share their programs: [New]
// makes the first, and Fork the others. A weight of the KL term of 1, which is Bayes' rule, belongs to the shape: as an input it would make
// XLA round the gradient in another place.
func (c Config) Shape() Config {
	var shape Hyperparameters
	if h := c.Hyperparameters(); h.klWeight(false) == 1 {
		shape.KLWeight = 1
	}
	if c.Hyperparameters().klWeight(true) == 1 {
		shape.UpdateKLWeight = 1
	}
	return c.With(shape)
}

// klWeight returns the weight of the KL term in online learning or in the initial phase.
func (h Hyperparameters) klWeight(online bool) float64 {
	if online {
		return cmp.Or(h.UpdateKLWeight, h.KLWeight)
	}
	return h.KLWeight
}

// bayes tells whether the weight of the KL term is the constant 1 in the programs.
func (m *programs) bayes(online bool) bool {
	return !slices.ContainsFunc(m.first, func(h Hyperparameters) bool { return h.klWeight(online) != 1 })
}

// ofRuns returns the hyperparameters of each run. given holds none, which means the configuration's, or one for all runs, or one for each.
func (c Config) ofRuns(given []Hyperparameters, runs int) ([]Hyperparameters, error) {
	if len(given) == 0 {
		given = []Hyperparameters{c.Hyperparameters()}
	}
	if len(given) == 1 {
		given = slices.Repeat(given, runs)
	}
	if len(given) != runs {
		return nil, errors.Errorf("hyperparameters of %d runs, and the learner has %d; give one for all, or one for each", len(given), runs)
	}
	for i, h := range given {
		if err := c.With(h).Validate(); err != nil {
			return nil, errors.WithMessagef(err, "run %d", i)
		}
		if h.UpdateEpochs < 0 {
			return nil, errors.Errorf("run %d: %d epochs of an update; give at least 1, or 0 for all", i, h.UpdateEpochs)
		}
	}
	return slices.Clone(given), nil
}

// configured returns the configuration of a learner's file, with the runs' hyperparameters. If they differ, they are a list next to the
// configuration.
func (l *Learner) configured() (Config, []Hyperparameters) {
	c := l.Config.With(l.each[0])
	if l.each[0].UpdateEpochs == 0 && !slices.ContainsFunc(l.each, func(h Hyperparameters) bool { return h != l.each[0] }) {
		return c, nil
	}
	return c.Shape(), l.each
}

// input returns a hyperparameter of each run, [runs] float32.
func (l *Learner) input(of func(Hyperparameters) float64) *tensors.Tensor {
	values := make([]float64, l.runs)
	for r, h := range l.each {
		values[r] = of(h)
	}
	return tensors.FromFlatDataAndDimensions(belief.Converted[float32](values), l.runs)
}

// byRun gives each entry of like, [runs·rows, …] or [runs, …], the number of its run. x is [runs].
func byRun(x, like *Node) *Node {
	runs := x.Shape().Dimensions[0]
	if runs == 1 {
		return Reshape(x)
	}
	return Reshape(BroadcastToDims(InsertAxes(x, -1), runs, like.Shape().Size()/runs), like.Shape().Dimensions...)
}
