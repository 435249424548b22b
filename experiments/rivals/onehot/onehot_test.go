package onehot

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
)

func all(t *testing.T, table *Table) map[string]Classifier {
	t.Helper()
	bayesian := filetest.Must(newBayesian(table))(t)
	return map[string]Classifier{"AdPredictor": newAdPredictor(table), "Bayesian": bayesian, "Refitted": NewRefitted(table, 2),
		"FTRL": newDescent(table, false, 0.5), "Adagrad": newDescent(table, true, 0.5)}
}

// random is a table whose labels follow its items and numbers.
func random(rows, classes int) *Table {
	rng := rand.New(rand.NewPCG(1, 2))
	t := &Table{Items: 7, Columns: 2, Numbers: 1, Classes: classes}
	for range rows {
		a, b, x := rng.Int32N(3), rng.Int32N(4), rng.NormFloat64()
		t.Index, t.X = append(t.Index, a, 3+b), append(t.X, x)
		t.Labels = append(t.Labels, a%int32(classes))
		if rng.IntN(4) == 0 {
			t.Labels[len(t.Labels)-1] = int32(rng.IntN(classes))
		}
	}
	return t
}

func upTo(from, to int32) (rows []int32) {
	for row := from; row < to; row++ {
		rows = append(rows, row)
	}
	return rows
}

// One row moves the two weights that it touches to the moments of their exact posterior, N(0, 1) by Φ(y(w + b)), here integrated on a grid.
func TestAdPredictorMoments(t *testing.T) {
	table := &Table{Items: 2, Columns: 1, Classes: 2, Index: []int32{1, 1}, Labels: []int32{1, 0}}
	for row := range int32(2) {
		a := newAdPredictor(table)
		filetest.Check(t, a.Learn([]int32{row}))
		const step, edge = 0.02, 7.0
		sum, first, second := 0.0, 0.0, 0.0
		for w := -edge; w <= edge; w += step {
			for b := -edge; b <= edge; b += step {
				p := math.Exp(-(w*w+b*b)/2) * phi((2*float64(table.Labels[row])-1)*(w+b))
				sum, first, second = sum+p, first+p*w, second+p*w*w
			}
		}
		mean := first / sum
		for _, i := range []int{1, 2} { // the item and the bias
			filetest.Near(t, a.state.Mean[i], mean, 1e-6, "mean")
			filetest.Near(t, a.state.Variance[i], second/sum-mean*mean, 1e-6, "variance")
		}
		filetest.True(t, a.state.Mean[0] == 0 && a.state.Variance[0] == 1, "an item that the row lacks has moved")
	}
}

// Far out in the tail, where Φ underflows, the corrections follow their asymptotes.
func TestCorrections(t *testing.T) {
	for _, far := range []float64{-29.9, -30.1, -300} {
		v, w := corrections(far)
		filetest.Near(t, v/-far, 1, 2e-3, "v")
		filetest.Near(t, w, 1, 2e-3, "w")
	}
	v, w := corrections(0)
	filetest.Near(t, v, math.Sqrt(2/math.Pi), 1e-15, "v")
	filetest.Near(t, w, 2/math.Pi, 1e-15, "w")
}

// A row of one item moves item and bias alike: weights of variance 10 have a logit of variance 20, which MacKay damps.
func TestBayesianFirstRow(t *testing.T) {
	table := &Table{Items: 2, Columns: 1, Classes: 2, Index: []int32{1}, Labels: []int32{1}}
	b := filetest.Must(newBayesian(table))(t)
	filetest.Check(t, b.Learn([]int32{0}))
	damping := func(q float64) float64 { return 1 / math.Sqrt(1+math.Pi*q/8) }
	k := damping(20)
	mean, variance := 20*k/2, 20-20*20*k*k/4
	p := 1 / (1 + math.Exp(-damping(variance)*mean))
	got := b.Predict(nil, []int32{0})
	filetest.Near(t, math.Exp(float64(got[1])), p, 1e-7, "probability of class 1")
	filetest.Near(t, math.Exp(float64(got[0])), 1-p, 1e-7, "probability of class 0")
}

// At the minimum the gradient is zero: each weight is the sum of its inputs' residuals times C = 1, and the bias's residuals cancel.
// Gradient and Hessian are the loss's, by differences.
func TestRefittedMinimum(t *testing.T) {
	for _, classes := range []int{2, 3} {
		table := random(200, classes)
		r := NewRefitted(table, 1)
		filetest.Check(t, r.Learn(upTo(0, 200)))
		f, d := r.newton, len(r.state.Weights)
		gradient := make([]float64, d)
		f.loss(r.state.Weights, gradient, nil)
		for _, g := range gradient {
			filetest.Near(t, g, 0, flatEnough, "gradient at the minimum")
		}
		w := slices.Clone(r.state.Weights)
		for i := range w {
			w[i] += 0.1 * float64(i%3)
		}
		hessian := make([]float64, d*d)
		f.loss(w, gradient, hessian)
		higher, lower := make([]float64, d), make([]float64, d)
		for i := range w {
			const h = 1e-5
			at := w[i]
			w[i] = at + h
			up := f.loss(w, higher, nil)
			w[i] = at - h
			down := f.loss(w, lower, nil)
			w[i] = at
			filetest.Near(t, gradient[i], (up-down)/(2*h), 1e-8, "gradient")
			for j := i; j < d; j++ {
				filetest.Near(t, hessian[i*d+j], (higher[j]-lower[j])/(2*h), 1e-8, "Hessian")
			}
		}
	}
}

// The minimum does not depend on the way to it: many fits along the rows end where one fit to all of them does. A row whose class is new
// has a bias that nothing draws back.
func TestRefittedAlong(t *testing.T) {
	for _, classes := range []int{2, 3} {
		table := random(300, classes)
		along, once := NewRefitted(table, 1), NewRefitted(table, 1)
		filetest.Check(t, once.Learn(upTo(0, 300)))
		for row := range int32(300) {
			filetest.Check(t, along.Learn([]int32{row}))
		}
		a, b := along.Predict(nil, upTo(0, 300)), once.Predict(nil, upTo(0, 300))
		for i := range a {
			filetest.Near(t, float64(a[i]), float64(b[i]), 2e-3, "log probability")
		}
	}
}

// It is fitted at the first call and at every second one after it, and predicts by the last fit in between.
func TestRefittedEvery(t *testing.T) {
	table := random(90, 2)
	r := NewRefitted(table, 2)
	var fits []bool
	last := r.Predict(nil, []int32{0})
	for from := int32(0); from < 90; from += 15 {
		filetest.Check(t, r.Learn(upTo(from, from+15)))
		next := r.Predict(nil, []int32{0})
		fits = append(fits, !slices.Equal(next, last))
		last = next
	}
	filetest.Want(t, fits, []bool{true, false, true, false, true, false}, "fits")
}

// Every model learns a table, gives probabilities, and continues from its bytes as if it had never stopped.
func TestClassifiers(t *testing.T) {
	for _, classes := range []int{2, 3} {
		table := random(400, classes)
		fresh := all(t, table)
		for name, c := range all(t, table) {
			filetest.Check(t, c.Learn(upTo(0, 150)))
			content := filetest.Must(c.MarshalBinary())(t)
			again := fresh[name]
			filetest.Check(t, again.UnmarshalBinary(content))
			for _, c := range []Classifier{c, again} {
				filetest.Check(t, c.Learn(upTo(150, 200)))
				filetest.Check(t, c.Learn(upTo(200, 300)))
			}
			p := c.Predict(nil, upTo(300, 400))
			filetest.True(t, slices.Equal(p, again.Predict(nil, upTo(300, 400))),
				"%s, %d classes: goes on differently from its bytes", name, classes)
			right := 0
			for i := range 100 {
				sum, best := 0.0, 0
				for k := range classes {
					if sum += math.Exp(float64(p[i*classes+k])); p[i*classes+k] > p[i*classes+best] {
						best = k
					}
				}
				filetest.Near(t, sum, 1, 1e-6, "%s's sum of probabilities", name)
				if best == int(table.Labels[300+i]) {
					right++
				}
			}
			filetest.True(t, right >= 70, // a quarter of the labels is drawn anew
				"%s, %d classes: %d of 100 right", name, classes, right)
			filetest.True(t, again.UnmarshalBinary(content[:len(content)/2]) != nil, "%s: reads half of its bytes", name)
			other := random(10, 5-classes)
			filetest.True(t, all(t, other)[name].UnmarshalBinary(content) != nil, "%s: reads the bytes of another table", name)
		}
	}
}

func TestStandardise(t *testing.T) {
	got := Standardise([]float32{1, 5, 3, 5, 7, 6}, 2, []int32{0, 1})
	want := []float64{-1, 0, 1, 0, 5, 1}
	for i := range want {
		filetest.Near(t, got[i], want[i], 1e-12, "number")
	}
}

// The first step of each way from weights of 0 is of Adagrad α, and of FTRL α·½ over β + ½.
func TestFirstSteps(t *testing.T) {
	table := &Table{Items: 2, Columns: 1, Classes: 2, Index: []int32{1}, Labels: []int32{1}}
	for _, c := range []struct {
		adagrad bool
		want    float64
	}{{true, 0.2}, {false, 0.2 * 0.5 / 1.5}} {
		d := newDescent(table, c.adagrad, 0.2)
		filetest.Check(t, d.Learn([]int32{0}))
		for _, i := range []int{1, 2} { // the item and the bias
			filetest.Near(t, d.weight(i), c.want, 1e-15, "the weight, Adagrad %t,", c.adagrad)
		}
		filetest.Near(t, d.weight(0), 0, 0, "weight of an item that the row lacks")
	}
}

// A fit without a Hessian, as of many weights, ends at the minimum that Newton's steps find.
func TestDescendFindsNewtonsMinimum(t *testing.T) {
	for _, classes := range []int{2, 3} {
		table := random(200, classes)
		square, wide := NewRefitted(table, 1), NewRefitted(table, 1)
		filetest.Check(t, square.Learn(upTo(0, 200)))
		wide.newton = newNewton(wide)
		wide.newton.hessian = nil
		filetest.Check(t, wide.Learn(upTo(0, 200)))
		most := len(wide.state.Weights) - square.table.outputs() // softmax leaves the biases' common shift open
		for i, w := range wide.state.Weights[:most] {
			filetest.Near(t, w, square.state.Weights[i], 0.01, "weight")
		}
	}
}
