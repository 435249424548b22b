package streams

import (
	"math"

	"gophe/phe/onepass"
)

// score is the mean loss of late rows: log-loss in nats, or of numbers the root of the mean squared error. Late rows are
// those after the first tenth of a stream.
type score struct {
	head onepass.Head
	from int
	sum  float64
	rows int
}

func newScore(t *Table) *score { return &score{head: t.Head, from: t.NumRows() / 10} }

// leastProbability keeps one certain error from deciding a score.
const leastProbability = 1e-6

// add scores a forecast made before the row was learned. Probability is of the class that came.
func (s *score) add(row int, probability, mean, target float64) {
	if row < s.from {
		return
	}
	s.rows++
	if s.head == onepass.Gaussian {
		s.sum += (target - mean) * (target - mean)
		return
	}
	s.sum -= math.Log(min(max(probability, leastProbability), 1-leastProbability))
}

func (s *score) value() float64 {
	if s.head == onepass.Gaussian {
		return math.Sqrt(s.sum / float64(s.rows))
	}
	return s.sum / float64(s.rows)
}

// BaseRate scores the forecast that knows only the targets so far: how often each class came, or the mean.
func BaseRate(t *Table) float64 {
	s := newScore(t)
	counts := make([]float64, max(2, t.Classes))
	for k := range counts {
		counts[k] = 1
	}
	total, mean := float64(len(counts)), 0.0
	for row, y := range t.Target {
		if t.Head == onepass.Gaussian {
			s.add(row, 0, mean, y)
			mean += (y - mean) / float64(row+1)
			continue
		}
		s.add(row, counts[int(y)]/total, 0, y)
		counts[int(y)]++
		total++
	}
	return s.value()
}
