package phe_test

import (
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
)

// Table 4, from the sizes of Supp. G.3. MovieLens is at d = 20, which the table needs; the authors' file says 50.
func TestNumParametersTable4(t *testing.T) {
	hashed := func(b, k, d, p int) phe.Config {
		c := phe.Paper()
		c.NumBuckets, c.NumHashes, c.EmbeddingDim, c.NumWeights = b, k, d, p
		return c
	}
	onePerItem := func(items, d int) phe.Config {
		return phe.Config{Rows: phe.Vocabulary, Estimate: phe.Posterior, EmbeddingDim: d, Capacity: items, InitialLogStdDev: -10}
	}
	point := phe.Paper()
	point.Estimate = phe.Point
	for _, c := range []struct {
		name   string
		config phe.Config
		want   int
	}{
		{"PHE, Adult, Bank and Covertype", phe.Paper(), 346},
		{"a vocabulary of 3: B = P = 31", phe.ForVocabulary(3), 2 * 31 * (16 + 3)},
		{"a vocabulary of 5,000", phe.ForVocabulary(5000), 2 * 5000 * (16 + 3)},
		{"PHE, Mushroom", hashed(5, 3, 5, 1), 56},
		{"PHE, Retail", hashed(109, 3, 20, 109), 5014},
		{"PHE, MovieLens", hashed(10009, 3, 20, 10009), 460414},
		{"P-EE, Adult, 98 items", onePerItem(98, 20), 3920},
		{"Ada, Adult: half of PHE", point, 173},
	} {
		t.Run(c.name, func(t *testing.T) {
			filetest.Check(t, c.config.Validate())
			filetest.Want(t, c.config.NumParameters(), c.want, "parameters")
		})
	}
}

func TestConfigValidate(t *testing.T) {
	vocabulary := phe.Config{Rows: phe.Vocabulary, Estimate: phe.Point, EmbeddingDim: 3, Capacity: 5}
	for _, c := range []struct {
		name   string
		from   phe.Config
		damage func(*phe.Config)
	}{
		{"no rows", phe.Paper(), func(c *phe.Config) { c.Rows = "" }},
		{"unknown estimate", phe.Paper(), func(c *phe.Config) { c.Estimate = "mode" }},
		{"d = 0", phe.Paper(), func(c *phe.Config) { c.EmbeddingDim = 0 }},
		{"d = 4097", phe.Paper(), func(c *phe.Config) { c.EmbeddingDim = 4097 }},
		{"B = 0", phe.Paper(), func(c *phe.Config) { c.NumBuckets = 0 }},
		{"B = 1", phe.Paper(), func(c *phe.Config) { c.NumBuckets = 1 }},
		{"K = 0", phe.Paper(), func(c *phe.Config) { c.NumHashes = 0 }},
		{"K = 65", phe.Paper(), func(c *phe.Config) { c.NumHashes = 65 }},
		{"P = 0 with weights", phe.Paper(), func(c *phe.Config) { c.NumWeights = 0 }},
		{"P = -1", phe.Paper(), func(c *phe.Config) { c.NumWeights = -1 }},
		{"P without weights", phe.Paper(), func(c *phe.Config) { c.Assembly = phe.Average }},
		{"unknown assembly", phe.Paper(), func(c *phe.Config) { _, c.NumWeights = c.Assembly.UnmarshalText([]byte("product")), 0 }},
		{"unknown hash", phe.Paper(), func(c *phe.Config) { c.Hash = "md5" }},
		{"no hash", phe.Paper(), func(c *phe.Config) { c.Hash = "" }},
		{"no draw", phe.Paper(), func(c *phe.Config) { c.HashDraws = -1 }},
		{"a billion draws", phe.Paper(), func(c *phe.Config) { c.HashDraws = 1e9 }},
		{"draws of the authors' hash", phe.Paper(), func(c *phe.Config) { c.Hash, c.HashDraws = hash.Authors, 2 }},
		{"capacity with hashes", phe.Paper(), func(c *phe.Config) { c.Capacity = 5 }},
		{"no capacity", vocabulary, func(c *phe.Config) { c.Capacity = 0 }},
		{"buckets with a vocabulary", vocabulary, func(c *phe.Config) { c.NumBuckets = 7 }},
		{"draws with a vocabulary", vocabulary, func(c *phe.Config) { c.HashDraws = 2 }},
		{"hash with a vocabulary", vocabulary, func(c *phe.Config) { c.Hash = hash.Authors }},
		{"assembly with a vocabulary", vocabulary, func(c *phe.Config) { c.Assembly = phe.PlainSum }},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := c.from
			filetest.Check(t, config.Validate())
			c.damage(&config)
			filetest.True(t, config.Validate() != nil, "accepted")
			filetest.True(t, filetest.Failure(phe.NewEncoder(config)) != nil, "NewEncoder accepted it")
		})
	}
}

func TestAssembliesValidate(t *testing.T) {
	assemblies := map[phe.Assembly]bool{{}: false, phe.WeightedSum: true, phe.PlainSum: true, phe.Average: true,
		phe.Maximum: true, phe.Minimum: true}
	for assembly, right := range assemblies {
		c := phe.Paper()
		if c.Assembly = assembly; assembly != phe.WeightedSum {
			c.NumWeights = 0
		}
		filetest.Want(t, c.Validate() == nil, right, "assembly %q: accepted", assembly)
	}
}

// An encoder waits until the best draw for the known items is chosen.
func TestChosen(t *testing.T) {
	c := phe.Paper()
	c.HashSeed, c.HashDraws = 5, 64
	filetest.WantError(t, filetest.Failure(phe.NewEncoder(c)), "Config.Chosen")
	var known []hash.Item
	for key := range uint64(7) {
		known = append(known, hash.Item{Key: key, Weight: 1})
	}
	want := c
	want.HashSeed, want.HashDraws = filetest.Must(hash.Best(c.Hash, 3, 7, 11, known, 5, 64))(t), 0
	filetest.Want(t, filetest.Must(c.Chosen(known))(t), want, "the chosen configuration")
	filetest.True(t, want.HashSeed != 5, "the first draw is the best, and shows no choice")
}

// The items of rows choose the sizes and the draw: each item of a column weighs as much as the rows that have it.
func TestForItems(t *testing.T) {
	columns, rows := []string{"a", "b"}, [][]string{{"1", "1"}, {"2", "1"}, {"1", "2"}}
	want := phe.ForVocabulary(4)
	var known []hash.Item
	for i, item := range []string{"a_1", "b_1", "a_2", "b_2"} {
		known = append(known, hash.Item{Key: want.Hash.Key(item), Column: i % 2, Weight: float64(2 - i/2)})
	}
	want.HashSeed = filetest.Must(hash.Best(want.Hash, want.NumHashes, want.NumBuckets, want.NumWeights, known, 0, phe.UsualDraws))(t)
	filetest.Want(t, filetest.Must(phe.ForItems(columns, rows))(t), want, "the configuration")
	filetest.True(t, want.HashSeed != 0, "the first draw is the best, and shows no choice")
	filetest.True(t, filetest.Failure(phe.ForItems(columns[:1], rows)) != nil, "two items for one column were taken")
}
