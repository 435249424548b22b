package main

import (
	"math"
	"slices"

	"gophe/phe/onepass"
)

// entries are three counts of L, the number of entries that a prediction sums. Each is taken from rows in the middle of the stream.
type entries struct {
	// Touched is the median number of entries that a row moves. The block, with its full covariance, counts as one.
	Touched float64
	// Participation is the median of (Σq)²/Σq², where q = g²v is an entry's part of the variance of the logit.
	Participation float64
	// Spectral is the largest eigenvalue of the rows' Gram matrix of gradients, scaled to a diagonal of ones. No other number of
	// entries is as small and still bounds the overshoot of the rows' common direction.
	Spectral float64
}

const measuredRows = 300

// measureEntries learns half of the rows, and then looks at the moves of single rows from there.
func (m *model) measureEntries() (e entries, err error) {
	w, err := m.worker()
	if err != nil {
		return e, err
	}
	l, err := onepass.New(m.config)
	if err != nil {
		return e, err
	}
	half := m.rows / 2
	for i := range half {
		row, class := w.reader.read(i)
		l.Learn(row, class)
	}
	s := newShared(l)
	s.config = m.config
	var touched, participation []float64
	var rows []map[[2]int]float64
	losses := make([]float64, m.rows)
	for i := half; i < half+measuredRows; i++ {
		d := s.learnedBy(w, i, losses)
		gradient, parts := map[[2]int]float64{}, []float64{}
		for k, moves := range d.moves {
			for _, mv := range moves {
				if shift := mv.mean - mv.priorMean; s.parts[k].isTable && shift != 0 {
					gradient[[2]int{k, mv.entry}] = shift / mv.priorVar // up to the row's pull
					parts = append(parts, shift*shift/mv.priorVar)
				}
			}
		}
		if q := d.block.moved(); q > 0 {
			gradient[[2]int{-1, 0}] = math.Sqrt(q)
			parts = append(parts, q)
		}
		total, squares := 0.0, 0.0
		for _, q := range parts {
			total += q
			squares += q * q
		}
		touched, participation = append(touched, float64(len(parts))), append(participation, total*total/squares)
		rows = append(rows, gradient)
	}
	return entries{median(touched), median(participation), spectral(rows)}, nil
}

// learnedBy returns the delta of a single row.
func (s *shared) learnedBy(w *worker, row int, losses []float64) delta {
	return w.learn(s, row, row+1, losses)
}

// moved returns the squared length of the block's move, in prior standard deviations.
func (b *blockMove) moved() (q float64) {
	n := len(b.prior.mean)
	for i := range n {
		for j := range n {
			q += (b.after.mean[i] - b.prior.mean[i]) * b.prior.precision.At(i, j) * (b.after.mean[j] - b.prior.mean[j])
		}
	}
	return q
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}

// spectral returns the largest eigenvalue of the Gram matrix of sparse gradients, scaled to a diagonal of ones, by the power method.
func spectral(rows []map[[2]int]float64) (largest float64) {
	diagonal := map[[2]int]float64{}
	for _, row := range rows {
		for at, g := range row {
			diagonal[at] += g * g
		}
	}
	v := make([]float64, len(rows)) // the Gram matrix of the rows has the same eigenvalues
	for i := range v {
		v[i] = 1 + float64(i%7)/7
	}
	for range 200 {
		entry := map[[2]int]float64{}
		for t, row := range rows {
			for at, g := range row {
				entry[at] += g * v[t]
			}
		}
		norm := 0.0
		for t, row := range rows {
			v[t] = 0
			for at, g := range row {
				v[t] += g * entry[at] / diagonal[at]
			}
			norm += v[t] * v[t]
		}
		largest = math.Sqrt(norm)
		for t := range v {
			v[t] /= largest
		}
	}
	return largest
}
