package learn

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe"
)

// programs are the compiled programs of a network for a number of runs side by side. They hold no parameters, so forks of a learner
// share them. Each is compiled at its first use.
type programs struct {
	graph
	updater Updater
	first   []Hyperparameters // of the learner that was made with them
	start   *program
	predict *program
	bound   *program
	fit     loop
	update  loop
	rows    rowMover
	device  deviceRows // rows, where the host cannot write into the tables

	mostEpochs int // of an update; 0 if unknown

	mutex sync.Mutex // guards the rest
	users int        // number of learners that are not closed
	zeros map[string]*tensors.Tensor
}

// build declares the programs. It compiles nothing.
func (m *programs) build(on compute.Backend) error {
	draw := func(args []*Node) []*Node { return m.initialParameters(phe.Noise{Keys: args[0]}, args[1]) }
	var errs [7]error
	m.start, errs[0] = newProgram(on, "initial draw", draw)
	m.predict, errs[1] = newProgram(on, "prediction", m.prediction)
	m.fit, errs[2] = m.loop(on, "initial phase", m.numParameters(), adamOfRuns, m.InitialConvergence, false)
	m.update, errs[3] = m.loop(on, "online update", m.numUpdated(), m.updater, m.Convergence, true)
	m.bound, errs[4] = newProgram(on, "ELBO", m.elbo)
	m.device.graph, m.rows = m.graph, hostRows{m.graph}
	m.device.taking, errs[5] = newProgram(on, "taking rows", m.taken)
	m.device.putting, errs[6] = newProgram(on, "putting rows", m.replaced)
	if !on.HasSharedBuffers() { // the tables are out of the host's reach
		m.rows = m.device
	}
	return cmp.Or(errs[:]...)
}

// elbo builds the graph of the two parts of the initial phase's ELBO for each run: the data term of records, and the KL without a weight.
func (m *programs) elbo(args []*Node) []*Node {
	mask := make([]*Node, 1)
	p := m.queried(args, mask)
	p.masked = false
	terms := Mul(m.dataTerm(p), BroadcastToDims(InsertAxes(mask[0], 0), m.runs, p.Records))
	return []*Node{ReduceSum(terms, -1), p.tables.KLOfRuns(m.Encoder.Prior.Of(p.tables), m.runs)}
}

// prediction builds the graph of a prediction.
func (m *programs) prediction(args []*Node) []*Node {
	return []*Node{m.network.Likelihood.Forecast(m.network.Outputs(m.queried(args, nil)).Parameters, m.sampleWeights())}
}

// queried returns the pass of a query, of an ELBO if it has a mask.
func (m *programs) queried(args, mask []*Node) Pass {
	q := query[*Node]{Parameters: make([]*Node, m.numParameters()), Mask: mask, arrays: m.arrays()}
	fill(&q, args)
	perRun := BroadcastToDims(InsertAxes(q.Records, 0), m.runs, q.Records.Shape().Size())
	tables, weights := m.tables(q.Parameters), q.Parameters[m.numEmbedding():]
	return m.pass(tables, weights, perRun, q.arrays, phe.Noise{Keys: q.Keys}.At(q.Step), mask != nil)
}

// loop declares a training loop over the first numTrained parameters. Its state is these parameters and the updater's memory, and the
// course of an ELBO that ends it.
func (m *programs) loop(on compute.Backend, name string, numTrained int, updater Updater, tolerance float64, online bool) (loop, error) {
	step := func(i *Node, state, data []*Node) []*Node {
		d := loopData[*Node]{Fixed: make([]*Node, m.numParameters()-numTrained), arrays: m.arrays()}
		if online {
			d.Prior = make([]*Node, m.numEmbedding())
		}
		fill(&d, data)
		bayes := m.bayes(online)
		if bayes {
			d.KLWeights = OnesLike(d.KLWeights)
		}
		var course *Node
		if tolerance > 0 {
			course, state = state[len(state)-1], state[:len(state)-1]
		}
		trained, memory := state[:numTrained], state[numTrained:]
		var prior phe.Tables
		if online {
			prior = m.tables(d.Prior)
		} else {
			prior = m.Encoder.Prior.Of(m.tables(trained))
		}
		at := Reshape(i, 1)
		records, mask, count := Gather(d.Order, at), Gather(d.Masks, at), Gather(d.Counts, at)
		noise := phe.Noise{Keys: d.Keys}.At(Add(d.First, ConvertDType(i, dtypes.Uint32)))
		var elbo *Node
		loss := func(parameters []*Node) *Node {
			weights := slices.Concat(parameters, d.Fixed)[m.numEmbedding():]
			p := m.pass(m.tables(parameters), weights, records, d.arrays, noise, true)
			p.masked = p.masked && online // the initial phase trains every column
			terms := Mul(m.dataTerm(p), BroadcastToDims(InsertAxes(mask, 0), m.runs, mask.Shape().Size()))
			mean := Div(ReduceAndKeep(terms, ReduceSum, -1), BroadcastToDims(InsertAxes(count, 0), m.runs, 1))
			kl := func() *Node { return Mul(p.tables.KLOfRuns(prior, m.runs), d.KLWeights) }
			if course != nil { // the ELBO of each run
				elbo = StopGradient(Sub(Mul(Squeeze(mean, -1), d.NumRecords), kl()))
			}
			if bayes {
				return phe.NegativeELBO(mean, OnesLike(mean), d.NumRecords, p.tables.KL(prior), 1)
			}
			return phe.NegativeELBO(mean, OnesLike(mean), d.NumRecords, ReduceAllSum(kl()), 1)
		}
		updater, updaterStep := updater, i
		if updater.Step == nil {
			updater = adam(func(direction *Node) *Node { return Mul(direction, byRun(d.Rates, direction)) })
		}
		if !online { // one optimiser for the whole phase
			updaterStep = Add(d.FirstOfAdam, i)
		}
		next, nextMemory := updater.Step(updaterStep, trained, memory, loss)
		next = append(next, nextMemory...)
		if course == nil {
			return next
		}
		next, last := append(next, followed(course, elbo, i, tolerance)), append(slices.Clone(state), course)
		return settled(course, last, next)
	}
	numState := (1 + updater.Arrays) * numTrained
	if tolerance > 0 {
		numState++
	}
	return newLoop(on, name, numState, tolerance > 0, step)
}

// adamOfRuns stands for [Adam] with the learning rate of each run, which a loop gets as data.
var adamOfRuns = Updater{Arrays: 2}

// fresh returns the memory of a fresh updater. Its zeros stay on the device, one array for each shape: no program changes its arguments.
func (m *programs) fresh(like []*tensors.Tensor) (memory []*tensors.Tensor) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, t := range slices.Repeat(like, m.updater.Arrays) {
		key := t.Shape().String()
		if m.zeros[key] == nil {
			m.zeros[key] = tensors.FromShape(t.Shape())
		}
		memory = append(memory, m.zeros[key])
	}
	return memory
}

// all returns the programs.
func (m *programs) all() []*program {
	return []*program{m.start, m.predict, m.bound, m.fit.program, m.update.program, m.device.taking, m.device.putting}
}

// release frees the programs when the last learner is closed.
func (m *programs) release() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.users--; m.users > 0 {
		return
	}
	for _, p := range m.all() {
		p.exec.Finalize()
	}
	release(slices.Collect(maps.Values(m.zeros)))
}
