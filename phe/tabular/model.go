package tabular

import (
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
)

// Data is a dataset as the model reads it: every categorical cell points to one of the distinct items.
type Data struct {
	Items       []string  // distinct items of all columns
	ItemColumns []int32   // the column each item stands in
	Index       []int32   // [rows, columns], into Items
	Numbers     []float32 // [rows, numbers]
	Labels      []int32   // [rows]
}

// Model is the classifier compiled for one dataset and a number of runs side by side, each with parameters and a seed of
// its own. It holds no parameters: those are the Learners', any number of which may use one model at the same time.
type Model struct {
	graph
	rows     int // most rows that Update takes at a time
	dataRows int // rows of the data

	start, predict  *phe.Program
	initial, update *phe.Loop
	items, data     []*tensors.Tensor // on the device, for all calls
}

// NewModel prepares a model for data. updateRows is the most rows that one Update brings: fewer are padded to it, so that
// one compiled program serves all. Programs are compiled at their first use.
func NewModel(backend compute.Backend, config Config, data Data, runs, updateRows int) (*Model, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	switch {
	case runs < 1 || updateRows < 1:
		return nil, errors.Errorf("a model needs at least one run and one row an update, not %d and %d", runs, updateRows)
	case config.Incremental < 0 || config.Incremental >= config.Columns:
		return nil, errors.Errorf("the incremental column is number %d of %d; count from 0", config.Incremental, config.Columns)
	}
	encoder, err := phe.NewEncoder(config.Encoder)
	if err != nil {
		return nil, err
	}
	fanIn := config.Columns*config.Encoder.EmbeddingDim + config.Numbers
	if config.Numbers == 0 { // a column of zeros changes nothing, and the pure-Go backend cannot multiply by none
		config.Numbers, data.Numbers = 1, make([]float32, len(data.Labels))
	}
	m := &Model{graph: graph{config, encoder, runs, fanIn}, rows: updateRows, dataRows: len(data.Labels)}
	if err := m.upload(data); err != nil {
		return nil, err
	}
	return m, m.build(backend)
}

// upload puts the data on the device once. Indices are checked here, on the host: an accelerator would clamp or drop
// them in silence.
func (m *Model) upload(data Data) error {
	c := m.Config
	n := len(data.Labels)
	if len(data.Index) != n*c.Columns || len(data.Numbers) != n*c.Numbers || len(data.ItemColumns) != len(data.Items) {
		return errors.Errorf("data does not fit the model: %d rows of %d columns and %d numbers are %d indices and %d numbers, not %d and %d",
			n, c.Columns, c.Numbers, n*c.Columns, n*c.Numbers, len(data.Index), len(data.Numbers))
	}
	for _, i := range data.Index {
		if i < 0 || int(i) >= len(data.Items) {
			return errors.Errorf("an index is %d; it must point to one of the %d items", i, len(data.Items))
		}
	}
	for _, column := range data.ItemColumns {
		if column < 0 || int(column) >= c.Columns {
			return errors.Errorf("an item stands in column %d; there are %d", column, c.Columns)
		}
	}
	for _, y := range data.Labels {
		if y < 0 || int(y) >= c.Classes {
			return errors.Errorf("a label is %d; it must be one of %d classes", y, c.Classes)
		}
	}
	rows, err := m.encoder.Items(data.Items)
	if err != nil {
		return err
	}
	m.items = []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(rows.Buckets, len(data.Items), c.Encoder.RowsPerItem()),
		tensors.FromFlatDataAndDimensions(data.ItemColumns, len(data.Items)),
	}
	if len(rows.Weights) > 0 {
		m.items = append(m.items, tensors.FromFlatDataAndDimensions(rows.Weights, len(data.Items)))
	}
	m.data = []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(data.Index, n, c.Columns),
		tensors.FromFlatDataAndDimensions(data.Numbers, n, c.Numbers),
		tensors.FromFlatDataAndDimensions(data.Labels, n),
	}
	return nil
}

// fromDevice groups the nodes that upload made, in its order.
func (m *Model) fromDevice(nodes []*Node) (items, []*Node) {
	it := items{slots: phe.Slots{Buckets: nodes[0]}, columns: nodes[1]}
	if len(m.items) == 3 {
		it.slots.Weights = nodes[2]
	}
	return it, nodes[len(m.items):]
}

// batch gathers rows of the dataset: rows is [runs, n] int32, dataset what upload put on the device.
func (m *Model) batch(rows *Node, dataset []*Node) batch {
	n := rows.Shape().Dimensions[1]
	flat := Reshape(rows, m.runs*n, 1)
	index := Gather(dataset[0], flat)
	if m.runs > 1 { // each run has its own copy of the items
		run := Iota(rows.Graph(), index.Shape(), 0)
		index = Add(index, MulScalar(Div(run, Const(rows.Graph(), int32(n))), m.items[1].Shape().Size()))
	}
	return batch{index: index, numbers: Reshape(Gather(dataset[1], flat), m.runs, n, m.Numbers), labels: Reshape(Gather(dataset[2], flat), -1)}
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
		parameters, args := args[:m.numParameters()], args[m.numParameters():]
		keys, step, rows := args[0], args[1], args[2]
		it, dataset := m.fromDevice(args[3:])
		perRun := BroadcastToDims(InsertAxes(rows, 0), m.runs, rows.Shape().Size())
		noise := phe.NewNoise(keys).At(step)
		logits := m.logits(parameters, it, m.batch(perRun, dataset), m.TestSamples, noise, false)
		return []*Node{m.logPredictive(logits)}
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
	phe.Release(m.items)
	phe.Release(m.data)
}

// loop declares a training loop over the first numTrained parameters. Its state is these and Adam's moments; its data
// are numRows, the run's keys, the number of the loop's first step, the batches' rows [steps, runs, batch] and masks
// [steps, batch], the parameters that stay, with online also the prior's, and what upload put on the device.
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
		it, dataset := m.fromDevice(data)
		at := Reshape(i, 1)
		b := m.batch(Gather(order, at), dataset)
		noise := phe.NewNoise(keys).At(Add(first, ConvertDType(i, dtypes.Uint32)))
		trained, moments := state[:numTrained], state[numTrained:]
		all := append(append([]*Node{}, trained...), fixed...)
		loss := m.negativeELBO(all, prior, it, b, Gather(masks, at), numRows, noise, masked)
		adamStep := i
		if !online { // one Adam for the whole phase
			adamStep = Add(ConvertDType(first, dtypes.Int32), i)
		}
		trained, moments = adam.Step(trained, Gradient(loss, trained...), moments, adamStep)
		return append(trained, moments...)
	}
	return phe.NewLoop(backend, name, 3*numTrained, step)
}
