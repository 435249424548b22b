// Package onepass learns a linear head over hash embeddings in one pass. Every number is a Gaussian belief, and each row conditions
// the beliefs it touches in closed form. There is no learning rate and no initial phase. Config.Seed draws the initial means, and the
// update draws nothing. It is the project's own contribution; docs/one-pass.md derives it from Eq. 3 of the paper.
//
// The order of calls: Stream or Paper returns a Config, New a Model and NewEncoder an Encoder. For each record, call Encoder.Item or
// Encoder.Number for its values, and then Encoder.Row. Model.Predict forecasts the row, and Model.Update learns its target. Paper is the
// preset that learns the paper's model. Stream is the preset for a stream of your own.
//
// A row's logits are linear in each factor, η = Σ_c θ_cᵀ Σ_k w_k E[h_k(c)] + βᵀ(x, 1). Under the beliefs they have a mean μ and a
// covariance Q. The label gives the log evidence a gradient a and a curvature M by the logits: it pulls the logits by a, and holds
// them with stiffness M. An entry with gradient g and variance v then moves by v·gᵀa, and its variance shrinks by v²·gᵀMg.
package onepass

import (
	"math"
	"math/rand/v2"

	"gophe/phe/belief"

	"github.com/pkg/errors"
)

// Model holds the beliefs of a model. It is not safe for concurrent use.
type Model struct {
	config   Config
	parts    []part
	block    *block
	joint    *joint    // nil unless Joint
	evidence *evidence // nil without Config.Evidence
	target   *target   // nil if a Gaussian target's scale is not learned
	sums     *sums
	rows     float64 // learned
	weight   float64 // mean weight of the rows
	alone    *sums   // of the evidence alone; nil without Config.Alone
	row      *Row    // predicted and not yet learned
}

// part is a term of the logits with its own beliefs.
type part interface {
	// read adds the term's mean and covariance, and keeps the gradients until the next read.
	read(row *Row, s *sums)
	// write moves the beliefs by the gradient and the curvature, along the gradients of the last read.
	write(row *Row, s *sums)
	// stored returns the part's beliefs, for files.
	stored() []belief.Part
}

// New returns a model that has seen no row.
func New(c Config) (*Model, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	l := &Model{config: c, block: newBlock(c), sums: newSums(c.Outputs)}
	rng := rand.New(rand.NewPCG(uint64(c.Seed), seedPurpose))
	switch {
	case c.Columns > 0 && c.Scales && c.Compact && c.BeliefBits == 0:
		l.parts = append(l.parts, scaled[float32](c, rng)...)
	case c.Columns > 0 && c.Scales:
		l.parts = append(l.parts, scaled[float64](c, rng)...)
	case c.Columns > 0:
		l.parts = append(l.parts, newEmbedding(c, rng))
	}
	l.sums.gains = newGains(c)
	if c.Evidence > 0 {
		e := newEvidence(c)
		l.parts, l.alone, l.evidence = append(l.parts, e), e.aloneSums, e
	}
	if c.Head == Gaussian && c.Noise == 0 {
		l.target = &target{sd: 1, noise: 1}
	}
	if c.Joint {
		l.joint = newJoint(l.parts[0].(*embedding), l.block)
		l.parts = []part{l.joint}
		return l, nil
	}
	l.parts = append(l.parts, l.block)
	return l, nil
}

// scaled returns the parts of the preset Stream, which hold one number in each bucket.
func scaled[T real](c Config, rng *rand.Rand) []part {
	parts := []part{newWeights[T](c)}
	if c.Latents > 0 {
		parts = append(parts, newFactors[T](c, rng))
	}
	return parts
}

// seedPurpose separates a model's draws from other uses of its seed.
const seedPurpose = 0x6f6e6570617373

// Config returns the model's configuration.
func (m *Model) Config() Config { return m.config }

// read returns the row's logits.
func (m *Model) read(row *Row) *sums {
	m.sums.reset()
	m.sums.rows = int(m.rows)
	for _, p := range m.parts {
		p.read(row, m.sums)
	}
	m.sums.mirror()
	return m.sums
}

// Bounds of a weight: a share of the mean weight so far, and a number of rows. Beyond them the beliefs would not stay finite.
const LeastWeight, MostWeight = 1e-6, 1e6

// Update conditions the beliefs on the target of the row that was predicted last: a class, a count or a number. The row counts as weight
// rows, or as a part of one, within the bounds. Update panics if no row was predicted since the last update, if the weight is negative or
// no finite number, or if it is not 1 and the Approximation is not PlugIn.
func (m *Model) Update(target, weight float64) {
	if m.row == nil || !(weight >= 0) || math.IsInf(weight, 0) || weight != 1 && m.config.Approximation != PlugIn {
		panic(errors.Errorf("onepass: weight %g with approximation %q; predict a row before its update, with weight 1, or 0 or more with %q",
			weight, m.config.Approximation, PlugIn))
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

// noise returns the variance of a Gaussian target given its mean.
func (m *Model) noise() float64 {
	switch {
	case m.target == nil:
		return m.config.Noise
	case m.config.Standard:
		return max(m.target.noise, standardNoise)
	}
	return max(m.target.noise, minNoise)
}

// clip bounds an error, relative to its forecast variance.
func (m *Model) clip(err, variance float64) float64 {
	if m.config.Clip == 0 {
		return err
	}
	most := m.config.Clip * math.Sqrt(variance)
	return max(-most, min(most, err))
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

// Resettle learns new variances for means that were learned elsewhere. The variances go back to the prior, and a pass over the
// means' own rows narrows them while the means stay. Then the block starts from its prior again, since numbers and bias settle in a
// few rows.
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
