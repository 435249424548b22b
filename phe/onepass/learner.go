// Package onepass learns a linear head over hash embeddings in one pass. Every number is a Gaussian belief, and each row conditions
// the beliefs it touches in closed form. There is no learning rate and no initial phase. Config.Seed draws the initial means, and the
// update draws nothing. It is the project's own contribution; docs/one-pass.md derives it from Eq. 3 of the paper.
//
// A row's logits are linear in each factor, η = Σ_c θ_cᵀ Σ_k w_k E[h_k(c)] + βᵀ(x, 1). Under the beliefs they have a mean μ and a
// covariance Q. The label pulls the logits by a, and it holds them with stiffness M. An entry with gradient g and variance v then
// moves by v·gᵀa, and its variance shrinks by v²·gᵀMg.
//
// Paper is the preset that learns the paper's model. Stream is the preset for a stream of your own: an Encoder makes rows of its
// records, and Learner.Step predicts each row before it learns it.
package onepass

import (
	"math"
	"math/rand/v2"

	"gophe/phe/belief"

	"github.com/pkg/errors"
)

// Learner holds the beliefs of a model. It is not safe for concurrent use.
type Learner struct {
	config Config
	parts  []part
	block  *block
	joint  *joint  // nil unless Joint
	target *target // nil if a Gaussian target's scale is not learned
	sums   *sums
	rows   int
	weight float64 // mean weight of the rows
	alone  *sums   // of the evidence alone; nil without Config.Alone
}

// part is a term of the logits with its own beliefs.
type part interface {
	// read adds the term's mean and covariance, and keeps the gradients until the next read.
	read(row *Row, s *sums)
	// write moves the beliefs by the pull and the stiffness, along the gradients of the last read.
	write(row *Row, s *sums)
	// forget ages the beliefs that a row touches. It comes before read.
	forget(row *Row)
	// stored returns the part's beliefs, for files.
	stored() []belief.Part
}

// New returns a learner that has seen no row.
func New(c Config) (*Learner, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	l := &Learner{config: c, block: newBlock(c), sums: newSums(c.Outputs)}
	rng := rand.New(rand.NewPCG(uint64(c.Seed), seedPurpose))
	switch {
	case c.Columns > 0 && c.Scales && c.Compact:
		l.parts = append(l.parts, scaled[float32](c, rng)...)
	case c.Columns > 0 && c.Scales:
		l.parts = append(l.parts, scaled[float64](c, rng)...)
	case c.Columns > 0:
		l.parts = append(l.parts, newEmbedding(c, rng))
	}
	l.sums.gains = newGains(c)
	if c.Evidence > 0 {
		e := newEvidence(c)
		if l.parts = append(l.parts, e); e.alone != nil {
			l.alone = e.alone.sums
		}
	}
	if c.Head == Gaussian && c.Noise == 0 {
		l.target = newTarget()
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
func scaled[T Real](c Config, rng *rand.Rand) []part {
	parts := []part{newWeights[T](c)}
	if c.Latents > 0 {
		parts = append(parts, newFactors[T](c, rng))
	}
	return parts
}

// seedPurpose separates a learner's draws from other uses of its seed.
const seedPurpose = 0x6f6e6570617373

// Config returns the learner's configuration.
func (l *Learner) Config() Config { return l.config }

// Check returns an error if a row does not fit the learner: an unknown bucket or column, or numbers that are missing or not finite.
// Learn and Predict do not check.
func (l *Learner) Check(row *Row) error {
	c := l.config
	if len(row.Numbers) != c.Numbers {
		return errors.Errorf("the row has %d numbers; this learner takes %d", len(row.Numbers), c.Numbers)
	}
	for f, x := range row.Numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return errors.Errorf("number %d is %g; it must be finite", f, x)
		}
	}
	for _, cell := range row.Cells {
		if cell.Column < 0 || cell.Column >= c.Columns {
			return errors.Errorf("a cell is in column %d; this learner has %d columns, counted from 0", cell.Column, c.Columns)
		}
		if len(cell.Buckets) > c.Hashes || c.Assembly == WeightedSum && (len(cell.Buckets) != c.Hashes || int(cell.Weights) >= c.WeightRows || cell.Weights < 0) {
			return errors.Errorf("a cell has %d buckets and weight row %d; this learner has %d hashes and %d weight rows", len(cell.Buckets), cell.Weights, c.Hashes, c.WeightRows)
		}
		for _, b := range cell.Buckets {
			if b < 0 || int(b) >= c.Buckets {
				return errors.Errorf("a cell has bucket %d; table E has %d rows, counted from 0", b, c.Buckets)
			}
		}
	}
	return nil
}

// read returns the row's logits.
func (l *Learner) read(row *Row) *sums {
	l.sums.reset()
	for _, p := range l.parts {
		p.read(row, l.sums)
	}
	l.sums.mirror()
	return l.sums
}

// Learn conditions the beliefs on a row and its target: a class, a count or a number. The row must fit (Check).
func (l *Learner) Learn(row *Row, target float64) { l.learn(row, target, false) }

// LearnWeighted learns a row that counts as weight rows, or as a part of one. It panics if the weight is not positive or the pull
// is not PlugIn.
func (l *Learner) LearnWeighted(row *Row, target, weight float64) {
	if !(weight > 0) || math.IsInf(weight, 0) || l.config.Pull != PlugIn {
		panic(errors.Errorf("onepass: weight %g with pull %q; weights are positive, and need %q", weight, l.config.Pull, PlugIn))
	}
	l.sums.weight = weight
	l.learn(row, target, false)
	l.sums.weight = 1
}

// Step predicts a row and then learns its target, as Predict and Learn do, but it reads the tables only once.
func (l *Learner) Step(row *Row, target float64) Forecast {
	s := l.read(row)
	f := l.forecast(s)
	if l.config.Gamma < 1 {
		l.learn(row, target, false)
	} else {
		l.condition(row, s, target, false)
	}
	return f
}

// learn conditions the beliefs on a row. With still, it moves only variances.
func (l *Learner) learn(row *Row, target float64, still bool) {
	if l.config.Gamma < 1 {
		for _, p := range l.parts {
			p.forget(row)
		}
	}
	l.condition(row, l.read(row), target, still)
}

// condition moves the beliefs by a row that has been read.
func (l *Learner) condition(row *Row, s *sums, target float64, still bool) {
	if l.target != nil {
		target = l.target.standardise(target, l.config.Clip)
	}
	l.weight += (s.weight - l.weight) / float64(l.rows+1)
	s.usual = l.weight / s.weight
	l.judge(s, target)
	l.look(s, target)
	if l.alone != nil {
		l.alone.weight = s.weight
		l.look(l.alone, target)
	}
	if l.target != nil {
		l.target.learn(target-s.mean[0], s.cov[0])
	}
	if still {
		clear(s.pull)
	}
	for _, p := range l.parts {
		p.write(row, s)
	}
	l.rows++
}

// noise returns the variance of a Gaussian target given its mean.
func (l *Learner) noise() float64 {
	if l.target != nil {
		return l.target.variance()
	}
	return l.config.Noise
}

// clip bounds an error, relative to its forecast variance.
func (l *Learner) clip(err, variance float64) float64 {
	if l.config.Clip == 0 {
		return err
	}
	most := l.config.Clip * math.Sqrt(variance)
	return max(-most, min(most, err))
}

// look sets pull and stiffness, and the label that evidence counts.
func (l *Learner) look(s *sums, target float64) {
	s.label[0] = target
	switch l.config.Head {
	case Softmax:
		clear(s.label)
		s.label[int(target)] = 1
		s.softmaxPull(l.config.Pull, int(target))
	case Poisson:
		s.pull[0], s.stiffness[0] = poisson(l.config.Pull, s.mean[0], s.cov[0], target)
		s.weigh()
		s.restrain()
	case Gaussian:
		total := s.cov[0] + l.noise()
		s.label[0] = l.clip(target-s.mean[0], total) // evidence of a number counts the learner's error
		s.pull[0], s.stiffness[0] = s.label[0]/total, 1/total
		s.weigh()
		s.restrain()
	default:
		if l.config.Pull == PlugIn {
			s.pull[0], s.stiffness[0] = plugIn(s.sigmoid(), s.cov[0], target)
		} else {
			s.pull[0], s.stiffness[0] = bernoulli(l.config.Pull, s.mean[0], s.cov[0], target)
		}
		s.weigh()
	}
}

// Resettle learns new variances for means that were learned elsewhere. The variances go back to the prior, and a pass over the
// means' own rows narrows them while the means stay. Then the block starts from its prior again, since numbers and bias settle in a
// few rows.
func (l *Learner) Resettle(rows func(yield func(row *Row, target float64) bool)) {
	rows(func(row *Row, target float64) bool {
		l.learn(row, target, true)
		return true
	})
	l.block.reset(l.config.Prior.Block)
	if l.joint != nil {
		l.joint.resetBlock()
	}
	l.rows = 0
}
