package phe

import (
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/pkg/errors"
)

// ClearOptimizer makes the optimiser of a train.Trainer a fresh one, between two training steps. It sets the optimiser's variables to zero:
// those that opt.Clear would delete, under any scope name. Nothing recompiles; after GoMLX's own Clear, a compiled step finds no variables
// and fails. An optimiser whose state does not begin at zero is not supported; GoMLX v0.28.2 has none. StochasticGradientDescent divides
// its learning rate by the root of the Store's global step, so for it the global step becomes zero too. Other optimisers keep theirs. The
// learning rate and its schedule go on. Before the first step there is nothing to clear.
func ClearOptimizer(store *model.Store, opt optimizer.Interface) error {
	// Clear tells which variables are the optimiser's. It runs on a Store that has their names and none of their values.
	names := model.NewStore()
	for v := range store.IterVariables() {
		if _, err := names.CreateVariable(v.Path(), tensors.FromScalar(float32(0))); err != nil {
			return errors.Wrapf(err, "listing variable %s", v.Path())
		}
	}
	if err := opt.Clear(names.RootScope()); err != nil {
		return errors.Wrap(err, "clearing the optimiser")
	}
	if _, isSGD := opt.(*optimizer.SGDConfig); isSGD {
		if err := optimizer.DeleteGlobalStep(names); err != nil {
			return errors.Wrap(err, "clearing the global step")
		}
	}
	for v := range store.IterVariables() {
		if names.GetVariable(v.Path()) != nil {
			continue
		}
		if err := v.SetValue(tensors.FromShape(v.Shape())); err != nil {
			return errors.Wrapf(err, "clearing variable %s", v.Path())
		}
	}
	return nil
}
