package dkf_test

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/dkf"

	"gophe/phe/disk/filetest"
)

// probe returns a filter's network that predicts the arrays of look, one after the other. Every record has all of them. It trains as
// the filter does. sizes receives the sizes of the arrays.
func probe(m *dkf.Model, look func(p learn.Pass) []*Node, sizes *[]int) learn.Network {
	n := m.Network
	train := n.Outputs
	n.Outputs = func(p learn.Pass) learn.Outputs {
		if p.Training {
			return train(p)
		}
		*sizes = nil
		var flat []*Node
		for _, x := range look(p) {
			*sizes = append(*sizes, x.Shape().Size())
			flat = append(flat, Reshape(x, -1))
		}
		all := Concatenate(flat, 0)
		return learn.Outputs{Parameters: BroadcastToDims(InsertAxes(all, 0, 0), 1, p.Records, all.Shape().Size())}
	}
	n.Likelihood.Forecast = func(outputs *Node, _ []float64) *Node { return Squeeze(outputs, 0) }
	return n
}

// revealing returns an updater that puts the gradients of the loss in place of the parameters, or else the loss itself.
func revealing(showsLoss bool) learn.Updater {
	return learn.Updater{Step: func(_ *Node, parameters, _ []*Node, loss func([]*Node) *Node) (revealed, _ []*Node) {
		value := loss(parameters)
		if !showsLoss {
			return Gradient(value, parameters...), nil
		}
		for _, p := range parameters {
			revealed = append(revealed, Add(ZerosLike(p), value))
		}
		return revealed, nil
	}}
}

// observation is a learner of one run, with given parameters, whose passes a test looks into.
type observation struct {
	nettest.Led
	sizes *[]int
}

// observationSeed is the seed of its noise.
const observationSeed = 99

// observe returns a learner that has pinned d. Its updates take most windows and reveal computed arrays.
func observe(t *testing.T, c dkf.Config, d dkf.Data, parameters [][]float32, most int, u learn.Updater,
	look func(m *dkf.Model, p learn.Pass) []*Node) observation {
	t.Helper()
	m := newModel(t, c)
	sizes := new([]int)
	n := probe(m, func(p learn.Pass) []*Node { return look(m, p) }, sizes)
	l := pinned(t, n, m, d, learn.Options{Seeds: []int64{observationSeed}, MaxUpdated: most, Updater: u})
	filetest.Check(t, l.Restore(learn.Snapshot{Parameters: parameters}))
	return observation{l, sizes}
}

// look runs a pass over windows and returns the computed arrays.
func (o observation) look(t *testing.T, windows []int32) (arrays [][]float32) {
	t.Helper()
	values := o.Led.Predict(t, windows, 0)
	for _, size := range *o.sizes {
		arrays = append(arrays, values[:size])
		values = values[size:]
	}
	return arrays
}

// reveal returns what an update by windows computes, in place of each parameter.
func (o observation) reveal(t *testing.T, windows []int32) [][]float32 {
	t.Helper()
	filetest.Check(t, o.Update(windows, 1))
	return o.Led.State(t).Parameters
}

// dataTerm returns the data term of the windows of a pass in a training step, [1, windows] in nats.
func dataTerm(m *dkf.Model, p learn.Pass) *Node {
	p.Training, p.Samples = true, m.TrainSamples
	n := m.Network
	o := n.Outputs(p)
	terms := m.Loss.Reduce(n.Likelihood.LogProb(o.Parameters, o.Targets), nil)
	sum := ReduceSum(Reshape(terms, 1, o.Events, p.Records), 1)
	if o.Cost != nil {
		sum = Sub(sum, o.Cost)
	}
	if o.Averaged {
		sum = DivScalar(sum, float64(o.Events))
	}
	return sum
}

// forecast returns the filter's own prediction in a pass, [windows, width].
func forecast(m *dkf.Model, p learn.Pass) *Node {
	n := m.Network
	return n.Likelihood.Forecast(n.Outputs(p).Parameters, nil)
}
