package onehot

import (
	"math"
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// Limits of a fit. The gradient is of the mean loss.
const (
	maxSteps      = 100
	flatEnough    = 1e-5
	maxSquare     = 2000 // weights up to which a fit takes Newton's steps: a Hessian of more takes too much memory and time
	maxIterations = 300  // of a fit of more weights
)

// newton fits a regression by Newton's method with a line search. From the weights of the last fit one or two steps are enough, where
// L-BFGS takes hundreds of passes over the rows. So a regression can be fitted anew after every step of a stream.
type newton struct {
	*Refitted
	gradient, step, trial []float64
	hessian               []float64 // [weights, weights], the upper triangle; nil where the weights are too many
	spread                []float64 // [outputs, outputs], the covariance of a row's class indicators
	active                []input   // of a row
}

// input is an input that is not 0.
type input struct {
	number int
	x      float64
}

func newNewton(r *Refitted) *newton {
	d, n := len(r.state.Weights), r.table.outputs()
	f := &newton{Refitted: r, gradient: make([]float64, d), step: make([]float64, d), trial: make([]float64, d),
		spread: make([]float64, n*n)}
	if d <= maxSquare {
		f.hessian = make([]float64, d*d)
	}
	return f
}

// fit moves the weights to the minimum of the penalised loss.
func (f *newton) fit() error {
	if f.hessian == nil {
		return f.descend()
	}
	w := f.state.Weights
	loss := f.loss(w, f.gradient, nil)
	for range maxSteps {
		if floats.Norm(f.gradient, math.Inf(1)) <= flatEnough {
			return nil
		}
		f.loss(w, f.gradient, f.hessian)
		if err := f.direction(); err != nil {
			return err
		}
		lower, found := f.search(loss)
		if !found {
			return nil // rounding allows nothing lower
		}
		loss = lower
	}
	return nil
}

// direction solves for Newton's step. Softmax has a direction without any effect, in which all biases move alike. A small ridge on the
// biases makes the system regular, and the step along this direction stays 0. A class that comes for the first time has almost no
// probability, so that its curvature says nothing: no weight moves further than a few nats in a step.
func (f *newton) direction() error {
	const ridge, furthest = 1e-9, 4
	d, n := len(f.state.Weights), f.table.outputs()
	for i := d - n; i < d; i++ {
		f.hessian[i*d+i] += ridge
	}
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(d, f.hessian)) {
		return errors.New("fitting a logistic regression: its Hessian is not positive definite; are there numbers that are not finite?")
	}
	var condition mat.Condition
	if err := chol.SolveVecTo(mat.NewVecDense(d, f.step), mat.NewVecDense(d, f.gradient)); err != nil && !errors.As(err, &condition) {
		return errors.Wrap(err, "fitting a logistic regression") // a bad condition is no error: the step is checked against the loss
	}
	if length := floats.Norm(f.step, math.Inf(1)); length > furthest {
		floats.Scale(furthest/length, f.step)
	}
	return nil
}

// search halves the step until the loss falls as the gradient promises, and takes it. It returns the new loss and leaves its gradient.
// Where no step lowers the loss, found is false.
func (f *newton) search(loss float64) (lower float64, found bool) {
	const promise = 1e-4 // Armijo's share of the fall that the gradient predicts
	w, slope := f.state.Weights, floats.Dot(f.gradient, f.step)
	for share := 1.0; share > 1e-6; share /= 2 {
		floats.AddScaledTo(f.trial, w, -share, f.step)
		if lower = f.loss(f.trial, f.gradient, nil); lower <= loss-promise*share*slope {
			copy(w, f.trial)
			return lower, true
		}
	}
	return loss, false
}

// loss returns the penalised mean loss of weights. It fills in the gradient, and the upper triangle of the Hessian unless it is nil.
func (f *newton) loss(w, gradient, hessian []float64) float64 {
	t, n := f.table, f.table.outputs()
	free := len(w) - n // the bias is not drawn to 0
	sum := floats.Dot(w[:free], w[:free]) / 2
	copy(gradient, w)
	clear(gradient[free:])
	if hessian != nil {
		clear(hessian)
		for i := range free {
			hessian[i*len(w)+i] = 1
		}
	}
	for _, row := range f.state.Past {
		f.fill(w, row)
		y := int(t.Labels[row])
		sum -= math.Log(max(f.p[y], minProbability))
		if hessian != nil {
			f.addCurvature(hessian, row)
		}
		f.addGradient(gradient, row)
	}
	count := float64(len(f.state.Past))
	floats.Scale(1/count, gradient)
	if hessian != nil {
		floats.Scale(1/count, hessian)
	}
	return sum / count
}

// addGradient adds the gradient of a row's log loss. The probabilities of its classes have been computed.
func (f *newton) addGradient(gradient []float64, row int32) {
	n, residual := f.table.outputs(), f.logits // reused
	residuals(residual, f.p, f.table.Labels[row])
	for i, x := range f.table.inputs(row) {
		floats.AddScaled(gradient[i*n:(i+1)*n], x, residual)
	}
}

// addCurvature adds the Hessian of a row's log loss: the products of its inputs, times the covariance of its class indicators. Only
// the upper triangle is filled, in which the first input comes no later than the second.
func (f *newton) addCurvature(hessian []float64, row int32) {
	f.fillSpread()
	f.active = f.active[:0]
	for i, x := range f.table.inputs(row) {
		f.active = append(f.active, input{i, x})
	}
	for k, a := range f.active {
		for _, b := range f.active[k:] {
			f.addBlock(hessian, min(a.number, b.number), max(a.number, b.number), a.x*b.x)
		}
	}
}

// fillSpread computes the covariance of the class indicators: diag(p) − ppᵀ.
func (f *newton) fillSpread() {
	n := f.table.outputs()
	if n == 1 {
		f.spread[0] = f.p[0] * f.p[1]
		return
	}
	for o := range n {
		floats.ScaleTo(f.spread[o*n:(o+1)*n], -f.p[o], f.p)
		f.spread[o*n+o] += f.p[o]
	}
}

// addBlock adds a multiple of the covariance to the block of two inputs.
func (f *newton) addBlock(hessian []float64, i, j int, x float64) {
	n, d := f.table.outputs(), len(f.state.Weights)
	for o := range n {
		at := (i*n+o)*d + j*n
		floats.AddScaled(hessian[at:at+n], x, f.spread[o*n:(o+1)*n])
	}
}

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
