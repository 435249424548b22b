package streams

import (
	"math"

	"gophe/phe/onepass"
)

// OneHot is a linear model over one-hot items without hashing, learned online by AdaGrad: logistic, softmax or linear
// regression. It grows with the vocabulary. Numbers enter by their bins, and pairs of columns as items of their own.
type OneHot struct {
	Rate  float64 // AdaGrad's
	Pairs bool
}

// OneHotRates are AdaGrad rates to try. The best of them with hindsight is a rival that was tuned.
func OneHotRates() []float64 { return []float64{0.05, 0.1, 0.2, 0.5} }

// adaptive is a weight and the sum of its squared gradients.
type adaptive struct{ weight, squares float64 }

func (a *adaptive) step(gradient, rate float64) {
	a.squares += gradient * gradient
	a.weight -= rate * gradient / (math.Sqrt(a.squares) + 1e-9)
}

// Run returns the loss of late rows and the number of weights at the end.
func (m OneHot) Run(t *Table) (loss float64, weights int, err error) {
	shape := onepass.Shape{Columns: len(t.Columns), Interactions: onepass.None}
	if m.Pairs {
		shape.Interactions = onepass.Pairs
	}
	e, err := onepass.NewEncoder(onepass.Stream(shape), t.Names())
	if err != nil {
		return 0, 0, err
	}
	n := max(1, t.Classes)
	table := map[uint64][]adaptive{}
	active, p := make([][]adaptive, 0, 64), make([]float64, n)
	scale := runningScale{}
	s := newScore(t)
	bias := make([]adaptive, n)
	for row, y := range t.Target {
		active = append(active[:0], bias)
		for _, c := range t.Encode(e, row).Cells {
			w, ok := table[c.Key]
			if !ok {
				w = make([]adaptive, n)
				table[c.Key] = w
			}
			active = append(active, w)
		}
		clear(p)
		for _, w := range active {
			for o := range w {
				p[o] += w[o].weight
			}
		}
		m.score(t.Head, s, row, p, &scale, y)
		m.errors(t.Head, p, &scale, y)
		for _, w := range active {
			for o := range w {
				w[o].step(p[o], m.Rate)
			}
		}
	}
	return s.value(), (len(table) + 1) * n, nil
}

// score scores the forecast of linear predictors.
func (m OneHot) score(head onepass.Head, s *score, row int, p []float64, scale *runningScale, y float64) {
	switch head {
	case onepass.Gaussian:
		s.add(row, 0, scale.mean+scale.sd()*p[0], y)
	case onepass.Softmax:
		s.add(row, softmaxOf(p, int(y)), 0, y)
	default:
		s.add(row, 1/(1+math.Exp((1-2*y)*p[0])), 0, y)
	}
}

// errors replaces linear predictors by their losses' gradients.
func (m OneHot) errors(head onepass.Head, p []float64, scale *runningScale, y float64) {
	switch head {
	case onepass.Gaussian:
		scale.add(y)
		p[0] -= (y - scale.mean) / scale.sd()
	case onepass.Softmax:
		q := make([]float64, len(p))
		for o := range p {
			q[o] = softmaxOf(p, o)
		}
		copy(p, q)
		p[int(y)]--
	default:
		p[0] = 1/(1+math.Exp(-p[0])) - y
	}
}

func softmaxOf(t []float64, class int) float64 {
	sum := 0.0
	for _, v := range t {
		sum += math.Exp(v - t[class])
	}
	return 1 / sum
}

// runningScale is a mean and a standard deviation of the first thousand rows.
type runningScale struct{ rows, mean, squares float64 }

func (r *runningScale) add(y float64) {
	if r.rows >= 1000 {
		return
	}
	r.rows++
	step := y - r.mean
	r.mean += step / r.rows
	r.squares += step * (y - r.mean)
}

func (r *runningScale) sd() float64 {
	if r.rows < 10 {
		return 1
	}
	return math.Sqrt(r.squares/r.rows) + 1e-9
}
