package phe_test

import (
	"fmt"

	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"gophe/phe"
)

// The encoder under a model of one's own: a regression on shop and product, whose names need no vocabulary.
func ExampleLayer() {
	items := [][]string{{"shop_Turin", "product_tea"}, {"shop_Turin", "product_ink"}, {"shop_Oslo", "product_tea"}, {"shop_Oslo", "product_ink"}}
	sales := [][]float32{{5}, {1}, {3}, {0}}
	layer, err := phe.NewLayer(phe.Default(), 10, 0)
	check(err)
	regression := func(scope *model.Scope, buckets, weights *Node) *Node {
		tables := scope.In("phe")
		embeddings := layer.Embed(tables, buckets, weights) // [samples, batch, columns, dim]
		dims := embeddings.Shape().Dimensions
		flat := Reshape(embeddings, dims[0], dims[1], dims[2]*dims[3])
		train.AddRegularizationLoss(MulScalar(layer.KL(tables, buckets.Graph()), 0.01/float64(len(items))))
		return ReduceMean(layers.Dense(scope.In("head"), flat, true, 1), 0) // [batch, 1]
	}
	backend, err := gobackend.New("")
	check(err)
	store := model.NewStore()
	check(store.SetRNGStateFromSeed(0))
	trainer := train.NewTrainer(backend, store, regression, loss.MeanSquaredError, optimizer.Adam().LearningRate(0.02).Done(), nil, nil)
	var losses []float32
	for range 300 {
		buckets, weights, err := layer.Rows(items) // an item never seen before needs no preparation
		check(err)
		metrics, err := trainer.TrainStep(train.Batch{Inputs: []*tensors.Tensor{buckets, weights}, Labels: []*tensors.Tensor{tensors.FromValue(sales)}})
		check(err)
		losses = append(losses, tensors.ToScalar[float32](metrics[0])) // KL and all
	}
	check(layer.PosteriorToPrior(store.RootScope().In("phe"))) // and on with the next day's sales
	fmt.Println("less than a quarter of the loss is left:", losses[299] < losses[0]/4)
	// Output: less than a quarter of the loss is left: true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
