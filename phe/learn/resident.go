package learn

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// deviceRows moves rows by compiled programs, so that tables never leave the device. A call sends the numbers of the rows. The numbers
// of unused room are one above the last row.
type deviceRows struct {
	graph
	taking, putting *program
}

func (m deviceRows) take(x *excerpt, tables []*tensors.Tensor) (err error) {
	for i := 0; i < len(tables); i += len(tables) / m.numTables() {
		rows, room := m.tableRows(i, *x)
		perRun := int32(tables[i].Shape().Dimensions[0] / m.runs)
		all := append(slices.Clone(rows), slices.Repeat([]int32{perRun}, room-len(rows))...)
		x.numbers = append(x.numbers, tensors.FromFlatDataAndDimensions(all, room))
	}
	x.tables, err = m.taking.Call(slices.Concat(tables, x.numbers)...)
	return err
}

func (m deviceRows) put(x excerpt, tables, trained []*tensors.Tensor) ([]*tensors.Tensor, error) {
	return m.putting.Call(slices.Concat(tables, trained, x.numbers)...)
}

// taken builds the graph of an excerpt's rows. args are the tables and the numbers of their rows.
func (m graph) taken(args []*Node) (rows []*Node) {
	for i, table := range args[:m.numEmbedding()] {
		perRun := table.Shape().Dimensions[0] / m.runs
		at := ModScalar(m.numbersOf(i, args), perRun) // row 0 in unused room
		rows = append(rows, Gather(table, InsertAxes(stackRows(at, m.runs, perRun), -1)))
	}
	return rows
}

// replaced builds the graph of the tables after an update. args are the tables, the trained rows and their numbers. Each row of a table
// finds its place among the trained ones, which costs no sum and keeps all bits.
func (m graph) replaced(args []*Node) (tables []*Node) {
	n := m.numEmbedding()
	for i, table := range args[:n] {
		numbers, dims := m.numbersOf(i, args), table.Shape().Dimensions
		perRun, room := dims[0]/m.runs, numbers.Shape().Size()
		counted := AddScalar(Iota(table.Graph(), numbers.Shape(), 0), 1)
		place := Scatter(InsertAxes(numbers, -1), counted, shapes.Make(dtypes.Int32, perRun+1), true, false)
		place = AddScalar(Slice(place, AxisRange(0, perRun)), -1) // −1 where the update has no row
		to := stackRows(MaxScalar(place, 0), m.runs, room)
		has := GreaterOrEqual(place, ZerosLike(place))
		has = Reshape(BroadcastToDims(InsertAxes(has, 0, -1), m.runs, perRun, dims[1]), dims...)
		tables = append(tables, Where(has, Gather(args[n+i], InsertAxes(to, -1)), table))
	}
	return tables
}

// numbersOf returns the numbers of the rows that an excerpt takes from a parameter: the last of args, for E and then for W.
func (m graph) numbersOf(parameter int, args []*Node) *Node {
	return args[len(args)-m.numTables()+m.tableOf(parameter)]
}
