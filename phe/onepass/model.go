package onepass

import (
	"math/rand/v2"

	"gophe/phe/belief"
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
	rows     float64 // number of rows learned
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
	l.parts = append(l.parts, l.block)
	if c.Joint { // of the embedding and the block, which are all parts
		l.joint = newJoint(l.parts[0].(*embedding), l.block)
		l.parts = []part{l.joint}
	}
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
