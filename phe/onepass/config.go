package onepass

import (
	"cmp"
	"math"

	"github.com/pkg/errors"

	"gophe/phe/hash"
)

// Config is the configuration of a model. Paper and Stream return the two presets. The parts are embedded, so the JSON is flat.
type Config struct {
	Inputs
	Outputs int `json:"outputs"` // 1, or the number of classes for Softmax
	Hashing
	Machine
	Pool
	Likelihood
	Prior Prior `json:"prior"`
	// Scales makes θ a positive scale of each column. A scale starts at 1, and a weight starts at random.
	Scales bool `json:"scales,omitempty"`
	Rule
	// Joint keeps one covariance of all entries: E, W, θ and the block. An effect that two items share is then not learned
	// twice. It takes p² numbers, and p² operations for each row, where p is the number of entries.
	Joint bool `json:"joint,omitempty"`
	Storage
	// Keys is the hash by which an Encoder makes keys of items; hash.CarterWegman if empty.
	Keys hash.Variant `json:"keys,omitempty"`
	Seed int64        `json:"seed,omitempty"` // draws the initial means
}

// Hashing is the hash embedding of the items (Sec. 3.2).
type Hashing struct {
	Dim        int      `json:"dim"`                   // d
	Buckets    int      `json:"buckets"`               // rows of table E: B, or the number of items if each has its own row
	Hashes     int      `json:"hashes"`                // K; 1 if each item has its own row
	WeightRows int      `json:"weight_rows,omitempty"` // P; WeightedSum only
	Assembly   Assembly `json:"assembly"`
}

// Assembly is a way to combine an item's K rows of table E into its embedding (Sec. 3.2).
type Assembly string

// The assemblies.
const (
	WeightedSum Assembly = "weighted-sum" // weights from the item's row of table W, whose entries are beliefs too (the paper)
	SignedSum   Assembly = "signed-sum"   // signs from bits of the item's hash: collisions cancel on average
	Mean        Assembly = "mean"         // with equal weights
)

// Machine is a factorization machine over the fields.
type Machine struct {
	Latents    int `json:"latents,omitempty"`     // d of the machine; 0 for no machine
	LatentRows int `json:"latent_rows,omitempty"` // rows of its table: bucket b has row b mod LatentRows, so Buckets must be a multiple
}

// Pool is the pooled evidence: the labels of each item's earlier rows.
type Pool struct {
	Evidence int  `json:"evidence,omitempty"` // slots; 0 for no evidence
	Alone    bool `json:"alone,omitempty"`    // the evidence of classes also forecasts alone, with weights of its own
	Latest   bool `json:"latest,omitempty"`   // slots also have the label of their item's latest row
}

// Likelihood says how logits forecast a target, and how its label moves them.
type Likelihood struct {
	Head          Head          `json:"head"`
	Approximation Approximation `json:"pull"`
	Noise         float64       `json:"noise,omitempty"` // variance of a Gaussian target; 0 learns it and the target's scale
	// Clip bounds the error that moves the beliefs of a Gaussian target, in standard deviations of its forecast. One wild number then
	// cannot ruin the entries of its row. 0 sets no bound.
	Clip float64 `json:"clip,omitempty"`
	// Standard says that the caller brings a Gaussian target to about mean 0 and standard deviation 1, and calls Model.Rescale when it
	// takes another unit. Otherwise the first rows fix the scale.
	Standard bool `json:"standard,omitempty"`
	// Level says that Rescale keeps the forecast of the row that was predicted last, and bounds no mean that was as large before.
	Level bool `json:"level,omitempty"`
}

// Prior holds the variances before any row. An entry with variance 0 is certain and never moves.
type Prior struct {
	E     float64 `json:"e"`
	W     float64 `json:"w,omitempty"`     // WeightedSum only
	Theta float64 `json:"theta,omitempty"` // the weights θ of the columns
	Block float64 `json:"block,omitempty"` // the weights of the numbers, and the bias

	Latent float64 `json:"latent,omitempty"` // the latent numbers of the factorization machine
	Field  float64 `json:"field,omitempty"`  // the weights for pairs of fields
}

// Rule is Bayes' rule, with tempering and forgetting: how the variances of a row's entries change.
type Rule struct {
	// Tempering is η, the share of Bayes' rule by which variances shrink. 1 is Bayes' rule.
	Tempering float64 `json:"tempering"`
	// Least is the share of its variance that an entry keeps at least in any row.
	Least float64 `json:"least"`
	Gamma float64 `json:"gamma"`         // share of its precision that a touched entry keeps before a row; with 1 nothing is forgotten
	Tau   float64 `json:"tau,omitempty"` // share of its prior variance that a touched entry gains after a row; with Scales only
}

// Storage is how tables hold beliefs.
type Storage struct {
	// Compact stores tables in float32, which halves their memory.
	Compact bool `json:"compact,omitempty"`
	// BeliefBits is the size of a belief of E and W: 16 or 32 bits (see Codec), or 0 for two floats. With 16, scales of pairs begin lower.
	BeliefBits int `json:"belief_bits,omitempty"`
}

// Paper is the preset that learns the paper's model: d = 20 and K = 3 with table W, no forgetting and no tempering (§2 of the
// derivation). outputs is 1 for two classes or a count, and otherwise the number of classes.
func Paper(columns, numbers, outputs int) Config {
	head := Bernoulli
	if outputs > 1 {
		head = Softmax
	}
	return Config{
		Inputs:     Inputs{Columns: columns, Numbers: numbers},
		Outputs:    outputs,
		Hashing:    Hashing{Dim: 20, Buckets: 7, Hashes: 3, WeightRows: 11, Assembly: WeightedSum},
		Likelihood: Likelihood{Head: head, Approximation: MacKay},
		Prior:      Prior{E: 1, W: 1, Theta: 1, Block: 10},
		Rule:       Rule{Tempering: 1, Least: 1e-6, Gamma: 1},
	}
}

// Validate returns the first thing wrong with the configuration and what would be right.
func (c Config) Validate() error {
	switch {
	case c.Fields < 0 || c.Fields > 0 && c.Columns != c.Fields && c.Columns != c.Fields+c.numPairs():
		return errors.Errorf("fields is %d and columns %d; columns are the fields, or the fields and their pairs: %d",
			c.Fields, c.Columns, c.Fields+c.numPairs())
	case !c.pairsFit() || c.Kept < 0:
		return errors.Errorf("pairs is %v and kept %d; a pair joins two of %d fields, the smaller first, and occurs once",
			c.Pairs, c.Kept, c.fields())
	case c.Chooses() && (!c.Scales || c.Latents > 0 || c.Head == Poisson):
		return errors.Errorf("kept is %d of %d pairs; the gain of a pair needs scales, no latents, and a head other than %q",
			c.Kept, c.numPairs(), Poisson)
	case c.Keys != "" && c.Keys != hash.CarterWegman && c.Keys != hash.Quick:
		return errors.Errorf("keys is %q; choose %q or %q", c.Keys, hash.CarterWegman, hash.Quick)
	case c.Latents < 0 || c.Evidence < 0 || c.Evidence > math.MaxInt32 || c.Latents > 0 && !c.Scales:
		return errors.Errorf("latents is %d, evidence %d and scales %t; the first two are 0 or more, and latents need scales",
			c.Latents, c.Evidence, c.Scales)
	case (c.Latents > 0) != (c.LatentRows > 0) || c.Latents > 0 && (c.LatentRows < 0 || c.Buckets%c.LatentRows != 0):
		return errors.Errorf("latents is %d, latent_rows %d and buckets %d; latents need rows, and buckets must be a multiple of them",
			c.Latents, c.LatentRows, c.Buckets)
	case c.Columns < 0 || c.Numbers < 0 || c.Columns+c.Numbers == 0:
		return errors.Errorf("columns is %d and numbers %d; a row needs at least one of them", c.Columns, c.Numbers)
	case c.Outputs < 1 || c.Head != Softmax && c.Outputs != 1 || c.Head == Softmax && c.Outputs < 2:
		return errors.Errorf("outputs is %d with head %q; softmax needs a logit for each of at least 2 classes, and the others have 1",
			c.Outputs, c.Head)
	case c.Dim < 1 || c.Buckets < 1 || c.Buckets > math.MaxInt32 || c.Hashes < 1 || c.Hashes > 64:
		return errors.Errorf("dim is %d, buckets %d and hashes %d; all must be at least 1, and hashes at most 64",
			c.Dim, c.Buckets, c.Hashes)
	case c.Assembly != WeightedSum && c.Assembly != SignedSum && c.Assembly != Mean:
		return errors.Errorf("assembly is %q; choose %q, %q or %q", c.Assembly, WeightedSum, SignedSum, Mean)
	case (c.Assembly == WeightedSum) != (c.WeightRows > 0):
		return errors.Errorf("weight_rows is %d with assembly %q; %q needs at least 1, and the others have none",
			c.WeightRows, c.Assembly, WeightedSum)
	}
	return c.validateLearning()
}

func (c Config) validateLearning() error {
	switch {
	case c.Head != Bernoulli && c.Head != Softmax && c.Head != Poisson && c.Head != Gaussian:
		return errors.Errorf("head is %q; choose %q, %q, %q or %q", c.Head, Bernoulli, Softmax, Poisson, Gaussian)
	case c.Approximation != MacKay && c.Approximation != PlugIn:
		return errors.Errorf("pull is %q; choose %q or %q", c.Approximation, MacKay, PlugIn)
	case c.Alone && (c.Evidence == 0 || c.Head != Bernoulli && c.Head != Softmax):
		return errors.Errorf("alone is set with %d slots of evidence and head %q; it needs evidence, and classes", c.Evidence, c.Head)
	case c.Latest && (c.Evidence == 0 || c.Head == Poisson):
		return errors.Errorf("latest is set with %d slots of evidence and head %q; it needs evidence, and a head other than %q",
			c.Evidence, c.Head, Poisson)
	case !c.Scales && c.Tau != 0:
		return errors.Errorf("tau is %g without scales; forget by gamma, or take 0", c.Tau)
	case c.Scales && (c.Dim != 1 || c.Assembly != SignedSum):
		return errors.Errorf("dim is %d and assembly %q; learned scales go with dim 1 and %q", c.Dim, c.Assembly, SignedSum)
	case !(c.Clip >= 0 && c.Clip <= math.MaxFloat64) || c.Clip > 0 && c.Head != Gaussian:
		return errors.Errorf("clip is %g with head %q; it is a number of standard deviations, or 0, and only %q has it",
			c.Clip, c.Head, Gaussian)
	case !(c.Noise >= 0 && c.Noise <= math.MaxFloat64):
		return errors.Errorf("noise is %g; it is a variance, or 0 to learn it", c.Noise)
	case c.Standard && (c.Head != Gaussian || c.Noise > 0 || !c.Scales):
		return errors.Errorf("standard is set with head %q, noise %g and scales %t; it needs %q, noise 0 and scales",
			c.Head, c.Noise, c.Scales, Gaussian)
	case c.BeliefBits != 0 && (c.BeliefBits != 16 && c.BeliefBits != 32 || c.Latents > 0 || c.Joint):
		return errors.Errorf("belief_bits is %d with latents %d and joint %t; it is 0, or without latents and joint 16 or 32",
			c.BeliefBits, c.Latents, c.Joint)
	case c.BeliefBits != 0 && !c.Scales && !(c.Prior.E >= leastCoded && (c.Prior.W >= leastCoded || c.WeightRows == 0)):
		return errors.Errorf("belief_bits is %d with prior.e %g and prior.w %g; codes reach first means of variance 1 from %g on",
			c.BeliefBits, c.Prior.E, c.Prior.W, leastCoded)
	case c.Joint && (c.Columns == 0 || c.Scales || c.Compact || c.Evidence > 0):
		return errors.Errorf("joint is set with %d columns, scales %t, compact %t and evidence %d; "+
			"it needs columns, weights θ and float64, and no evidence", c.Columns, c.Scales, c.Compact, c.Evidence)
	case c.Joint && c.Gamma != 1:
		return errors.Errorf("joint is set with gamma %g; it forgets nothing: take 1", c.Gamma)
	case c.Joint && (c.Buckets > maxJoint || c.entries() > maxJoint):
		return errors.Errorf("joint is set with %d entries; it takes at most %d: make buckets or dim smaller", c.entries(), maxJoint)
	}
	return c.validateRanges()
}

func (c Config) validateRanges() error {
	p, most := c.Prior, math.MaxFloat64
	for _, f := range []struct {
		name               string
		value, least, most float64
	}{
		{"prior.e", p.E, 0, most}, {"prior.w", p.W, 0, most}, {"prior.theta", p.Theta, 0, most}, {"prior.block", p.Block, 0, most},
		{"prior.latent", p.Latent, 0, most}, {"prior.field", p.Field, 0, most}, {"tempering", c.Tempering, 1e-9, 1},
		{"least", c.Least, 1e-12, 1}, {"gamma", c.Gamma, 1e-9, 1}, {"tau", c.Tau, 0, 1},
	} {
		if !(f.value >= f.least && f.value <= f.most) {
			return errors.Errorf("%s is %g; it must lie in [%g, %g]", f.name, f.value, f.least, f.most)
		}
	}
	return nil
}

// leastCoded is the least prior variance of an embedding of codes. Its means begin with variance 1, and codes reach 8 prior deviations.
const leastCoded = 0.25

// maxJoint bounds the entries of one covariance: 2,048² numbers are 32 MiB.
const maxJoint = 2048

// entries returns the number of means of the paper's model: E, W, θ and the block.
func (c Config) entries() int {
	return c.Buckets*c.Dim + c.WeightRows*c.Hashes + c.Columns*c.Outputs*c.Dim + (c.Numbers+1)*c.Outputs
}

// Bytes returns about the memory that a model and its encoder take. It is a float64, since the numbers of a damaged file have no bound.
func (c Config) Bytes() float64 {
	f := func(n int) float64 { return float64(max(n, 0)) }
	const number, belief = 8, 16
	outputs, fields := f(c.Outputs), f(c.fields())
	pairs, block := fields*fields/2, (f(c.Numbers)+1)*outputs
	bytes := number*block*(block+2*outputs) + 6*number*outputs*outputs
	bytes += fields * commonBins * number
	bytes += f(c.Columns) * outputs * (2*belief + 2*EvidenceBins*belief)
	if c.Scales {
		bytes += f(c.Buckets) * outputs * f(c.entryBytes())
		bytes += f(c.Latents) * outputs * (number*f(c.LatentRows) + 3*number*fields)
		if c.Latents > 0 {
			bytes += pairs * outputs * (belief + number)
		}
	} else {
		hashed := f(c.Buckets)*f(c.Dim) + f(c.WeightRows)*f(c.Hashes)
		bytes += f(cmp.Or(c.BeliefBits/8, belief))*hashed + belief*f(c.Columns)*outputs*f(c.Dim)
	}
	return bytes + f(c.Evidence)*float64(evidenceBytes(c.Outputs))
}

func (s Storage) entryBytes() int { return cmp.Or(s.BeliefBits/8, 8) } // mean and variance as float32

// evidenceBytes returns the size of a slot of evidence: check bits, n, and a frequency for each output.
func evidenceBytes(outputs int) int { return 4 + 4*outputs }
