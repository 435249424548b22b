package onepass

import (
	"math"

	"github.com/pkg/errors"
)

// Bounds of a weight: a share of the mean weight so far, and a number of rows. Beyond them the beliefs would not stay finite.
const LeastWeight, MostWeight = 1e-6, 1e6

// Update conditions the beliefs on the target of the row that was predicted last: a class, a count or a number. The row counts as weight
// rows, or as a part of one, within the bounds. Update panics if no row was predicted since the last update, if the weight is negative or
// no finite number, or if it is not 1 and the Approximation is not PlugIn.
func (m *Model) Update(target, weight float64) {
	if m.row == nil || !(weight >= 0) || math.IsInf(weight, 0) || weight != 1 && m.config.Approximation != PlugIn {
		panic(errors.Errorf("onepass: weight %g with approximation %q; "+
			"predict a row before its update, with weight 1, or 0 or more with %q", weight, m.config.Approximation, PlugIn))
	}
	m.update(target, min(max(weight, LeastWeight*m.weight, math.SmallestNonzeroFloat64), MostWeight), false)
}

// update moves the beliefs by the row that was predicted last. With still, it moves only variances.
func (m *Model) update(target, weight float64, still bool) {
	row, s := m.row, m.sums
	m.row, s.weight = nil, weight
	if m.config.Gamma < 1 { // the entries that the row touches age before they are read
		s.forgets = true
		m.read(row)
		s.forgets = false
	}
	if m.target != nil && !m.config.Standard {
		target = m.target.standardise(target, m.config.Clip)
	}
	m.weight += (s.weight - m.weight) / (m.rows + 1)
	s.meanWeight = m.weight / s.weight
	m.judge(s, target)
	m.linearise(s, target)
	if m.alone != nil {
		m.alone.weight = s.weight
		m.linearise(m.alone, target)
	}
	if m.target != nil {
		m.target.learn(target-s.mean[0], s.cov[0])
	}
	if still {
		clear(s.gradient)
	}
	for _, p := range m.parts {
		p.write(row, s)
	}
	m.rows++
}

// linearise sets gradient and curvature, and the label that evidence counts.
func (m *Model) linearise(s *sums, target float64) {
	s.label[0] = target
	switch m.config.Head {
	case Softmax:
		clear(s.label)
		s.label[int(target)] = 1
		s.softmaxGradient(m.config.Approximation, int(target))
		return
	case Poisson:
		s.gradient[0], s.curvature[0] = poisson(m.config.Approximation, s.mean[0], s.cov[0], target)
	case Gaussian:
		total := s.cov[0] + m.noise()
		s.label[0] = m.clip(target-s.mean[0], total) // evidence of a number counts the model's error
		s.gradient[0], s.curvature[0] = s.label[0]/total, 1/total
	default:
		if m.config.Approximation == PlugIn {
			s.gradient[0], s.curvature[0] = plugIn(s.sigmoid(s.mean[0]), s.cov[0], target)
		} else {
			s.gradient[0], s.curvature[0] = bernoulli(s.mean[0], s.cov[0], target)
		}
	}
	s.weigh()
	s.clip()
}

// Resettle learns the variances of means that were learned elsewhere. They begin at the prior, and a pass over the means' own rows narrows
// them while the means stay. Then the block starts from its prior again, since numbers and bias settle in a few rows.
func (m *Model) Resettle(rows func(yield func(row *Row, target float64) bool)) {
	rows(func(row *Row, target float64) bool {
		m.Predict(row)
		m.update(target, 1, true)
		return true
	})
	m.block.reset(0, m.config.Prior.Block)
	if m.joint != nil {
		m.joint.reset(m.joint.first(), m.config.Prior.Block)
	}
	m.rows = 0
}
