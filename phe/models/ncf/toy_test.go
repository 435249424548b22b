package ncf_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/ncf"
)

func rowsOf(from, to int) []int32 { return nettest.Rows(from, to) }

// All sizes of the toy are distinct: K = 2, d = 3, 4 samples in training and 6 at test, 5 labels, 7 hidden units,
// 11 users, P = 13, 19 items, B = 17, batches of 29, 97 ratings.
const (
	toyUsers, toyItems, toyLabels = 11, 19, 5
	toyRatings                    = 97
)

// method is one cell of the paper's 2 × 2 table.
type method struct {
	name     string
	rows     phe.RowChoice
	estimate phe.Estimate
}

var methods = []method{
	{"PHE", phe.Hashed, phe.Posterior}, {"Ada", phe.Hashed, phe.Point},
	{"P-EE", phe.Vocabulary, phe.Posterior}, {"EE", phe.Vocabulary, phe.Point},
}

// config of a method on toy data, with beliefs wide enough to count.
func (m method) config() ncf.Config {
	c := ncf.Paper()
	c.Encoder = phe.Config{Rows: m.rows, Estimate: m.estimate, EmbeddingDim: 3, InitialLogStdDev: -1.5}
	if m.rows == phe.Vocabulary {
		c.Encoder.Capacity = 37
	} else {
		c.Encoder.NumBuckets, c.Encoder.NumHashes, c.Encoder.NumWeights = 17, 2, 13
		c.Encoder.Assembly, c.Encoder.Hash = phe.WeightedSum, hash.CarterWegman
	}
	c.Labels = labelNames(toyLabels)
	c.Hidden, c.TrainSamples, c.TestSamples, c.BatchSize, c.LearningRate = 7, 4, 6, 29, 0.05
	return c
}

// toyData has ratings that users' and items' tastes decide: high where both like the same, low where not, with noise. The
// first item has no label, the second has all.
func toyData() ncf.Data {
	rng := rand.New(rand.NewPCG(41, 43))
	d := ncf.Data{ItemLabels: []uint32{0, 1<<toyLabels - 1}}
	for i := range toyUsers {
		d.Users = append(d.Users, fmt.Sprint(i+1))
	}
	for i := range toyItems {
		d.Items = append(d.Items, fmt.Sprint(-i-1))
		if i > 1 {
			d.ItemLabels = append(d.ItemLabels, rng.Uint32N(1<<toyLabels))
		}
	}
	for i := range int32(toyRatings) {
		user, item := rng.Int32N(toyUsers), i%toyItems
		mean := 0.1
		if user%2 == item%2 {
			mean = 0.9
		}
		d.User, d.Item = append(d.User, user), append(d.Item, item)
		d.Ratings = append(d.Ratings, float32(mean+0.1*(2*rng.Float64()-1)))
	}
	return d
}

// labelNames are n labels.
func labelNames(n int) (names []string) {
	for g := range n {
		names = append(names, fmt.Sprint("label_", g))
	}
	return
}

// setLabels changes how the network sees labels.
func setLabels(c *ncf.Config, input ncf.LabelInput) {
	if c.LabelInput = input; input == ncf.NoLabels {
		c.Labels = nil
	}
}

// embedLabels embeds labels, and lets all parameters learn online.
func embedLabels(c *ncf.Config) { c.LabelInput, c.Scope = ncf.Embedded, phe.AllParameters }

// newLearner is a fresh learner of updates of at most maxUpdated ratings. Its calls take only the rows of the tables that they touch.
func newLearner(t testing.TB, c ncf.Config, d ncf.Data, maxUpdated int, seeds ...int64) nettest.Led {
	t.Helper()
	m := filetest.Must(ncf.New(c))(t)
	return nettest.New(t, m.Network, c.Config, learn.Options{Seeds: seeds, MaxUpdated: maxUpdated}, filetest.Must(m.Batch(d))(t))
}
