package onepass

import (
	"cmp"
	"math"
)

// Interactions is a way in which the preset Stream learns the joint effect of two columns.
type Interactions string

const (
	None  Interactions = "none"     // columns add up
	Pairs Interactions = "pairs"    // each pair of columns is one more column
	FM    Interactions = "fm"       // a factorization machine with a weight for each pair of columns
	Both  Interactions = "pairs+fm" // Pairs and FM
	Auto  Interactions = "auto"     // Pairs up to 16 columns, and FM above
)

// AllInteractions lists the values of Shape.Interactions.
func AllInteractions() []Interactions { return []Interactions{None, Pairs, FM, Both, Auto} }

const maxPaired, latents = 16, 4 // largest number of columns that Auto pairs; d of the factorization machine

// Shape holds the facts about a stream that the preset Stream needs. The zero value of a field is its default.
type Shape struct {
	Columns      int          // number of columns of a record, with numbers
	Memory       int          // bytes for tables; DefaultMemory
	Head         Head         // Bernoulli
	Outputs      int          // number of classes with Softmax, and otherwise 1
	Interactions Interactions // Auto
	BeliefBits   int          // of Config; 0 with FM
}

// DefaultMemory is the default of Shape.Memory, in bytes. The tables and the counts of items then fit into the cache of a core.
const DefaultMemory = 256 << 10

// Stream is the preset for a stream of your own with a growing vocabulary. It has one number in each bucket, learned scales of
// columns, tempering, a little forgetting, interactions of columns, and pooled evidence. Numbers enter as items (Encoder.Number),
// so a row has none. paired are the columns that take part in pairs, if the interactions have pairs; none means all.
//
// One setting serves all streams. It was chosen in a study of sixteen real streams, and the shares of memory on four of them. On
// tables that do not change and have few items, a one-hot model learned online does as well or better. Package phe/stream, which is
// `phe stream`, forecasts better: it joins two such models, with other pairs, and learns to correct them.
func Stream(s Shape, paired ...int) Config {
	s = s.withDefaults()
	columns, hashes := s.Columns, 2
	var pairs [][2]int
	if s.Interactions == Pairs || s.Interactions == Both {
		columns, hashes = withPairs(s.Columns), 1
		if pairs = pairsOf(paired); pairs != nil {
			columns = s.Columns + len(pairs)
		}
	}
	c := Config{
		Inputs:     Inputs{Columns: columns, Fields: s.Columns, Pairs: pairs},
		Outputs:    s.Outputs,
		Hashing:    Hashing{Dim: 1, Hashes: hashes, Assembly: SignedSum},
		Likelihood: Likelihood{Head: s.Head, Approximation: PlugIn},
		Prior:      Prior{E: 2 / float64(columns*hashes), Theta: 0.1},
		Scales:     true,
		Rule:       Rule{Tempering: 0.3 * float64(hashes), Least: 0.2, Gamma: 1},
		Storage:    Storage{Compact: true, BeliefBits: s.BeliefBits},
	}
	if s.Interactions == FM || s.Interactions == Both {
		pairs := float64(withPairs(s.Columns) - s.Columns) // a machine has a weight for each
		c.Latents, c.BeliefBits = latents, 0
		c.Prior.Latent, c.Prior.Field = math.Sqrt(1/(latents*max(pairs, 1)))/float64(hashes), 0.3
	}
	return c.withMemory(s.Memory)
}

func (s Shape) withDefaults() Shape {
	s.Memory, s.Head, s.Outputs = cmp.Or(s.Memory, DefaultMemory), cmp.Or(s.Head, Bernoulli), max(s.Outputs, 1)
	if s.Interactions == "" || s.Interactions == Auto {
		s.Interactions = Pairs
		if s.Columns > maxPaired {
			s.Interactions = FM
		}
	}
	return s
}

// withMemory splits a budget in bytes between the layer's buckets and the slots of evidence.
//
// Evidence gets an eighth up to 2^16 numbers. Its share doubles with each sixteenfold memory, and is at most a half. In a table that is
// small for the vocabulary, slots of evidence replace each other too soon to be useful. The layer shares its buckets, and makes better
// use of little memory. The forgetting makes room for new items: 1e-3 at 2^16 numbers, and a third of that in sixteen times the memory.
func (c Config) withMemory(bytes int) Config {
	const leastShare = 1. / 8
	scale := float64(bytes) / (4 << 16) // 1 at 2^16 numbers
	share := min(max(math.Pow(scale, 1./4)*leastShare, leastShare), 0.5)
	c.Evidence = max(1, int(share*float64(bytes))/evidenceBytes(c.Outputs))
	row := c.entryBytes() * c.Outputs
	layer, each := int((1-share)*float64(bytes)), 1 // buckets for each row of latent numbers
	if c.Columns > c.Fields {
		each = pairsPerItem
	}
	if c.Latents == 0 {
		c.Buckets = max(1, layer/row)
	} else {
		c.LatentRows = max(1, layer/(row*(each+c.Latents)))
		c.Buckets = each * c.LatentRows
	}
	c.Tau = min(max(1e-3*math.Pow(3, -math.Log2(scale)/4), 3e-4), 3e-3)
	return c
}

// pairsPerItem is the number of buckets for each row of latent numbers, if pairs fill the buckets. Only items of single columns have these.
const pairsPerItem = 8
