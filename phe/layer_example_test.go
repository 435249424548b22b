package phe_test

import (
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/fnn"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/metric"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"gophe/phe"
	"gophe/phe/learn/backend"
)

// A regression on shop and product, whose ids need no vocabulary. Each day's sales are a block of data. After the first day the head is
// frozen, and frozen again in the model that resumes from a checkpoint, because a checkpoint keeps no such flag.
func ExampleNew() {
	ids := [][]int32{{7, 10}, {7, 20}, {9, 10}, {9, 20}} // a shop and a product each
	days := [][][]float32{{{5}, {1}, {3}, {0}}, {{6}, {2}, {4}, {1}}, {{7}, {3}, {5}, {2}}}
	regression := func(scope *model.Scope, ids *Node) *Node {
		embedded := phe.New(scope.In("phe"), ids).Rows(4).Buckets(31).Dim(8).Done() // [batch, columns, dim] float32
		return fnn.New(scope.In("fnn"), Reshape(embedded, ids.Shape().Dim(0), -1), 1).Done()
	}
	device, err := backend.Open(backend.Auto)
	check(err)
	var trainer *train.Trainer
	adam := optimizer.Adam().LearningRate(0.05).Done()
	learn := func(sales [][]float32) (squared float32) {
		batch := train.Batch{Inputs: []*tensors.Tensor{tensors.FromValue(ids)}, Labels: []*tensors.Tensor{tensors.FromValue(sales)}}
		for range 60 {
			_, err := trainer.TrainStep(batch)
			check(err)
		}
		metrics, err := trainer.EvalStep(batch)
		check(err)
		return tensors.ToScalar[float32](metrics[0])
	}
	freeze := func(store *model.Store) {
		for v := range store.RootScope().In("fnn").IterVariables() {
			v.SetTrainable(false)
		}
	}
	start := func(store *model.Store) {
		trainer = train.NewTrainer(device, store, regression, loss.MeanSquaredError, adam, nil, nil)
	}

	store := model.NewStore()
	check(store.SetRNGStateFromSeed(0))
	store.SetParam("/"+phe.ParamKLWeight, 0.01) // four rows say little against the prior
	start(store)
	fmt.Println("day 0 fits:", learn(days[0]) < 0.2)
	freeze(store)
	start(store) // the step compiles anew, without the head
	check(phe.NextBlock(store, adam, 4))
	fmt.Println("day 1 fits:", learn(days[1]) < 0.2)

	saved, err := checkpoint.Build(store).TempDir("", "sales").Done()
	check(err)
	check(saved.Save())
	later := model.NewStore() // in another program
	_, err = checkpoint.Load(later).Dir(saved.Dir()).Immediate().Done()
	check(err)
	freeze(later)
	start(later)
	check(phe.NextBlock(later, adam, 4))
	fmt.Println("day 2 fits:", learn(days[2]) < 0.2)
	// Output:
	// day 0 fits: true
	// day 1 fits: true
	// day 2 fits: true
}

// Several samples: the loss is the mean of theirs, and a forecast the mean of their probabilities. New items have ids at once.
func ExampleLayer_Samples() {
	const samples = 10
	logits := func(scope *model.Scope, ids *Node) *Node { // [samples·batch, 1]
		embedded := phe.New(scope.In("phe"), ids).Rows(4).Buckets(31).Dim(8).Samples(samples).Done()
		return layers.Dense(scope.In("head"), Reshape(embedded, embedded.Shape().Dim(0), -1), true, 1)
	}
	probabilities := func(scope *model.Scope, ids *Node) *Node { // [batch, 1]
		return phe.AverageSamples(Sigmoid(logits(scope, ids)), ids.Shape().Dim(0))
	}
	accuracy := metric.NewMeanMetric("accuracy", "", "", func(scope *model.Scope, labels, logits []*Node) *Node {
		mean := phe.AverageSamples(Sigmoid(logits[0]), labels[0].Shape().Dim(0)) // a metric gets all samples
		return metric.BinaryAccuracyGraph(scope, labels, []*Node{mean})
	}, nil)
	device, err := backend.Open(backend.Auto)
	check(err)
	store := model.NewStore()
	check(store.SetRNGStateFromSeed(0))
	trainer := train.NewTrainer(device, store, logits, phe.RepeatLabels(loss.BinaryCrossentropyLogits),
		optimizer.Adam().LearningRate(0.05).Done(), nil, []metric.Interface{accuracy})
	ids := func(visits ...[]string) *tensors.Tensor {
		ids, err := phe.IDs([]string{"shop", "product"}, visits) // [rows, columns] int64
		check(err)
		return ids
	}
	visits := ids([]string{"Turin", "tea"}, []string{"Turin", "ink"}, []string{"Oslo", "tea"}, []string{"Oslo", "ink"})
	sold := tensors.FromValue([][]float32{{1}, {0}, {1}, {0}})
	batch := train.Batch{Inputs: []*tensors.Tensor{visits}, Labels: []*tensors.Tensor{sold}}
	for range 80 {
		_, err := trainer.TrainStep(batch)
		check(err)
	}
	metrics, err := trainer.EvalStep(batch)
	check(err)
	fmt.Println("accuracy", metrics[1].Value())
	forecast, err := model.CallOnce(device, store, probabilities, ids([]string{"Rome", "tea"}, []string{"Rome", "ink"}))
	check(err)
	p := forecast.Value().([][]float32)
	fmt.Println(forecast.Shape(), "a new shop sells tea:", p[0][0] > 0.5, "and ink:", p[1][0] > 0.5)
	// Output:
	// accuracy 1
	// (Float32)[2, 1] a new shop sells tea: true and ink: false
}

// Strings are hashed on the host. The same string has the same embedding in each row, and one that nobody has seen has one at once.
func ExampleIDs() {
	ids, err := phe.IDs([]string{"shop", "product"}, [][]string{{"Turin", "tea"}, {"Oslo", "tea"}, {"Rome", "never seen"}})
	check(err)
	device, err := backend.Open(backend.Auto)
	check(err)
	embedded, err := model.CallOnce(device, model.NewStore(), func(scope *model.Scope, ids *Node) *Node {
		return phe.New(scope, ids).Rows(3).Dim(4).Done()
	}, ids)
	check(err)
	e := embedded.Value().([][][]float32)
	fmt.Println(embedded.Shape(), "tea is tea:", slices.Equal(e[0][1], e[1][1]), "and Turin Oslo:", slices.Equal(e[0][0], e[1][0]))
	// Output: (Float32)[3, 2, 4] tea is tea: true and Turin Oslo: false
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
