package phe

import (
	"cmp"
	"math"

	"gophe/phe/hash"
	"gophe/phe/remedy/fieldpath"
)

// RowChoice says which rows of the table an item uses.
type RowChoice string

// Estimate says whether a table entry is a belief or a number.
type Estimate string

// The four methods of the paper (Sec. 4.1) are two choices: PHE = Hashed + Posterior, Ada = Hashed + Point,
// P-EE = Vocabulary + Posterior, EE = Vocabulary + Point.
const (
	Hashed     RowChoice = "hash"       // K universal hashes into a table of fixed size; items may collide
	Vocabulary RowChoice = "vocabulary" // one row for each item, in order of arrival; the table grows with the items

	Posterior Estimate = "posterior" // a Gaussian belief: mean and standard deviation
	Point     Estimate = "point"     // a number, as in ordinary embeddings
)

// Config describes an encoder. The letters are the paper's (Sec. 3.2 and Supp. G.3).
type Config struct {
	Rows     RowChoice `json:"rows"`
	Estimate Estimate  `json:"estimate"`

	EmbeddingDim int `json:"embedding_dim"` // d, at least 1

	NumBuckets int          `json:"num_buckets,omitempty"` // B, rows of table E; Hashed only, at least 2
	NumHashes  int          `json:"num_hashes,omitempty"`  // K, at least 1; Hashed only
	NumWeights int          `json:"num_weights,omitempty"` // P, rows of table W; 0 unless Assembly is WeightedSum: there is no W
	Assembly   Assembly     `json:"assembly,omitzero"`     // g; Hashed only
	Hash       hash.Variant `json:"hash,omitempty"`        // Hashed only
	HashSeed   int64        `json:"hash_seed,omitempty"`   // draws the functions; hash.Authors has only one draw

	// HashDraws, if above 0, is a number of draws, from HashSeed on. [Config.Chosen] takes the draw that keeps the known items apart best:
	// the remedy of Supp. D and G.6. hash.Authors has none.
	HashDraws int `json:"hash_draws,omitempty"`

	Capacity int `json:"capacity,omitempty"` // V, rows of table E; Vocabulary only, at least 1

	// InitialLogStdDev is the initial log σ of every entry. The authors' program takes −10; the paper does not say. Adam moves it by at
	// most the learning rate a step. With few initial steps take −4 or −2: else a row that no initial item uses stays too narrow to learn.
	InitialLogStdDev float64 `json:"initial_log_std_dev"`
	// InitialMeanStdDev is the standard deviation of the initial means; 0 means 1, as in the authors' program.
	InitialMeanStdDev float64 `json:"initial_mean_std_dev,omitempty"`

	// Prior is the prior of both tables before any data; the zero value is N(0, 1).
	Prior Prior `json:"prior,omitzero"`
}

// Paper returns PHE at the size that the paper uses for Adult, Bank and Covertype (Supp. G.3): B = 7, K = 3, d = 20, P = 11. It
// has 346 parameters, and exact Carter–Wegman hashes. Take [ForItems] or [ForVocabulary] for data of your own.
func Paper() Config {
	return Config{
		Rows: Hashed, Estimate: Posterior, EmbeddingDim: 20,
		NumBuckets: 7, NumHashes: 3, NumWeights: 11, Assembly: WeightedSum, Hash: hash.CarterWegman,
		InitialLogStdDev: -10,
	}
}

// UsualDraws is the number of draws among which hash functions are chosen by default where items are known beforehand.
const UsualDraws = 64

// ForItems returns [ForVocabulary] of the items in rows, which are known beforehand, with the best of [UsualDraws] draws for them. Each row
// has one value of every column, and an item is column_value, as for [IDs]. An item weighs as much as the rows that have it.
func ForItems(columns []string, rows [][]string) (Config, error) {
	known, place := []hash.Item{}, map[string]int{}
	err := named(columns, rows, func(column int, item string) {
		at, found := place[item]
		if !found {
			at, place[item] = len(known), len(known)
			known = append(known, hash.Item{Key: hash.CarterWegman.Key(item), Column: column})
		}
		known[at].Weight++
	})
	if err != nil {
		return Config{}, err
	}
	c := ForVocabulary(len(known))
	c.HashDraws = UsualDraws
	return c.Chosen(known)
}

// ForVocabulary returns PHE for about a number of items, which need not be known. On average three items use a bucket. Of all pairs,
// 1/(2·items²) have all rows in common. Embeddings begin small and uncertain, so a new item hardly sways a forecast and learns fast.
func ForVocabulary(items int) Config {
	c, rows := Paper(), min(max(items, 31), 1<<22) // fewer would save nothing, and more would take gigabytes
	c.EmbeddingDim, c.NumBuckets, c.NumWeights = 16, rows, rows
	c.InitialLogStdDev, c.InitialMeanStdDev = -2, 0.3
	return c
}

// maxLogStdDev bounds log σ: beyond it, σ or 1/σ is infinite in 32 bits.
const maxLogStdDev = 80

// Validate returns the first thing wrong with the configuration and what would be right.
func (c Config) Validate() error {
	err := cmp.Or(fieldpath.OneOf("rows", c.Rows, Hashed, Vocabulary), fieldpath.OneOf("estimate", c.Estimate, Posterior, Point))
	if err != nil {
		return err
	}
	switch {
	case c.EmbeddingDim < 1 || c.EmbeddingDim > 4096:
		return fieldpath.Errorf("embedding_dim", "embedding_dim is %d; it must lie in 1…4096", c.EmbeddingDim)
	case !(c.InitialMeanStdDev >= 0 && c.InitialMeanStdDev <= math.MaxFloat64):
		return fieldpath.Errorf("initial_mean_std_dev", "initial_mean_std_dev is %g; it must be 0 (which is 1) or more, and finite",
			c.InitialMeanStdDev)
	case !(math.Abs(c.InitialLogStdDev) <= maxLogStdDev):
		return fieldpath.Errorf("initial_log_std_dev", "initial_log_std_dev is %g; it must lie in -%d…%[2]d (the authors take -10)",
			c.InitialLogStdDev, maxLogStdDev)
	case c.Prior != (Prior{}) && (c.Prior.name == "" || c.Prior.own == nil || c.Estimate == Point):
		return fieldpath.Errorf("prior", "prior is %q, of a %s; leave it out, or give a posterior phe.NewPrior's value of that name",
			c.Prior, c.Estimate)
	case c.Rows == Vocabulary:
		return c.validateVocabulary()
	}
	return c.validateHash()
}

func (c Config) validateVocabulary() error {
	switch {
	case c.Capacity < 1:
		return fieldpath.Errorf("capacity", "capacity is %d; a vocabulary needs at least 1 row", c.Capacity)
	case c.NumBuckets != 0 || c.NumHashes != 0 || c.NumWeights != 0 || c.Hash != "" || c.Assembly != Assembly{} || c.HashDraws != 0:
		return fieldpath.Errorf(fieldpath.First([]string{"num_buckets", "num_hashes", "num_weights", "hash", "assembly", "hash_draws"},
			c.NumBuckets != 0, c.NumHashes != 0, c.NumWeights != 0, c.Hash != "", c.Assembly != Assembly{}, c.HashDraws != 0),
			"num_buckets, num_hashes, num_weights, assembly, hash and hash_draws belong to rows %q; leave them out with %q",
			Hashed, Vocabulary)
	}
	return nil
}

func (c Config) validateHash() error {
	switch {
	case c.NumBuckets < 2:
		return fieldpath.Errorf("num_buckets", "num_buckets (B) is %d; it must be at least 2, and is best a prime", c.NumBuckets)
	case c.NumHashes < 1 || c.NumHashes > 64:
		return fieldpath.Errorf("num_hashes", "num_hashes (K) is %d; it must lie in 1…64 (the paper advises 2 or 3)", c.NumHashes)
	case c.Capacity != 0:
		return fieldpath.Errorf("capacity", "capacity belongs to rows %q; leave it out with %q", Vocabulary, Hashed)
	case c.HashDraws < 0 || c.HashDraws > hash.MaxDraws || c.HashDraws > 0 && c.Hash == hash.Authors:
		return fieldpath.Errorf("hash_draws", "hash_draws is %d; it must lie in 0…%d, and be 0 with hash %q, which has one draw",
			c.HashDraws,
			hash.MaxDraws, hash.Authors)
	case c.Assembly == WeightedSum && c.NumWeights < 1:
		return fieldpath.Errorf("num_weights", "num_weights (P) is %d; assembly %q needs at least 1 row of weights",
			c.NumWeights, WeightedSum)
	case c.Assembly != WeightedSum && combinations[c.Assembly.name] != nil && c.NumWeights != 0:
		return fieldpath.Errorf("num_weights", "num_weights (P) is %d; only assembly %q has weights, so leave it 0",
			c.NumWeights, WeightedSum)
	}
	if err := c.Assembly.validate(); err != nil {
		return err
	}
	// A variant limits the number of hash functions.
	_, err := hash.NewFamily(c.Hash, c.NumHashes, c.NumBuckets, c.NumWeights, c.HashSeed)
	return fieldpath.In("hash", err)
}

// Chosen returns the configuration with the best of HashDraws draws for items, and no draws left to choose from. Give it the items that
// are known before the stream begins, and none of later ones.
func (c Config) Chosen(items []hash.Item) (Config, error) {
	if c.HashDraws == 0 {
		return c, nil
	}
	seed, err := hash.Best(c.Hash, c.NumHashes, c.NumBuckets, c.NumWeights, items, c.HashSeed, c.HashDraws)
	c.HashSeed, c.HashDraws = seed, 0
	return c, fieldpath.In("hash_draws", err)
}

// TableRows returns the number of rows of table E: B, or the vocabulary's capacity.
func (c Config) TableRows() int {
	if c.Rows == Vocabulary {
		return c.Capacity
	}
	return c.NumBuckets
}

// RowsPerItem returns the number of rows of E that an item uses: K, or 1 with a vocabulary.
func (c Config) RowsPerItem() int {
	if c.Rows == Vocabulary {
		return 1
	}
	return c.NumHashes
}

// NumParameters returns the number of parameters in the embedding module (Table 4): B·d + P·K or V·d. A posterior doubles it.
func (c Config) NumParameters() int {
	n := c.TableRows()*c.EmbeddingDim + c.NumWeights*c.NumHashes
	if c.Estimate == Posterior {
		n *= 2
	}
	return n
}

// UpdateScope says which parameters online learning changes after the initial phase (Sec. 3.3, Table 6). In every scope the
// posterior becomes the prior, and Adam starts fresh before each step of the stream.
type UpdateScope string

const (
	// IncrementalColumn is the paper's scope: the tables learn, and the likelihood's gradient flows through the embeddings of
	// the one column whose vocabulary grows. Rows that its items share with other columns' items move too.
	IncrementalColumn UpdateScope = "incremental-column"
	// AllColumns lets the gradient flow through every column. The rest of the model stays frozen.
	AllColumns UpdateScope = "all-columns"
	// AllParameters trains the rest of the model too.
	AllParameters UpdateScope = "all-parameters"
)
