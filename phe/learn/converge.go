package learn

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe"
)

// convergenceWindow is the number of epochs over which a course averages the ELBO. Adam swings about a narrow posterior with a period of
// about ten steps, so that shorter means would see its swing.
const convergenceWindow = 10

// The columns of a course, which is the ELBO's course along an update, [runs, courseLength] float32. Sums are of the ELBO less
// its first epoch's, so that float32 keeps small rises of large numbers.
const (
	courseDone     = iota // 1 after the update has converged
	courseEpochs          // epochs taken
	courseEpoch           // sum of the present epoch's steps
	courseOrigin          // mean of the first epoch
	courseSum             // sum of the present window's epochs
	courseSquares         // and of their squares
	courseMean            // mean of the last window
	courseVariance        // variance of an epoch in the last window
	courseLength
)

// elbos returns the ELBO of a step's records in nats for each run, [runs] (Eq. 3).
func (m graph) elbos(dataTerm *Node, p Pass, prior phe.Tables, mask, numRecords *Node, klWeight float64) *Node {
	byRun := BroadcastToDims(InsertAxes(mask, 0), m.runs, mask.Shape().Size())
	mean := Div(ReduceSum(Mul(dataTerm, byRun), -1), ReduceSum(byRun, -1))
	return Sub(Mul(mean, numRecords), MulScalar(p.tables.KLOfRuns(prior, m.runs), klWeight))
}

// followed returns the course after step i. A run has converged when the mean ELBO of a window is not above the last window's by
// more than tolerance standard errors of their difference. A run that has diverged does not rise either.
func followed(course, elbo, i, stepsPerEpoch *Node, tolerance float64) *Node {
	column := func(k int) *Node { return Squeeze(Slice(course, AxisRange(), AxisElem(k)), 1) }
	when := func(condition, a, b *Node) *Node { return Where(condition, a, b) }
	float := func(x *Node) *Node { return ConvertDType(x, dtypes.Float32) }
	zero, n := ZerosLike(elbo), float64(convergenceWindow)
	all := func(scalar *Node) *Node { return BroadcastToDims(scalar, elbo.Shape().Dimensions...) }

	ends := all(Equal(Mod(AddScalar(i, 1), stepsPerEpoch), ScalarZero(i.Graph(), dtypes.Int32))) // the epoch
	sum := Add(column(courseEpoch), elbo)
	mean := Div(sum, float(stepsPerEpoch))
	epochs := Add(column(courseEpochs), float(ends))
	origin := when(Equal(column(courseEpochs), zero), mean, column(courseOrigin))
	rise := Sub(mean, origin)
	window := Add(column(courseSum), when(ends, rise, zero))
	squares := Add(column(courseSquares), when(ends, Square(rise), zero))

	full := LogicalAnd(ends, Equal(ModScalar(epochs, n), zero))
	windowMean := DivScalar(window, n)
	variance := MulScalar(Max(Sub(DivScalar(squares, n), Square(windowMean)), zero), n/(n-1))
	deviation := Sqrt(DivScalar(Add(variance, column(courseVariance)), n))
	rises := GreaterThan(Sub(windowMean, column(courseMean)), MulScalar(deviation, tolerance))
	stops := LogicalAnd(LogicalAnd(full, GreaterThan(epochs, AddScalar(zero, n))), LogicalNot(rises))

	next := make([]*Node, courseLength)
	next[courseDone], next[courseEpochs], next[courseEpoch], next[courseOrigin] = float(stops), epochs, when(ends, zero, sum), origin
	next[courseSum], next[courseSquares] = when(full, zero, window), when(full, zero, squares)
	next[courseMean], next[courseVariance] = when(full, windowMean, column(courseMean)), when(full, variance, column(courseVariance))
	return Stack(next, 1)
}

// settled returns next for the runs whose course goes on, and last for the others. Both are [runs·rows, …] or [runs, …].
func settled(course *Node, last, next []*Node) []*Node {
	runs := course.Shape().Dimensions[0]
	done := GreaterThan(Slice(course, AxisRange(), AxisElem(courseDone)), ScalarZero(course.Graph(), dtypes.Float32)) // [runs, 1]
	kept := make([]*Node, len(next))
	for k, x := range next {
		of := Reshape(x, runs, -1)
		mask := BroadcastToDims(done, of.Shape().Dimensions...)
		kept[k] = Reshape(Where(mask, Reshape(last[k], runs, -1), of), x.Shape().Dimensions...)
	}
	return kept
}

// goesOn reports whether a run's course goes on: the condition of an update's loop. Its last array of state is the course.
func goesOn(state []*Node) *Node {
	course := state[len(state)-1]
	done := Slice(course, AxisRange(), AxisElem(courseDone))
	return LessThan(ReduceAllSum(done), Scalar(course.Graph(), dtypes.Float32, float64(course.Shape().Dimensions[0])))
}

// epochsTaken returns the epochs that each run took along its course, and whether all have converged.
func epochsTaken(course *tensors.Tensor) (epochs []int, all bool, err error) {
	flat, err := tensors.CopyFlatData[float32](course)
	all = true
	for run := range slices.Chunk(flat, courseLength) {
		epochs = append(epochs, int(run[courseEpochs]))
		all = all && run[courseDone] > 0
	}
	return epochs, all, err
}
