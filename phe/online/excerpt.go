package online

import (
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe"
)

// Source makes excerpts of data that stays on the host. With whole, slots name rows of the whole tables, and tensors have
// the size that they need: the initial phase's. Without, slots name entries of E and W, and tensors are padded to Room,
// one of [RoomFor].
type Source func(rows []int32, whole bool) (Excerpt, error)

// Excerpt is what some rows of the data need: the network's data, in which these rows are numbers 0, 1, …, and the rows of
// the tables that their items use.
type Excerpt struct {
	Data []*tensors.Tensor
	E, W []int32 // ascending, each row once; none of a whole excerpt
	Room int     // what there is room for in Data: Room rows and Room items
}

// RoomFor is room for n: 64, 128, … 4096, and from there on 16384, 65536, … Sizes come in few classes, since each has
// programs of its own, whose compilation takes seconds; up to the size of a batch or of a prediction, padding costs time.
func RoomFor(n int) int {
	room := doubled(64, min(n, 2*mostExcerpted))
	for room < n {
		room *= 4
	}
	return room
}

// doubled is size, doubled until it holds n.
func doubled(size, n int) int {
	for size < n {
		size *= 2
	}
	return size
}

// mostExcerpted is the most rows of an excerpt that are predicted at a time: it bounds the memory of the samples. They may
// have twice as many items.
const mostExcerpted = 2048

// excerpt is what one call takes to the device.
type excerpt struct {
	Excerpt
	rows []int32 // the call's, as Data numbers them
	size int     // to which rows are padded
	part bool    // of the tables: E and W
}

// stepRoom is room for an update's steps. Excerpts come in many sizes: methods that differ in epochs share programs.
func (m *Model) stepRoom(steps int, x excerpt) int {
	if !x.part {
		return steps
	}
	return doubled(8, steps)
}

// mostPredicted is the most rows that one call of the prediction program takes, of n.
func (m *Model) mostPredicted(n int) int {
	const most = 512
	switch {
	case m.source != nil:
		return mostExcerpted
	case n > min(m.rows, most):
		return most // a second size beside the stream's, for tests
	}
	return min(m.rows, most)
}

// mostSteps is the most steps that an update of so many epochs takes, whatever its size: numbered by it, none shares noise.
func (m *Model) mostSteps(epochs int) int {
	size := min(m.rows, m.BatchSize)
	if m.source != nil {
		size = min(RoomFor(1), m.BatchSize) // the smallest batch of any room
	}
	return epochs * ((m.rows + size - 1) / size)
}

// excerpt is what a prediction or an update of rows needs. Where all data is on the device, rows are padded to size.
func (m *Model) excerpt(rows []int32, size int) (excerpt, error) {
	if m.source == nil {
		return excerpt{Excerpt: Excerpt{Data: m.data}, rows: rows, size: size}, nil
	}
	x, err := m.source(rows, false)
	return excerpt{x, numbers(len(rows)), x.Room, true}, err
}

// whole is what the initial phase needs of rows; the last one is kept.
func (m *Model) whole(rows []int32) (excerpt, error) {
	if m.source == nil {
		return excerpt{Excerpt: Excerpt{Data: m.data}, rows: rows}, nil
	}
	if m.phase.Data == nil || !slices.Equal(m.phaseRows, rows) {
		m.forgetWhole()
		x, err := m.source(rows, true)
		if err != nil {
			return excerpt{}, err
		}
		m.phase, m.phaseRows = excerpt{Excerpt: x, rows: numbers(len(rows))}, slices.Clone(rows)
	}
	return m.phase, nil
}

func (m *Model) forgetWhole() {
	phe.Release(m.phase.Data)
	m.phase, m.phaseRows = excerpt{}, nil
}

func numbers(n int) []int32 {
	numbers := make([]int32, n)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	return numbers
}

// release frees what excerpt made.
func (x excerpt) release() {
	if x.part {
		phe.Release(x.Data)
	}
}

// tableRows are the rows that an excerpt takes of a parameter of the embedding module, and how many there is room for.
func (m *Model) tableRows(parameter int, x excerpt) (rows []int32, room int) {
	if m.Encoder.HasWeights() && parameter >= m.numEmbedding()/2 {
		return x.W, tableRoom(len(x.W), min(x.Room, m.Encoder.NumWeights))
	}
	return x.E, tableRoom(len(x.E), min(x.Room*m.Encoder.RowsPerItem(), m.Encoder.TableRows()))
}

// tableRoom is room for n rows of a table, of which there are at most most. Every row costs, used or not, and small
// tables cost little: their sizes are no classes of their own.
func tableRoom(n, most int) int {
	return min(doubled(2048, n), most)
}

// excerpted are the learner's parameters with the excerpt's rows of the tables in place of whole tables; what it has room
// for and does not use are copies of row 0.
func (l *Learner) excerpted(x excerpt) ([]*tensors.Tensor, error) {
	if !x.part {
		return l.parameters, nil
	}
	parameters := slices.Clone(l.parameters)
	for i := range l.model.numEmbedding() {
		rows, room := l.model.tableRows(i, x)
		if len(rows) > room {
			return nil, errors.Errorf("an excerpt with room for %d rows of a table has %d", room, len(rows))
		}
		dims := l.parameters[i].Shape().Dimensions
		runs, width := l.model.runs, dims[1]
		perRun := dims[0] / runs
		flat := make([]float32, runs*room*width)
		err := tensors.ConstFlatData(l.parameters[i], func(table []float32) {
			for r := range runs {
				for k := range room {
					row := 0
					if k < len(rows) {
						row = int(rows[k])
					}
					copy(flat[(r*room+k)*width:][:width], table[(r*perRun+row)*width:])
				}
			}
		})
		if err != nil {
			return nil, errors.WithMessage(err, "reading tables")
		}
		parameters[i] = tensors.FromFlatDataAndDimensions(flat, runs*room, width)
	}
	return parameters, nil
}

// releaseExcerpted frees what excerpted made.
func (l *Learner) releaseExcerpted(x excerpt, parameters []*tensors.Tensor) {
	if x.part {
		phe.Release(parameters[:l.model.numEmbedding()])
	}
}

// put takes over what an update trained: the first parameters, of an excerpt the rows of the tables that it uses.
func (l *Learner) put(x excerpt, trained []*tensors.Tensor) error {
	from := 0
	if x.part {
		from = l.model.numEmbedding()
		defer phe.Release(trained[:from])
	}
	for i, next := range trained[:from] {
		if err := l.putRows(i, x, next); err != nil {
			return errors.WithMessage(err, "writing tables")
		}
	}
	phe.Release(l.parameters[from:len(trained)])
	l.parameters = slices.Concat(l.parameters[:from], trained[from:], l.parameters[len(trained):])
	return nil
}

// putRows writes an excerpt's rows of one parameter back.
func (l *Learner) putRows(parameter int, x excerpt, next *tensors.Tensor) (err error) {
	rows, room := l.model.tableRows(parameter, x)
	dims := l.parameters[parameter].Shape().Dimensions
	runs, width := l.model.runs, dims[1]
	perRun := dims[0] / runs
	inner := tensors.ConstFlatData(next, func(flat []float32) {
		err = tensors.MutableFlatData(l.parameters[parameter], func(table []float32) {
			for r := range runs {
				for k, row := range rows {
					copy(table[(r*perRun+int(row))*width:][:width], flat[(r*room+k)*width:])
				}
			}
		})
	})
	if inner != nil {
		return inner
	}
	return err
}
