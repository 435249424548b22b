package stream

import (
	"math"
	"slices"

	"gophe/phe/count"
	"gophe/phe/stream/schema"
)

// laws are the forecasts that all models made of one record.
type laws struct {
	Main    law   `json:"main"`
	Experts []law `json:"experts"`
	Usual   law   `json:"usual"`
	Exact   *law  `json:"exact,omitempty"`
}

// kept returns copies that stay valid after the models' next calls.
func (all laws) kept() laws {
	all.Main, all.Usual, all.Experts = all.Main.kept(), all.Usual.kept(), slices.Clone(all.Experts)
	for i, x := range all.Experts {
		all.Experts[i] = x.kept()
	}
	if all.Exact != nil {
		x := all.Exact.kept()
		all.Exact = &x
	}
	return all
}

// usual is the base rate: a forecast from the targets so far and nothing else. It holds the frequencies of classes or of cells of
// counts, or the mean and variance of numbers.
type usual struct {
	Weights []float64 `json:"weights,omitempty"` // weights of classes or cells
	Total   float64   `json:"total"`
	Mean    float64   `json:"mean,omitempty"`
	Squares float64   `json:"squares,omitempty"` // around the mean

	shares []float64
}

func newUsual(t schema.Target) usual {
	u := usual{Total: 1}
	switch t.Kind {
	case schema.Classes:
		u.Weights = make([]float64, len(t.Classes))
		for k := range u.Weights {
			u.Weights[k] = 1
		}
		u.Total = float64(len(t.Classes))
	case schema.Count:
		cells := count.Octaves()
		u.Weights = make([]float64, cells.Len())
		u.Total = 0
		for k := range u.Weights {
			u.Weights[k] = 1 / float64(cells.Len())
			u.Total += u.Weights[k]
		}
	}
	u.shares = make([]float64, len(u.Weights))
	return u
}

// law returns the forecast. It is valid until the next learn.
func (u *usual) law(kind schema.TargetKind) law {
	if kind == schema.Amount {
		variance := 1.0
		if u.Total > 2 {
			variance = u.Squares / (u.Total - 2)
		}
		return law{Mean: u.Mean, Variance: max(variance, math.SmallestNonzeroFloat32)}
	}
	for k, w := range u.Weights {
		u.shares[k] = w / u.Total
	}
	if kind == schema.Count {
		return lawOfCount(shifted{count.Histogram{Cells: count.Octaves(), P: u.shares}})
	}
	return law{Classes: u.shares}
}

// learn learns a target.
func (u *usual) learn(kind schema.TargetKind, y, weight float64) {
	u.Total += weight
	switch kind {
	case schema.Amount:
		step := y - u.Mean
		u.Mean += step * weight / (u.Total - 1)
		u.Squares += weight * step * (y - u.Mean)
	case schema.Count:
		u.Weights[count.Octaves().Of(int(y)+1)] += weight
	default:
		u.Weights[int(y)] += weight
	}
}
