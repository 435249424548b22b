package phe_test

import (
	"reflect"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/ml/train/optimizer/cosineschedule"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
)

// optimizers are all that GoMLX has. remembers tells whether a step depends on the steps before it.
var optimizers = []struct {
	name      string
	make      func() optimizer.Interface
	remembers bool
}{
	{"adam", func() optimizer.Interface { return optimizer.Adam().LearningRate(0.1).Done() }, true},
	{"adam elsewhere", func() optimizer.Interface { return optimizer.Adam().Scope("mine").LearningRate(0.1).Done() }, true},
	{"adam that waits", func() optimizer.Interface { return optimizer.Adam().WithBackoffSteps(2).LearningRate(0.1).Done() }, true},
	{"adamax", func() optimizer.Interface { return optimizer.Adam().Adamax().LearningRate(0.1).Done() }, true},
	{"adamw", func() optimizer.Interface { return optimizer.Adam().WeightDecay(0.004).LearningRate(0.1).Done() }, true},
	{"rmsprop", func() optimizer.Interface { return optimizer.RMSProp().LearningRate(0.1).Done() }, true},
	{"sgd", func() optimizer.Interface { return optimizer.StochasticGradientDescent().WithLearningRate(0.01) }, true},
	{"steady sgd", func() optimizer.Interface {
		return optimizer.StochasticGradientDescent().WithDecay(false).WithLearningRate(0.01)
	}, false},
}

// training is a model with a layer and a head, its optimiser, and how often it compiled.
type training struct {
	layered
	optimizer.Interface
	trainer *train.Trainer
	builds  int
}

func newTraining(t *testing.T, store *model.Store, opt optimizer.Interface) *training {
	t.Helper()
	tr := &training{layered: newLayered(t, layerConfig(phe.Posterior)), Interface: opt}
	if store != nil {
		tr.store = store
	}
	regression := func(scope *model.Scope, ids *Node) *Node {
		tr.builds++
		e := tr.layer(scope, ids).Samples(2).Done() // [samples·batch, columns, dim]
		return layers.Dense(scope.In("head"), Reshape(e, e.Shape().Dim(0), -1), true, 1)
	}
	tr.trainer = train.NewTrainer(nettest.Backend(t), tr.store, regression, phe.RepeatLabels(loss.MeanSquaredError), opt, nil, nil)
	return tr
}

func (tr *training) steps(t *testing.T, n int) {
	t.Helper()
	for range n {
		filetest.Must(tr.trainer.TrainStep(twoRows()))(t)
	}
}

// model copies the variables that the optimiser trains, by path.
func (tr *training) model(t *testing.T) map[string][]float32 {
	t.Helper()
	values := map[string][]float32{}
	for v := range tr.store.IterVariables() {
		if isModel(v.Path()) {
			value := filetest.Must(v.Value())(t)
			values[v.Path()] = filetest.Must(tensors.CopyFlatData[float32](value))(t)
		}
	}
	return values
}

func isModel(path string) bool {
	return strings.HasPrefix(path, "/phe/") && path != "/phe/phe_rows" || strings.HasPrefix(path, "/head/")
}

// copyModel copies the model to another Store, without the optimiser, and with a fresh generator.
func copyModel(t *testing.T, from, to *model.Store) *model.Store {
	t.Helper()
	for v := range from.IterVariables() {
		if !isModel(v.Path()) {
			continue
		}
		value := filetest.Must(v.Value())(t)
		value = filetest.Must(value.LocalClone())(t)
		if there := to.GetVariable(v.Path()); there != nil {
			filetest.Check(t, there.SetValue(value))
			continue
		}
		twin := filetest.Must(to.CreateVariable(v.Path(), value))(t)
		twin.SetTrainable(v.Trainable)
	}
	filetest.Check(t, to.SetRNGStateFromSeed(11))
	return to
}

// The steps after ClearOptimizer equal the steps of an optimiser that never took a step, bit for bit. Nothing compiles again.
func TestClearOptimizer(t *testing.T) {
	for _, o := range optimizers {
		t.Run(o.name, func(t *testing.T) {
			old := newTraining(t, nil, o.make())
			old.steps(t, 5)
			fresh := newTraining(t, copyModel(t, old.store, model.NewStore()), o.make())
			start, builds := copyModel(t, old.store, model.NewStore()), old.builds
			backToStart := func() { copyModel(t, start, old.store) } // the model and the noise, not the optimiser
			backToStart()
			old.steps(t, 4)
			uncleared := old.model(t)
			backToStart()
			filetest.Check(t, phe.ClearOptimizer(old.store, old.Interface))
			filetest.Want(t, old.model(t), fresh.model(t), "the model after clearing")
			for range 4 {
				old.steps(t, 1)
				fresh.steps(t, 1)
				filetest.Want(t, old.model(t), fresh.model(t), "the model after a step of a cleared optimiser")
			}
			filetest.Want(t, !reflect.DeepEqual(uncleared, fresh.model(t)), o.remembers,
				"an optimiser that was not cleared goes on otherwise")
			filetest.Want(t, old.builds, builds, "compilations after clearing")
		})
	}
}

// Clearing Adam changes only Adam's variables. It leaves the global step, the learning rate and its schedule, and a second
// optimiser.
func TestClearOptimizerKeepsTheRest(t *testing.T) {
	adam := optimizer.Adam().LearningRate(0.1).Done()
	tr := newTraining(t, nil, adam)
	for _, path := range []string{"/mine/step", "/AdamOptimizerToo/step", "/optimizers/" + cosineschedule.Scope + "/step"} {
		filetest.Must(tr.store.CreateVariable(path, tensors.FromScalar(float32(7))))(t)
	}
	filetest.Check(t, phe.ClearOptimizer(tr.store, adam)) // before the first step there is nothing to clear
	tr.steps(t, 3)
	values := func() map[string]any {
		all := map[string]any{}
		for v := range tr.store.IterVariables() {
			all[v.Path()] = v.MustValue().Value()
		}
		return all
	}
	before := values()
	filetest.Check(t, phe.ClearOptimizer(tr.store, adam))
	after := values()
	filetest.Want(t, len(after), len(before), "variables after clearing")
	filetest.Want(t, after["/AdamOptimizer/step"], any(float32(0)), "Adam's step")
	for path, value := range before {
		filetest.True(t, strings.HasPrefix(path, "/AdamOptimizer/") || reflect.DeepEqual(value, after[path]),
			"%s went from %v to %v", path, value, after[path])
	}
	filetest.Want(t, after["/global_step"], any(int64(3)), "the global step")
	filetest.Want(t, after["/optimizers/learning_rate"], any(float32(0.1)), "the learning rate")
}
