package ensemble

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/count"
	"gophe/phe/hash"
	"gophe/phe/internal/text"
	"gophe/phe/onepass"
	"gophe/phe/remedy"
	"gophe/phe/stream/internal/counttree"
	"gophe/phe/stream/novelty"
	"gophe/phe/stream/schema"
)

// Ablation leaves out parts of the model that come after the mixture.
type Ablation struct {
	LastStep bool `json:"last_step,omitempty"` // stacking: the forecast is then the mixture's, recalibrated
	Recent   bool `json:"recent,omitempty"`    // recent labels and forecasts, as inputs of stacking
	Curve    bool `json:"curve,omitempty"`     // recalibration, with two classes
}

// Design is the configuration of a learner's models. A file has it, because a later program may have other defaults.
type Design struct {
	Experts []ModelDesign `json:"experts"`
	Exact   *ModelDesign  `json:"exact,omitempty"`
}

// ModelDesign is the configuration of one model.
type ModelDesign struct {
	Bytes   int               `json:"bytes"`            // size of the tables
	Learner onepass.Config    `json:"learner"`          // for a count, the configuration of its encoder
	Counts  *counttree.Config `json:"counts,omitempty"` // nil for classes and numbers
}

// Size returns about the memory that models of a design take.
func (d Design) Size() (bytes float64) {
	for _, m := range d.models() {
		if bytes += m.Learner.Bytes(); m.Counts != nil {
			bytes += float64(m.Counts.Bytes(count.Octaves().Len()))
		}
	}
	return bytes
}

func (d Design) models() []ModelDesign {
	if d.Exact != nil {
		return append(slices.Clip(d.Experts), *d.Exact)
	}
	return d.Experts
}

// outputs returns the number of the experts' forecasts. The evidence of an expert may forecast alone, too.
func (d Design) outputs() (n int) {
	for _, m := range d.Experts {
		if n++; m.Learner.Alone {
			n++
		}
	}
	return n
}

// Interactions describes how the first model learns columns together.
func (d Design) Interactions() string {
	c := d.Experts[0].Learner
	switch pairs := c.Columns - c.Fields; {
	case pairs > 0 && c.Latents > 0:
		return text.Counted(pairs, "pair") + ", and a factorization machine"
	case c.Latents > 0:
		return "a factorization machine"
	case c.Chooses():
		return fmt.Sprintf("%d pairs, and in the end the %d most useful of them", pairs, c.Kept)
	case pairs > 0:
		return text.Counted(pairs, "pair")
	}
	return "none"
}

// Validate returns an error if a learner of the schema cannot work with the design, which may come from a damaged file.
func (d Design) Validate(s schema.Schema) error {
	fields, counts := len(s.Inputs()), s.Target.Kind == schema.Count
	for i, m := range d.models() {
		c, exact := m.Learner, i == len(d.Experts)
		whole := c.Fields == fields && c.Outputs == s.Target.Outputs() && c.Head == head(s.Target) && c.Validate() == nil &&
			c.Approximation == onepass.PlugIn && c.Assembly == onepass.SignedSum && c.Scales && !c.Joint && c.Numbers == 0
		if counts {
			whole = whole && !exact && m.Counts != nil && m.Counts.Valid() && m.Counts.Contexts == c.Columns+len(windows) &&
				m.Counts.Sets == novelty.Tiers
		} else {
			whole = whole && m.Counts == nil
		}
		if i > 0 { // the first model's rows make its rows
			whole = whole && c.Columns == fields && c.Seed == d.Experts[0].Learner.Seed
		}
		if exact {
			whole = whole && c.Hashes == 1 && c.Buckets <= maxExact && bits.OnesCount(uint(c.Buckets)) == 1
		}
		if !whole {
			return errors.Errorf("model %d of this learner does not fit its columns and target; take an undamaged file", i+1)
		}
	}
	if n := len(d.Experts); n < 1 || n > 3 || counts && n > 1 {
		return errors.Errorf("the learner's state has %d models, and 1 to 3 are possible; take an older copy", n)
	}
	return nil
}

// Plain reports whether a model of classes or numbers has no interactions.
func (m ModelDesign) Plain() bool {
	return m.Learner.Latents == 0 && m.Learner.Columns == m.Learner.Fields
}

const (
	plainShare = 1. / 4  // share of the memory for the expert without interactions, if there are two experts
	maxExact   = 1 << 14 // items that the exact model has room for
	maxFactor  = 1 << 22 // weights that a factorization machine has for pairs of columns and outputs; they take 100 MB
	maxError   = 5       // largest error that a number's model learns from, in standard deviations

	// slowTau is the forgetting of the model without interactions, if there is a model with interactions too. That model forgets more.
	// On a stream that does not change, forgetting is noise, and the mixture gives its weight to the slow model.
	slowTau = 1e-5
	// The model with interactions has a wider prior than the preset, and forgets less: what came last has inputs of its own. A large table
	// forgets no less than one of 256 KB. The preset's does, and on a stream that changes more memory then makes worse forecasts.
	widerPrior, slowerTau, minTau = 4, 0.25, 1e-3

	// With four times the buckets, the model without interactions takes a wider prior too. Above maxTwoByte, precision is worth more than
	// buckets (shuffled Covertype in 4 MB: .3 %); for a number it always is, since labels without noise tell a mean to many digits.
	widerPlain, maxTwoByte = 4, 1 << 20

	// A third model, small and without interactions, forgets quickly. After a change it is the first that forecasts well. It has at most a
	// share of the memory, and there is none if a column has less than a number in it.
	quickTau, quickMemory, quickShare = 1e-2, 8 << 10, 1. / 8
)

// Limits of the pairs of columns that a model learns.
const (
	everyPair = 120  // largest number of pairs that are all learned: 16 columns have them
	keptPairs = 240  // pairs of most gain that are kept of more pairs
	maxPairs  = 1000 // of more pairs, none is learned: a factorization machine takes their place
	fewValues = 128  // largest number of values with which a number takes part in pairs by its value; with more, by its bins
)

// NewDesign returns the default models of a schema, in the memory and with the interactions of a shape. forget is 0 for the preset's value.
// exact adds the model that gives each item numbers of its own.
func NewDesign(s schema.Schema, shape onepass.Shape, forget float64, seed int64, exact bool) (d Design, err error) {
	shape.Columns, shape.Head, shape.Outputs = len(s.Inputs()), head(s.Target), s.Target.Outputs()
	memory := shape.Memory
	if s.Target.Kind == schema.Count {
		m, err := designCounts(s, shape, forget, seed)
		return Design{Experts: []ModelDesign{m}}, err
	}
	paired := pairedFields(s)
	if shape.Interactions, err = affordable(shape, len(paired)*(len(paired)-1)/2); err != nil {
		return d, err
	}
	if shape.BeliefBits = 32; s.Target.Kind == schema.Classes && memory <= maxTwoByte {
		shape.BeliefBits = 16
	}
	plain := shape
	plain.Interactions = onepass.None
	quick := plain
	quick.Memory = min(quickMemory, int(quickShare*float64(memory)))
	three := 8*quick.Memory >= quick.BeliefBits*quick.Columns*quick.Outputs
	if three {
		shape.Memory -= quick.Memory
		plain.Memory = shape.Memory
	}
	two := shape.Interactions != onepass.None
	if two {
		plain.Memory = int(plainShare * float64(memory))
		shape.Memory -= plain.Memory
		d.Experts = append(d.Experts, designInteractions(s, shape, forget, seed, paired))
	}
	x := designLearner(s, plain, forget, seed, nil)
	if two && forget == 0 {
		x.Learner.Tau = slowTau
	}
	d.Experts = append(d.Experts, x)
	if two && shape.BeliefBits == 16 {
		d.Experts[1].Learner.Prior.E *= widerPlain
	}
	if three {
		q := oneHash(designLearner(s, quick, forget, seed, nil))
		q.Learner.Tau = max(quickTau, forget)
		q.Learner.Evidence, q.Learner.Buckets = 0, 8*quick.Memory/(quick.BeliefBits*quick.Outputs) // evidence remembers
		d.Experts = append(d.Experts, q)
	}
	if exact {
		x = oneHash(x)
		x.Learner.BeliefBits, x.Learner.Buckets, x.Learner.Evidence = 0, maxExact, maxExact
		d.Exact = &x
	}
	return d, nil
}

// oneHash returns the model with one hash in place of its hashes, and with the prior variance and the tempering of them all.
func oneHash(m ModelDesign) ModelDesign {
	c := &m.Learner
	c.Tempering /= float64(c.Hashes)
	c.Prior.E *= float64(c.Hashes)
	c.Hashes = 1
	return m
}

// affordable returns the interactions of a shape. Auto falls back from too many pairs to a factorization machine, and from that to none.
func affordable(shape onepass.Shape, pairs int) (onepass.Interactions, error) {
	factors := shape.Columns * (shape.Columns - 1) / 2 * shape.Outputs
	has := func(one onepass.Interactions) bool {
		return shape.Interactions == one || shape.Interactions == onepass.Both
	}
	switch {
	case shape.Interactions == onepass.None || shape.Columns == 1:
		return onepass.None, nil
	case shape.Interactions == onepass.Auto && pairs <= maxPairs:
		return onepass.Pairs, nil
	case shape.Interactions == onepass.Auto && factors <= maxFactor:
		return onepass.FM, nil
	case shape.Interactions == onepass.Auto:
		return onepass.None, nil
	case has(onepass.Pairs) && pairs > maxPairs:
		return "", remedy.Errorf("fewer interactions", "%d columns have %d pairs, and pairs are limited to %d; take fewer columns",
			shape.Columns, pairs, maxPairs)
	case has(onepass.FM) && factors > maxFactor:
		return "", remedy.Errorf("no interactions", "%d columns with %d outputs have %d numbers for pairs, and "+
			"a factorization machine is limited to %d; take fewer columns", shape.Columns, shape.Outputs, factors, maxFactor)
	}
	return shape.Interactions, nil
}

// pairedFields returns the encoder's columns that take part in pairs. If there are many, each number takes part by one of its two columns:
// the values, if the sample shows few, or else the bins.
func pairedFields(s schema.Schema) (fields []int) {
	inputs := s.Inputs()
	every := len(inputs)*(len(inputs)-1)/2 <= everyPair
	for n, in := range inputs {
		byValue := in.Column.Values <= fewValues && in.Column.Constant == ""
		if every || in.Column.Kind != schema.Both || byValue != in.Number {
			fields = append(fields, n)
		}
	}
	return fields
}

// Quick reports whether an expert is the one that forgets quickly.
func (m ModelDesign) Quick() bool { return m.Plain() && m.Learner.Hashes == 1 }

// designInteractions returns the model of classes or a number that learns interactions.
func designInteractions(s schema.Schema, shape onepass.Shape, forget float64, seed int64, paired []int) ModelDesign {
	m := designLearner(s, shape, forget, seed, paired)
	m.Learner.Prior.E *= widerPrior
	if forget == 0 {
		m.Learner.Tau = slowerTau * max(m.Learner.Tau, minTau)
	}
	if shape.Interactions == onepass.Pairs {
		m.Learner.Kept = keptPairs
	}
	m.Learner.Alone, m.Learner.Latest = s.Target.Kind == schema.Classes, true
	return m
}

// designLearner returns the model of classes or a number.
func designLearner(s schema.Schema, shape onepass.Shape, forget float64, seed int64, paired []int) ModelDesign {
	c := onepass.Stream(shape, paired...)
	c.Seed, c.Keys = seed, hash.Quick
	if forget > 0 {
		c.Tau = forget
	}
	if s.Target.Kind == schema.Amount {
		c.Clip, c.Standard, c.Level = maxError, true, true
	}
	return ModelDesign{Bytes: shape.Memory, Learner: c}
}

// designCounts returns the model of a count. It leaves out pairs of columns if they leave too little memory for evidence.
func designCounts(s schema.Schema, shape onepass.Shape, forget float64, seed int64) (ModelDesign, error) {
	m := designLearner(s, shape, forget, seed, nil)
	c, err := counttree.Fit(shape.Memory, count.Octaves(), m.Learner.Columns+len(windows), novelty.Tiers)
	const slot = 8
	least := shape.Memory / 3 // of evidence; weights of nodes take the rest. Pairs that leave less cost more than none (Retail: 6 %)
	if shape.Interactions != onepass.Auto && shape.Interactions != onepass.None {
		least = shape.Memory / 4
	}
	if err != nil || c.Slots*slot < least {
		switch shape.Interactions {
		case onepass.Auto:
			shape.Interactions = onepass.None
			return designCounts(s, shape, forget, seed)
		case onepass.None, onepass.FM: // the weights of nodes do not count as memory
			c.Slots, c.Weights = 1<<(bits.Len(uint(shape.Memory/slot/2))-1), 1<<(bits.Len(uint(shape.Memory/slot/8))-1)
		default:
			return m, remedy.Errorf("memory", "of %d bytes, %d are left for evidence of %d columns and pairs", shape.Memory,
				c.Slots*slot, m.Learner.Columns)
		}
	}
	c.Contexts, c.Sets, c.Small, c.Singles = m.Learner.Columns+len(windows), novelty.Tiers, true, len(s.Inputs())
	m.Counts, m.Learner.Head = &c, onepass.Poisson
	m.Learner.Buckets, m.Learner.Evidence, m.Learner.Latents, m.Learner.LatentRows = 1, 0, 0, 0 // only the encoder's keys are used
	return m, nil
}

func head(t schema.Target) onepass.Head {
	switch {
	case t.Kind == schema.Amount:
		return onepass.Gaussian
	case t.Kind == schema.Count:
		return onepass.Poisson
	case t.Outputs() > 1:
		return onepass.Softmax
	}
	return onepass.Bernoulli
}
