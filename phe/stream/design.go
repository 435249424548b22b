package stream

import (
	"github.com/pkg/errors"

	"gophe/phe/count"
	"gophe/phe/hash"
	"gophe/phe/onepass"
	"gophe/phe/onepass/counttree"
	"gophe/phe/score"
)

// design is the configuration of a learner's models. A file keeps it: a later program, whose defaults may be others, then goes on
// with the same models.
type design struct {
	Experts []modelDesign `json:"experts"`
	Exact   *modelDesign  `json:"exact,omitempty"`
}

// modelDesign is the configuration of one model.
type modelDesign struct {
	Bytes   int               `json:"bytes"`            // of its tables
	Learner onepass.Config    `json:"learner"`          // of counts, its encoder's
	Counts  *counttree.Config `json:"counts,omitempty"` // nil of classes and numbers
}

const (
	plainShare = 1. / 4  // of the memory, of two experts' the one without interactions
	mostExact  = 1 << 14 // items that the exact model has room for
	mostError  = 5       // standard deviations by which a number's model learns at most

	// slowTau is the forgetting of the model without interactions beside one with them, which forgets more. Where the stream does not
	// change, forgetting is noise, and the mixture then turns to this model.
	slowTau = 1e-5
)

// newDesign returns the default models of a schema.
func newDesign(s Schema, o Options) (d design, err error) {
	shape := onepass.Shape{Columns: len(s.inputNames()), Memory: o.Memory, Interactions: o.Interactions, Head: head(s.Target), Outputs: s.Target.outputs()}
	if s.Target.Kind == Count {
		m, err := designCounts(s, o, shape)
		return design{Experts: []modelDesign{m}}, err
	}
	plain := shape
	plain.Interactions = onepass.None
	two := o.Interactions == onepass.Auto && shape.Columns > 1
	if two {
		plain.Memory = int(plainShare * float64(o.Memory))
		shape.Memory -= plain.Memory
	}
	d.Experts = []modelDesign{designLearner(s, o, shape)}
	x := designLearner(s, o, plain)
	if two {
		if o.Forget == 0 {
			x.Learner.Tau = slowTau
		}
		d.Experts = append(d.Experts, x)
	}
	if !o.Alone {
		c := &x.Learner
		c.Tempering /= float64(c.Hashes)
		c.Prior.E *= float64(c.Hashes) // of which each hash had a part
		c.Hashes, c.Buckets, c.Evidence = 1, mostExact, mostExact
		d.Exact = &x
	}
	return d, nil
}

// designLearner returns the model of classes or a number.
func designLearner(s Schema, o Options, shape onepass.Shape) modelDesign {
	c := onepass.Stream(shape)
	c.Seed, c.Keys = o.Seed, hash.Quick
	if o.Forget > 0 {
		c.Tau = o.Forget
	}
	if s.Target.Kind == Amount {
		c.Clip = mostError
	}
	return modelDesign{Bytes: shape.Memory, Learner: c}
}

// designCounts returns the model of a count. Where pairs of columns leave too little memory for evidence, there are none.
func designCounts(s Schema, o Options, shape onepass.Shape) (modelDesign, error) {
	m := designLearner(s, o, shape)
	c, err := counttree.Fit(o.Memory, count.Octaves(), m.Learner.Columns, score.NoveltyTiers)
	const slot, least = 8, 4 // at least a quarter of the memory for evidence: the rest is weights of nodes
	switch {
	case err == nil && c.Slots*slot >= o.Memory/least:
	case shape.Interactions == onepass.Auto:
		shape.Interactions = onepass.None
		return designCounts(s, o, shape)
	case err != nil:
		return m, errors.WithMessage(err, "the model of counts; give it more --memory, or --interactions none")
	default:
		return m, errors.Errorf("of %d bytes, %d are left for evidence of %d columns and pairs; give more --memory, or --interactions none", o.Memory, c.Slots*slot, m.Learner.Columns)
	}
	m.Counts, m.Learner.Head = &c, onepass.Poisson
	m.Learner.Buckets, m.Learner.Evidence, m.Learner.Latents, m.Learner.LatentRows = 1, 0, 0, 0 // the encoder's keys are all that is used
	return m, nil
}

// head returns the likelihood of a target.
func head(t Target) onepass.Head {
	switch {
	case t.Kind == Amount:
		return onepass.Gaussian
	case t.Kind == Count:
		return onepass.Poisson
	case t.outputs() > 1:
		return onepass.Softmax
	}
	return onepass.Bernoulli
}
