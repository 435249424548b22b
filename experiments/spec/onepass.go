package spec

import (
	"cmp"
	"slices"

	"gophe/phe"
	"gophe/phe/models/ncf"
	"gophe/phe/onepass"
	"gophe/phe/remedy/fieldpath"
)

// OnePassConfig returns the paper's preset of one pass with the sizes of a model's encoder, without the seed. Items with rows of their own
// learn only a number for each logit.
func OnePassConfig(m Config, start Start, s Shape) onepass.Config {
	c, e := onepass.Paper(s.Columns, s.Numbers, s.Outputs), m.Encoder
	c.BeliefBits = m.Stream.BeliefBits
	if e.Rows == phe.Vocabulary {
		c.Hashing = onepass.Hashing{Dim: e.EmbeddingDim, Buckets: s.Items, Hashes: 1, Assembly: onepass.Mean}
		c.Prior.W = 0
	} else {
		c.Dim, c.Buckets, c.Hashes, c.WeightRows = e.EmbeddingDim, e.NumBuckets, e.NumHashes, e.NumWeights
		if e.Assembly != phe.WeightedSum {
			c.Assembly, c.Prior.W = onepass.Mean, 0
		}
	}
	switch {
	case start == FromPosterior: // the posterior brings its variances
		c.Prior = onepass.Prior{}
	case start == FromInitial: // θ has been learned already; numbers and bias settle in a few rows
		c.Prior.Theta = 0.1
	case e.Rows == phe.Vocabulary:
		c.Dim, c.Prior = s.Outputs, onepass.Prior{E: 10, Block: 10}
	}
	return c
}

// RatingColumns returns the names of the columns of ratings that one pass reads.
func RatingColumns(genres ncf.LabelInput) []string {
	columns := []string{"user", "film"}
	if genres == ncf.Embedded {
		columns = append(columns, "genres")
	}
	return columns
}

// numberBytes is the size of a float32, which holds a number of PHE.
const numberBytes = 4

// ratingShape returns the sizes of ratings for the preset Stream. One pass and its head keep at most as many numbers as the tables of PHE.
func ratingShape(c Config, interactions onepass.Interactions) onepass.Shape {
	s := onepass.Shape{Columns: len(RatingColumns(c.Recommender.Genres)), Head: onepass.Gaussian, Interactions: interactions,
		BeliefBits: c.Stream.BeliefBits}
	return withHead(s, c.Encoder.NumParameters())
}

// withHead sets the memory of a shape so that its tables and its head together keep at most the given count of numbers.
func withHead(s onepass.Shape, numbers int) onepass.Shape {
	s.Memory = 1
	tables, total := StreamNumbers(onepass.Stream(s))
	s.Memory = max(1, numberBytes*(numbers-(total-tables)))
	return s
}

// StreamShape gives a method's shape the sizes of a table for rule Stream, which keeps the method's memory in all. Numbers are items there.
func StreamShape(shape onepass.Shape, s Shape) onepass.Shape {
	shape.Columns, shape.Outputs = s.Columns+s.Numbers, s.Outputs
	if s.Outputs > 1 {
		shape.Head = onepass.Softmax
	}
	return withHead(shape, shape.Memory/numberBytes)
}

// StreamNumbers returns the number of 4-byte numbers that the preset Stream keeps: in its tables, whose size the memory sets, and
// in all. A slot of evidence has check bits with a count, and a mean for each logit.
func StreamNumbers(c onepass.Config) (tables, total int) {
	tables = c.Outputs*(BeliefNumbers(c, c.Buckets)+2*c.LatentRows*c.Latents) + (1+c.Outputs)*c.Evidence
	head := 2 * c.Columns                            // scales
	head += 2*(c.Columns*onepass.EvidenceBins+1) + 2 // weights and bias of evidence, base rate and the rows behind it
	head += 2                                        // the block's bias, with its variance
	if c.Head == onepass.Gaussian {
		head += 5 // scale and noise of the target
	}
	if c.Latents > 0 {
		head += c.Fields * (c.Fields - 1) // weights of the pairs
	}
	return tables, tables + c.Outputs*head
}

// BeliefNumbers returns the number of 4-byte numbers that some beliefs of a model's hashed tables take.
func BeliefNumbers(c onepass.Config, beliefs int) int { return beliefs * cmp.Or(c.BeliefBits, 64) / 32 }

// validateRatingPass checks one pass over ratings.
func (m Method) validateRatingPass(s Spec) error {
	c := s.Config(m, 1)
	switch {
	case m.Start != FromNothing:
		return m.wrong("start", m.Start, "one pass over ratings starts from nothing, so leave it out")
	case m.Rows != phe.Hashed || m.Estimate != phe.Posterior:
		return fieldpath.Errorf("rows",
			"rows of %q is %q and estimate %q; one pass over ratings hashes items and every number is a belief: write %q and %q",
			m.Name, m.Rows, m.Estimate, phe.Hashed, phe.Posterior)
	case m.Assembly != phe.Assembly{}:
		return m.wrong("assembly", m.Assembly, "the preset of one pass has its own, so leave it out")
	case c.Recommender.Genres == ncf.MultiHot:
		return fieldpath.Errorf("recommender.genres", "genres of %q is %q; one pass reads items: choose %q or %q",
			m.Name, ncf.MultiHot, ncf.Embedded, ncf.NoLabels)
	}
	if choices := onepass.AllInteractions(); m.Interactions != "" && !slices.Contains(choices, m.Interactions) {
		return m.wrong("interactions", m.Interactions, "choose one of %q", choices)
	}
	if c.Stream.Memory < minStream {
		return fieldpath.Errorf("model.encoder.num_buckets",
			"num_buckets, num_weights and embedding_dim of %q give PHE %d numbers, too few for one pass; make one of them larger",
			m.Name, c.Encoder.NumParameters())
	}
	return onepass.Stream(c.Stream).Validate()
}

// minStream is the least memory of one pass over ratings, in bytes: a few buckets of each table.
const minStream = 1 << 10
