package lesson

import (
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"gonum.org/v1/gonum/stat/distmv"

	"gophe/notebooks/cell"
	"gophe/phe"
	"gophe/phe/belief"
	"gophe/phe/hash"
	"gophe/phe/learn/backend"
)

// Compile returns a graph as a function of columns of numbers. Each argument becomes a node [values, 1] float32. Results come back
// as flat lists. The graph runs on the pure-Go backend. Compile and the function panic where a graph cannot be built, because a
// notebook's cell cannot return an error.
func Compile(build func(args []*graph.Node) []*graph.Node) func(args ...[]float64) [][]float64 {
	program := cell.Must(graph.NewExec(cell.Must(backend.Open(backend.Go)), build))
	return func(args ...[]float64) [][]float64 {
		columns := make([]any, len(args))
		for i, values := range args {
			columns[i] = tensors.FromFlatDataAndDimensions(belief.Converted[float32](values), len(values), 1)
		}
		var flat [][]float64
		for _, result := range cell.Must(program.Call(columns...)) {
			flat = append(flat, belief.Converted[float64](cell.Must(tensors.CopyFlatData[float32](result))))
			result.FinalizeAll()
		}
		return flat
	}
}

// Value returns the value of an objective at a belief of independent rows. The objective's arguments are the means and the log σ.
func Value(objective func(args []*graph.Node) *graph.Node, q *distmv.Normal) float64 {
	program := Compile(func(args []*graph.Node) []*graph.Node { return []*graph.Node{objective(args)} })
	return program(q.Mean(nil), LogStdDevs(q))[0][0]
}

// Row returns a constant of a graph, [values] float32.
func Row(g *graph.Graph, values []float64) *graph.Node {
	return graph.Const(g, belief.Converted[float32](values))
}

// Embed returns X·E under the samples of a scheme, as the library's encoder draws them: [samples, observations, 1]. All observations
// must use the same number of rows. Scheme Quadrature has its own number of samples.
func (c Conjugate) Embed(tables phe.Tables, scheme phe.Scheme, samples int) *graph.Node {
	g, slots, index := tables.E.Mean.Graph(), [][]int32{}, [][]int32{}
	for i, x := range c.X {
		var rows []int32
		for row, times := range x {
			for range int(times) {
				rows = append(rows, int32(row))
			}
		}
		slots, index = append(slots, rows), append(index, []int32{int32(i)})
	}
	encoder := cell.Must(phe.NewEncoder(phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 1,
		NumBuckets: max(2, len(c.X[0])), NumHashes: len(slots[0]), Assembly: phe.PlainSum, Hash: hash.CarterWegman}))
	items := phe.Slots{Buckets: graph.Const(g, slots)}
	noise := phe.Noise{Keys: graph.Const(g, []uint32{phe.NoiseKey(0, string(scheme))})}
	if !scheme.NeedsOneLogit() {
		return graph.Squeeze(encoder.Embed(tables, items, graph.Const(g, index), scheme, samples, noise), -1)
	}
	column, head := graph.Const(g, make([]int32, len(slots))), graph.Const(g, [][][]float32{{{1}}})
	logits := encoder.Linear(tables, items, column, head, nil)
	sums := logits(graph.Const(g, index), graph.Const(g, make([]float32, len(slots))), scheme, samples, noise)
	return graph.InsertAxes(sums, -1)
}
