// Command late forecasts the sales of a shop whose products and customers keep coming: is a line of an order for twelve pieces or more?
// It learns 10,000 lines, and then forecasts each block of lines before it learns it. Items that come late have embeddings at once.
//
//	go run ./late retail.csv go    # or xla:cpu; zstd -dc ../../data/uci/retail.csv.zst > retail.csv unpacks the file
package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers/fnn"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/janpfeifer/must"

	"gophe/phe"
	"gophe/phe/learn/backend"
)

const initial, block, batch = 10_000, 1_000, 125

func main() {
	var names = []string{"StockCode", "CustomerID", "Country"}
	var items [][]string
	var labels []float32
	for _, r := range must.M1(csv.NewReader(must.M1(os.Open(os.Args[1]))).ReadAll())[1:] {
		if n, _ := strconv.Atoi(r[3]); n > 0 { // the others are returns
			items, labels = append(items, []string{r[1], r[6], r[7]}), append(labels, map[bool]float32{true: 1}[n >= 12])
		}
	}
	size := phe.ForVocabulary(2048)
	size.EmbeddingDim, size.InitialLogStdDev = 8, -4
	logits := func(scope *model.Scope, ids *Node) *Node { // [samples·batch, 1]
		embedded := phe.New(scope.In("phe"), ids).Config(size).Rows(initial).Samples(8).Done()
		return fnn.New(scope.In("head"), Reshape(embedded, embedded.Shape().Dim(0), -1), 1).Done()
	}
	on, store, adam := must.M1(backend.Open(os.Args[2])), model.NewStore(), optimizer.Adam().LearningRate(0.003).Done()
	must.M(store.SetRNGStateFromSeed(0))
	trainer := train.NewTrainer(on, store, logits, phe.RepeatLabels(loss.BinaryCrossentropyLogits), adam, nil, nil)
	forecast := must.M1(model.NewExec1(on, store, func(scope *model.Scope, ids *Node) *Node {
		return phe.AverageSamples(Sigmoid(logits(scope, ids)), ids.Shape().Dim(0)) // the mean of probabilities
	}))
	learn := func(from, to, epochs int) {
		for range epochs {
			for at := from; at < to; at += batch {
				ids, y := must.M1(phe.IDs(names, items[at:at+batch])), tensors.FromFlatDataAndDimensions(labels[at:at+batch], batch, 1)
				must.M1(trainer.TrainStep(train.Batch{Inputs: []*tensors.Tensor{ids}, Labels: []*tensors.Tensor{y}}))
			}
		}
	}
	learn(0, initial, 8)
	for v := range store.RootScope().In("head").IterVariables() {
		v.SetTrainable(false) // from now on the beliefs alone learn
	}
	trainer.ResetComputationGraphs()
	known := map[string]bool{}
	for _, row := range items[:initial] {
		known["product "+row[0]], known["customer "+row[1]] = true, true
	}
	nats, rows := map[bool]float64{}, map[bool]float64{}
	for from := initial; from+block <= len(items); from += block {
		p := must.M1(tensors.CopyFlatData[float32](must.M1(forecast.Call(must.M1(phe.IDs(names, items[from:from+block]))))))
		for i, row := range items[from : from+block] {
			late := !known["product "+row[0]] || !known["customer "+row[1]]
			rows[late], nats[late] = rows[late]+1, nats[late]-math.Log(max(1e-7, math.Abs(float64(p[i]+labels[from+i]-1))))
		}
		must.M(phe.NextBlock(store, adam, block)) // the posterior becomes the prior
		learn(from, from+block, 3)
	}
	for _, late := range []bool{true, false} {
		fmt.Printf("%.0f rows, late items %t: log-loss %.4f\n", rows[late], late, nats[late]/rows[late])
	}
}
