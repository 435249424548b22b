package onehot

import (
	"math"
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/optimize"
)

// maxSquare is the number of weights up to which a fit takes Newton's steps. A Hessian of more weights takes too much memory and time.
const maxSquare = 2000

// maxIterations bounds a fit of many weights.
const maxIterations = 300

// descend moves the weights to the minimum of the penalised loss by L-BFGS, which keeps no Hessian.
func (f *newton) descend() error {
	// One pass over the rows gives both the loss and its gradient, which the optimiser asks for one after the other.
	at, loss := make([]float64, len(f.gradient)), math.NaN()
	pass := func(w []float64) {
		if math.IsNaN(loss) || !slices.Equal(w, at) {
			copy(at, w)
			loss = f.loss(w, f.gradient, nil)
		}
	}
	problem := optimize.Problem{
		Func: func(w []float64) float64 { pass(w); return loss },
		Grad: func(gradient, w []float64) { pass(w); copy(gradient, f.gradient) },
	}
	settings := &optimize.Settings{GradientThreshold: flatEnough, MajorIterations: maxIterations, Converger: optimize.NeverTerminate{}}
	result, err := optimize.Minimize(problem, f.state.Weights, settings, &optimize.LBFGS{})
	if result == nil {
		return errors.Wrap(err, "fitting a logistic regression")
	}
	copy(f.state.Weights, result.X) // also where the line search found nothing lower: it is as good as rounding allows
	return nil
}
