// Package online is a model's life along a stream (Sec. 3.3): an initial phase that learns the tables' posterior and the
// network's θ, then predictions and updates in turn, each update with the last posterior as its prior. What the model
// computes is its [Network]'s: package tabular has the classifier's, dkf the deep Kalman filter's, ncf the recommender's.
package online

import (
	"fmt"
	"sync"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
)

// Model is a network compiled for one data set and a number of runs side by side, each with parameters and a seed of its
// own. It holds no parameters: those are the Learners', any number of which may use one model at the same time.
type Model struct {
	graph
	rows     int // most rows that Update takes at a time
	examples int // rows of the data

	start, predict  *phe.Program
	initial, update *phe.Loop
	data            []*tensors.Tensor // on the device, for all calls
	fresh           sync.Map          // of []*tensors.Tensor, an update's zeros by their shapes: no call changes its arguments
	source          Source            // of excerpts, in place of data; nil where all data is on the device
	phase           excerpt           // of a source: what the initial phase needs,
	phaseRows       []int32           // of these rows
}

// NewModel prepares a network for data of so many rows, kept on the device from here on; the encoder is the one that found
// the table rows of the data's items. updateRows is the most rows that one Update brings: fewer are padded to it, so
// that one compiled program serves all. Programs are compiled at their first use.
func NewModel(backend compute.Backend, config Config, encoder *phe.Encoder, network Network, data []*tensors.Tensor,
	rows, runs, updateRows int) (*Model, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if runs < 1 || updateRows < 1 {
		return nil, errors.Errorf("a model needs at least one run and one row an update, not %d and %d", runs, updateRows)
	}
	m := &Model{graph: graph{config, encoder, network, runs}, rows: updateRows, examples: rows, data: data}
	return m, m.build(backend)
}

// NewExcerptModel prepares a network for data that stays on the host, of so many rows, and tables that do so too: each
// prediction and each update takes to the device the rows of the data and of the tables that it needs, and no more. What
// a step costs then depends on the rows it touches, not on how much data or how large a table there is, and it learns
// exactly what [NewModel]'s would: a row of the table that no item of an update uses has no gradient under the likelihood,
// none under a KL from itself, and so no step of a fresh Adam. Only the initial phase, whose prior pulls at every row,
// takes the whole tables. One learner at a time may use the model.
func NewExcerptModel(backend compute.Backend, config Config, encoder *phe.Encoder, network Network, source Source,
	rows, runs, updateRows int) (*Model, error) {
	m, err := NewModel(backend, config, encoder, network, nil, rows, runs, updateRows)
	if err != nil {
		return nil, err
	}
	m.source = source
	return m, nil
}

// build declares the four programs. Nothing is compiled yet.
func (m *Model) build(backend compute.Backend) (err error) {
	m.start, err = phe.NewProgram(backend, "initial draw", func(keys []*Node) []*Node {
		return m.initialParameters(phe.NewNoise(keys[0]))
	})
	if err != nil {
		return err
	}
	m.predict, err = phe.NewProgram(backend, "prediction", func(args []*Node) []*Node {
		parameters, args := m.parameters(args[:m.numParameters()]), args[m.numParameters():]
		keys, step, rows := args[0], args[1], args[2]
		perRun := BroadcastToDims(InsertAxes(rows, 0), m.runs, rows.Shape().Size())
		noise := phe.NewNoise(keys).At(step)
		return []*Node{m.network.Predict(parameters, Batch{perRun, args[3:]}, noise)}
	})
	if err != nil {
		return err
	}
	if m.initial, err = m.loop(backend, "initial phase", m.numParameters(), false, false); err != nil {
		return err
	}
	m.update, err = m.loop(backend, "online update", m.numUpdated(), true, m.Scope == phe.IncrementalColumn)
	return err
}

// zeroMoments are a fresh Adam's, on the device from their first use on.
func (m *Model) zeroMoments(like []*tensors.Tensor) []*tensors.Tensor {
	var shapes []any
	for _, t := range like {
		shapes = append(shapes, t.Shape())
	}
	key := fmt.Sprint(shapes...)
	known, ok := m.fresh.Load(key)
	if !ok {
		known, _ = m.fresh.LoadOrStore(key, zeros(like))
	}
	return known.([]*tensors.Tensor)
}

// CompileTime is how long compilation took so far, all programs together.
func (m *Model) CompileTime() time.Duration {
	return m.start.CompileTime() + m.predict.CompileTime() + m.initial.CompileTime() + m.update.CompileTime()
}

// Finalize frees the programs and the data on the device, without waiting for the garbage collector, which does not see
// how large they are. No learner of the model may be used any more.
func (m *Model) Finalize() {
	for _, program := range []interface{ Finalize() }{m.start, m.predict, m.initial, m.update} {
		program.Finalize()
	}
	phe.Release(m.data)
	m.forgetWhole()
	m.fresh.Range(func(_, moments any) bool {
		phe.Release(moments.([]*tensors.Tensor))
		return true
	})
}

// loop declares a training loop over the first numTrained parameters. Its state is these and Adam's moments; its data
// are numRows, the run's keys, the number of the loop's first step, the batches' rows [steps, runs, batch] and masks
// [steps, batch], the parameters that stay, with online also the prior's, and the data on the device.
func (m *Model) loop(backend compute.Backend, name string, numTrained int, online, masked bool) (*phe.Loop, error) {
	adam := phe.Adam{LearningRate: m.LearningRate}
	if online {
		adam.LearningRate = m.onlineLearningRate()
	}
	step := func(i *Node, state, data []*Node) []*Node {
		numRows, keys, first, order, masks := data[0], data[1], data[2], data[3], data[4]
		data = data[5:]
		fixed, data := data[:m.numParameters()-numTrained], data[m.numParameters()-numTrained:]
		var prior phe.Tables
		if online {
			prior, data = m.tables(data), data[m.numEmbedding():]
		} else {
			prior = m.tables(state).StandardPrior()
		}
		at := Reshape(i, 1)
		b := Batch{Gather(order, at), data}
		noise := phe.NewNoise(keys).At(Add(first, ConvertDType(i, dtypes.Uint32)))
		trained, moments := state[:numTrained], state[numTrained:]
		all := m.parameters(append(append([]*Node{}, trained...), fixed...))
		loss := m.negativeELBO(all, prior, b, Gather(masks, at), numRows, noise, masked)
		adamStep := i
		if !online { // one Adam for the whole phase
			adamStep = Add(ConvertDType(first, dtypes.Int32), i)
		}
		trained, moments = adam.Step(trained, Gradient(loss, trained...), moments, adamStep)
		return append(trained, moments...)
	}
	return phe.NewLoop(backend, name, 3*numTrained, step)
}
