package learn

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
)

// graph builds the parts of a graph that all networks share. The parameters are a list of nodes, first those in the embedding
// module:
//
//	E mean, E log σ      [runs·rows, dim]            log σ with a posterior only
//	W mean, W log σ      [runs·weights, hashes]      with assembly weighted-sum only
//	θ                    [runs, …] each              the network's
type graph struct {
	Config
	encoder *phe.Encoder // builds graphs, and hashes no item
	network Network
	runs    int
}

// numEmbedding returns the number of parameters in the embedding module.
func (m graph) numEmbedding() int {
	names, _ := m.layout(m.Encoder)
	return len(names) - len(m.network.Weights)
}

// numTables returns 2 with a table W, and else 1.
func (m graph) numTables() int { return min(m.Encoder.NumWeights, 1) + 1 }

// tableOf returns 0 for a parameter of table E, and 1 for one of W.
func (m graph) tableOf(parameter int) int { return parameter * m.numTables() / m.numEmbedding() }

func (m graph) numParameters() int { return m.numEmbedding() + len(m.network.Weights) }

// numUpdated returns the number of parameters that online learning moves. They are the first ones.
func (m graph) numUpdated() int {
	if m.Scope == phe.AllParameters {
		return m.numParameters()
	}
	return m.numEmbedding()
}

// layout returns the names and the shapes of the parameters, in order. encoder gives the sizes of the tables.
func (m graph) layout(encoder phe.Config) (names []string, shapes [][]int) {
	table := func(name string, dims ...int) {
		names, shapes = append(names, name+" mean"), append(shapes, dims)
		if encoder.Estimate == phe.Posterior {
			names, shapes = append(names, name+" log σ"), append(shapes, dims)
		}
	}
	table("E", m.runs*encoder.TableRows(), encoder.EmbeddingDim)
	if encoder.NumWeights > 0 {
		table("W", m.runs*encoder.NumWeights, encoder.NumHashes)
	}
	for i, w := range m.network.Weights {
		names, shapes = append(names, fmt.Sprintf("θ %d %s", i, w.Name)), append(shapes, append([]int{m.runs}, w.Dims...))
	}
	return names, shapes
}

// tables returns the tables, which the first parameters hold.
func (m graph) tables(parameters []*Node) phe.Tables {
	next := func() *Node { p := parameters[0]; parameters = parameters[1:]; return p }
	belief := func() phe.Gaussian {
		mean := next()
		if m.Encoder.Estimate == phe.Point {
			return phe.FromLogStdDev(mean, nil)
		}
		return phe.FromLogStdDev(mean, next())
	}
	t := phe.Tables{E: belief()}
	if m.Encoder.NumWeights > 0 {
		t.W = belief()
	}
	return t
}

const noiseWeights = 100 // the encoder's own uses are small numbers

// initialParameters draws the tables as [phe.Encoder.InitialTables] does, with each run's log σ, and θ as [Weight] says.
func (m graph) initialParameters(noise phe.Noise, logStdDev *Node) []*Node {
	parameters := m.encoder.InitialTables(noise, m.runs)
	for i := 1; m.Encoder.Estimate == phe.Posterior && i < len(parameters); i += 2 {
		parameters[i] = Add(ZerosLike(parameters[i]), byRun(logStdDev, parameters[i]))
	}
	for i, w := range m.network.Weights {
		drawn := MulScalar(noise.Uniform(noiseWeights+uint32(i), 1, m.runs, product(w.Dims)), w.Limit)
		parameters = append(parameters, Reshape(drawn, append([]int{m.runs}, w.Dims...)...))
	}
	return parameters
}

// arrays returns the places of a batch's arrays in a graph.
func (m graph) arrays() arrays[*Node] {
	return arrays[*Node]{Weights: make([]*Node, m.numTables()-1), Inputs: make([]*Node, len(m.network.Inputs))}
}

// pass returns the pass of a batch's records, [runs, records] int32.
func (m graph) pass(tables phe.Tables, weights []*Node, records *Node, a arrays[*Node], noise phe.Noise, training bool) Pass {
	dims := records.Shape().Dimensions
	runs, n := dims[0], dims[1]
	slots := phe.Slots{Buckets: a.Buckets}
	p := Pass{Weights: weights, Samples: m.TestSamples, Training: training, Noise: noise, Inputs: map[string]*Node{},
		Runs: runs, Records: n, Items: a.Columns.Shape().Size(), model: m, tables: tables}
	if training {
		p.Samples, p.masked = m.TrainSamples, m.Scope == phe.IncrementalColumn
	}
	if len(a.Weights) > 0 {
		slots.Weights = a.Weights[0]
	}
	p.slots = stack(slots, runs, tables)
	p.columns = Reshape(BroadcastToDims(InsertAxes(a.Columns, 0), runs, p.Items), -1)
	at, lead := Reshape(records, runs*n, 1), []int{runs, n}
	if a.Members.Rank() > 1 { // records are sequences
		length := a.Members.Shape().Dimensions[1]
		at, lead = Reshape(Gather(a.Members, at), runs*n*length, 1), []int{runs, n, length}
	}
	shaped := func(x *Node, dims ...int) *Node { return Reshape(x, append(append([]int{}, lead...), dims...)...) }
	p.Index = shaped(p.OwnItems(Gather(a.Index, at)), a.Index.Shape().Dimensions[1])
	for i, spec := range m.network.Inputs {
		p.Inputs[spec.Name] = shaped(Gather(a.Inputs[i], at), spec.Dims...)
	}
	p.Targets = shaped(Gather(a.Targets, at))
	return p
}

// stack repeats slots for each run, and points each copy to its run's rows of the stacked tables: [runs·items, hashes].
func stack(s phe.Slots, runs int, tables phe.Tables) phe.Slots {
	perRun := func(table phe.Gaussian) int { return table.Mean.Shape().Dimensions[0] / runs }
	stacked := phe.Slots{Buckets: stackRows(s.Buckets, runs, perRun(tables.E))}
	if s.Weights != nil {
		stacked.Weights = stackRows(s.Weights, runs, perRun(tables.W))
	}
	return stacked
}

// stackRows repeats x, [n, …] int32, once for each run, and adds run·offset: [runs·n, …].
func stackRows(x *Node, runs, offset int) *Node {
	if runs == 1 {
		return x
	}
	dims := append([]int{runs}, x.Shape().Dimensions...)
	column := append([]int{runs}, slices.Repeat([]int{1}, len(dims)-1)...)
	start := Reshape(MulScalar(Iota(x.Graph(), shapes.Make(dtypes.Int32, runs), 0), offset), column...)
	stacked := Add(BroadcastToDims(InsertAxes(x, 0), dims...), BroadcastToDims(start, dims...))
	return Reshape(stacked, append([]int{runs * dims[1]}, dims[2:]...)...)
}

// sampleWeights returns the weights of the scheme's samples. A point estimate has one sample under every scheme.
func (m graph) sampleWeights() []float64 {
	if m.Encoder.Estimate == phe.Point {
		return nil
	}
	return m.Scheme.SampleWeights()
}

// dataTerm returns the data term of each record in nats, [runs, records]: the log-likelihood, reduced over samples of the
// posterior, less the network's cost.
func (m graph) dataTerm(p Pass) *Node {
	o := m.network.Outputs(p)
	perSample := m.network.Likelihood.LogProb(o.Parameters, o.Targets)
	terms := floored(m.Loss.Reduce(perSample, m.sampleWeights()), m.LikelihoodFloor)
	events := max(1, o.Events)
	terms = Reshape(terms, p.Runs, events, p.Records)
	switch {
	case events == 1 && o.Cost == nil:
		return Reshape(terms, p.Runs, p.Records)
	case o.Cost == nil && o.Averaged:
		return ReduceMean(terms, 1)
	}
	total := ReduceSum(terms, 1)
	if o.Cost != nil {
		total = Sub(total, o.Cost)
	}
	if o.Averaged {
		total = DivScalar(total, float64(events))
	}
	return total
}

// floored returns log(exp(x) + floor). The floor bounds the cost of a wrong forecast, and a hopeless row has no gradient. A floor
// of 0 changes nothing.
func floored(x *Node, floor float64) *Node {
	if floor == 0 {
		return x
	}
	low := Scalar(x.Graph(), x.DType(), math.Log(floor))
	top := StopGradient(Max(x, low))
	return Add(top, Log(Add(Exp(Sub(x, top)), Exp(Sub(low, top)))))
}
