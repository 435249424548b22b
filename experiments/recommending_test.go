package experiments

import (
	"testing"

	"gophe/phe"
	"gophe/phe/ncf"
)

// tinyRatings is a recommender's spec with little of everything, on generated ratings.
func tinyRatings(t *testing.T) Spec {
	t.Helper()
	c := ncf.Default()
	c.Encoder.EmbeddingDim, c.Encoder.NumBuckets, c.Encoder.NumHashes, c.Encoder.NumWeights = 3, 31, 2, 17
	c.Encoder.InitialLogStdDev = -2
	c.Hidden, c.TrainSamples, c.TestSamples, c.BatchSize = 3, 2, 3, 256
	spec := Spec{
		Name: "tiny", Title: "for tests", Dataset: "generated-320k", Convention: Paper, Protocol: full[Recommend], Seeds: []int64{0, 1},
		Model: c.Config, Recommender: &c.Recommender,
		Methods: []Method{
			{Name: "PHE", Rows: phe.Hash, Estimate: phe.Posterior, UpdateEpochs: 2},
			{Name: "Ada", Rows: phe.Hash, Estimate: phe.Point, UpdateEpochs: 1},
		},
	}
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	return spec
}
