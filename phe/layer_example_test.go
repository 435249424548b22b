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

// The encoder under a model of one's own: a regression on shop and product, whose names need no vocabulary. It draws 10
// samples to train and 100 to predict. Each day's sales are one block of data.
func ExampleLayer() {
	items := [][]string{{"shop_Turin", "product_tea"}, {"shop_Turin", "product_ink"}, {"shop_Oslo", "product_tea"}, {"shop_Oslo", "product_ink"}}
	days := [][][]float32{{{5}, {1}, {3}, {0}}, {{6}, {2}, {4}, {1}}}
	layer, err := phe.NewLayer(phe.Paper(), 0)
	check(err)
	regression := func(scope *model.Scope, rows *Node) *Node {
		tables, samples := scope.In("phe"), 100
		if scope.IsTraining(rows.Graph()) {
			samples = 10
		}
		embeddings := layer.Embed(tables, rows, phe.Fresh, samples) // [samples, batch, columns, dim]
		dims := embeddings.Shape().Dimensions
		flat := Reshape(embeddings, dims[0], dims[1], dims[2]*dims[3])
		train.AddRegularizationLoss(MulScalar(layer.KL(tables, rows.Graph()), 0.01/float64(len(items))))
		return ReduceMean(layers.Dense(scope.In("head"), flat, true, 1), 0) // [batch, 1]
	}
	backend, err := gobackend.New("")
	check(err)
	store := model.NewStore()
	check(store.SetRNGStateFromSeed(0))
	adam := optimizer.Adam().LearningRate(0.02).Done()
	trainer := train.NewTrainer(backend, store, regression, loss.MeanSquaredError, adam, nil, nil).WithMainLossMetric()
	batch := func(sales [][]float32) train.Batch {
		rows, err := layer.Rows(items) // an item never seen before needs no preparation
		check(err)
		return train.Batch{Inputs: []*tensors.Tensor{rows}, Labels: []*tensors.Tensor{tensors.FromValue(sales)}}
	}
	for day, sales := range days {
		for range 300 {
			_, err := trainer.TrainStep(batch(sales))
			check(err)
		}
		metrics, err := trainer.EvalStep(batch(sales))
		check(err)
		fmt.Println("day", day, "fits:", tensors.ToScalar[float32](metrics[1]) < 0.1) // mean squared error, without KL
		check(layer.PosteriorToPrior(store.RootScope().In("phe")))
		check(phe.ClearOptimizer(store, adam))
	}
	// Output:
	// day 0 fits: true
	// day 1 fits: true
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
