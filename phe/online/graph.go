package online

import (
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
)

// graph builds what all models share. Its parameters are a list of nodes, embedding module first:
//
//	E mean, E log σ      [runs·rows, dim]            log σ with a posterior only
//	W mean, W log σ      [runs·weights, hashes]      with assembly weighted-sum only
//	θ                    [runs, …] each              the network's
type graph struct {
	Config
	encoder *phe.Encoder
	network Network
	runs    int
}

// numEmbedding is how many of the parameters belong to the embedding module.
func (m graph) numEmbedding() int {
	n := 1
	if m.Encoder.HasWeights() {
		n++
	}
	if m.Encoder.Estimate == phe.Posterior {
		n *= 2
	}
	return n
}

func (m graph) numParameters() int { return m.numEmbedding() + len(m.network.Weights()) }

// numUpdated is how many of them online learning moves.
func (m graph) numUpdated() int {
	if m.Scope == phe.AllParameters {
		return m.numParameters()
	}
	return m.numEmbedding()
}

// shapes of the parameters, in their order.
func (m graph) shapes() [][]int {
	var shapes [][]int
	add := func(dims ...int) {
		shapes = append(shapes, dims)
		if m.Encoder.Estimate == phe.Posterior {
			shapes = append(shapes, dims)
		}
	}
	add(m.runs*m.Encoder.TableRows(), m.Encoder.EmbeddingDim)
	if m.Encoder.HasWeights() {
		add(m.runs*m.Encoder.NumWeights, m.Encoder.NumHashes)
	}
	for _, w := range m.network.Weights() {
		shapes = append(shapes, append([]int{m.runs}, w.Dims...))
	}
	return shapes
}

// parameters groups a list of nodes.
func (m graph) parameters(nodes []*Node) Parameters {
	return Parameters{Tables: m.tables(nodes), Weights: nodes[m.numEmbedding():]}
}

// tables reads the embedding module from the front of the parameters.
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
	if m.Encoder.HasWeights() {
		t.W = belief()
	}
	return t
}

const noiseWeights = 100 // the encoder's own uses are small numbers

// initialParameters draws parameters from the noise: tables as [phe.Encoder.InitialTables] says, θ as [Weight].
func (m graph) initialParameters(noise phe.Noise) []*Node {
	var parameters []*Node
	eMean, eLogStdDev, wMean, wLogStdDev := m.encoder.InitialTables(noise, m.runs)
	for _, p := range []*Node{eMean, eLogStdDev, wMean, wLogStdDev} {
		if p != nil {
			parameters = append(parameters, p)
		}
	}
	for i, w := range m.network.Weights() {
		size := 1
		for _, d := range w.Dims {
			size *= d
		}
		drawn := MulScalar(noise.Uniform(noiseWeights+uint32(i), 1, m.runs, size), w.Limit)
		parameters = append(parameters, Reshape(drawn, append([]int{m.runs}, w.Dims...)...))
	}
	return parameters
}

// negativeELBO of a batch, a scalar in nats, summed over runs (Eqs. 2, 3, 28, 29). mask is [rows], shared by the runs.
func (m graph) negativeELBO(p Parameters, prior phe.Tables, b Batch, mask, numRows *Node, noise phe.Noise, masked bool) *Node {
	dataTerm := m.network.DataTerm(p, b, noise, masked)
	byRun := BroadcastToDims(InsertAxes(mask, 0), m.runs, mask.Shape().Size())
	return phe.NegativeELBO(dataTerm, byRun, numRows, p.Tables.KL(prior), m.KLWeight)
}
