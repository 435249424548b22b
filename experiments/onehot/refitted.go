package onehot

import (
	"math"
	"slices"

	"github.com/pkg/errors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// Refitted is logistic or softmax regression that keeps all rows and now and then is fitted to all of them anew, from the weights of the
// last fit. It minimises the sum of the log losses and ½‖w‖²/C with C = 1, as scikit-learn does by default; the bias is free. A
// practitioner with enough memory and time does the same.
type Refitted struct {
	table *Table
	every int
	state refittedState

	logits, p []float64
}

type refittedState struct {
	Weights []float64 // [inputs, outputs]
	Past    []int32   // rows
	Since   int       // calls of Learn since the last fit
	Fitted  bool
}

// NewRefitted returns a model without rows. It is fitted at the first call of Learn, and again whenever every calls have passed.
func NewRefitted(t *Table, every int) *Refitted {
	n := t.outputs()
	return &Refitted{table: t, every: every, state: refittedState{Weights: make([]float64, t.Inputs()*n)}, logits: make([]float64, n), p: make([]float64, t.Classes)}
}

// Learn keeps rows, and fits the weights where it is time.
func (r *Refitted) Learn(rows []int32) error {
	r.state.Past = append(r.state.Past, rows...)
	r.state.Since++
	if r.state.Fitted && r.state.Since < r.every {
		return nil
	}
	r.state.Since, r.state.Fitted = 0, true
	return r.fit()
}

// Limits of the optimiser. The gradient is of the mean loss.
const (
	mostIterations = 300
	flatEnough     = 1e-5
)

func (r *Refitted) fit() error {
	// One pass over the rows gives both the loss and its gradient, which the optimiser asks for one after the other.
	at, gradientAt := make([]float64, len(r.state.Weights)), make([]float64, len(r.state.Weights))
	loss := math.NaN()
	pass := func(w []float64) {
		if math.IsNaN(loss) || !slices.Equal(w, at) {
			copy(at, w)
			loss = r.loss(w, gradientAt)
		}
	}
	problem := optimize.Problem{
		Func: func(w []float64) float64 { pass(w); return loss },
		Grad: func(gradient, w []float64) { pass(w); copy(gradient, gradientAt) },
	}
	settings := &optimize.Settings{GradientThreshold: flatEnough, MajorIterations: mostIterations, Converger: optimize.NeverTerminate{}}
	result, err := optimize.Minimize(problem, r.state.Weights, settings, &optimize.LBFGS{})
	if result == nil {
		return errors.Wrap(err, "fitting a logistic regression")
	}
	copy(r.state.Weights, result.X) // also where the line search found nothing lower: it is as good as rounding allows
	return nil
}

// loss returns the penalised mean loss of weights, and its gradient into gradient where that is not nil.
func (r *Refitted) loss(w, gradient []float64) float64 {
	t, n := r.table, r.table.outputs()
	free := len(w) - n // the bias is not drawn to 0
	sum := floats.Dot(w[:free], w[:free]) / 2
	if gradient != nil {
		copy(gradient, w)
		clear(gradient[free:])
	}
	for _, row := range r.state.Past {
		r.classes(w, row)
		y := int(t.Labels[row])
		sum -= math.Log(max(r.p[y], leastProbability))
		if gradient == nil {
			continue
		}
		residual := r.logits // reused
		for o := range n {
			class := o
			if n == 1 {
				class = 1
			}
			residual[o] = r.p[class]
			if class == y {
				residual[o]--
			}
		}
		for _, item := range t.items(row) {
			floats.Add(gradient[int(item)*n:(int(item)+1)*n], residual)
		}
		for i, x := range t.numbers(row) {
			floats.AddScaled(gradient[(t.Items+i)*n:(t.Items+i+1)*n], x, residual)
		}
		floats.Add(gradient[free:], residual)
	}
	count := float64(len(r.state.Past))
	if gradient != nil {
		floats.Scale(1/count, gradient)
	}
	return sum / count
}

// classes fills in the probabilities of a row's classes.
func (r *Refitted) classes(w []float64, row int32) {
	t, n := r.table, r.table.outputs()
	copy(r.logits, w[len(w)-n:])
	for _, item := range t.items(row) {
		floats.Add(r.logits, w[int(item)*n:(int(item)+1)*n])
	}
	for i, x := range t.numbers(row) {
		floats.AddScaled(r.logits, x, w[(t.Items+i)*n:(t.Items+i+1)*n])
	}
	if n == 1 {
		r.p[1] = 1 / (1 + math.Exp(-r.logits[0]))
		r.p[0] = 1 / (1 + math.Exp(r.logits[0]))
		return
	}
	most, sum := floats.Max(r.logits), 0.0
	for o, v := range r.logits {
		r.p[o] = math.Exp(v - most)
		sum += r.p[o]
	}
	floats.Scale(1/sum, r.p)
}

// Predict appends the log probability of every class of each row, [rows, classes] in nats.
func (r *Refitted) Predict(dst []float32, rows []int32) []float32 {
	for _, row := range rows {
		r.classes(r.state.Weights, row)
		dst = appendLogs(dst, r.p)
	}
	return dst
}

// MarshalBinary returns weights and rows.
func (r *Refitted) MarshalBinary() ([]byte, error) { return encode(r.state) }

// UnmarshalBinary replaces weights and rows. It changes nothing and returns an error if they are not of this table.
func (r *Refitted) UnmarshalBinary(content []byte) error {
	var s refittedState
	if err := decode(content, &s); err != nil {
		return err
	}
	if len(s.Weights) != len(r.state.Weights) {
		return errors.Errorf("%d weights; this classifier has %d", len(s.Weights), len(r.state.Weights))
	}
	for _, row := range s.Past {
		if row < 0 || int(row) >= len(r.table.Labels) {
			return errors.Errorf("row %d; the table has %d", row, len(r.table.Labels))
		}
	}
	r.state = s
	return nil
}
