package learn

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// convergenceWindow is the number of epochs over which a course averages the ELBO. Adam swings about a narrow posterior with a period of
// about ten steps, so that shorter means would see its swing.
const convergenceWindow = 10

// The columns of a course, which is the ELBO's course along an update, [runs, courseLength] float32. Sums are of the ELBO less
// its first epoch's, so that float32 keeps small rises of large numbers.
const (
	courseSteps    = iota // of an epoch
	courseDone            // 1 after the update has converged
	courseEpochs          // epochs taken
	courseEpoch           // sum of the present epoch's steps
	courseOrigin          // mean of the first epoch
	courseSum             // sum of the present window's epochs
	courseSquares         // sum of their squares
	courseMean            // mean of the last window
	courseVariance        // variance of an epoch in the last window
	courseLength
)

// newCourse returns the course of runs before the first step.
func newCourse(runs, stepsPerEpoch int) *tensors.Tensor {
	first := make([]float32, courseLength)
	first[courseSteps] = float32(stepsPerEpoch)
	return tensors.FromFlatDataAndDimensions(slices.Repeat(first, runs), runs, courseLength)
}

// followed returns the course after step i. A run has converged when the mean ELBO of a window is not above the last window's by
// more than tolerance standard errors of their difference. A run that has diverged does not rise either.
func followed(course, elbo, i *Node, tolerance float64) *Node {
	column := func(k int) *Node { return Squeeze(Slice(course, AxisRange(), AxisElem(k)), 1) }
	float := func(x *Node) *Node { return ConvertDType(x, dtypes.Float32) }
	zero, n, steps := ZerosLike(elbo), float64(convergenceWindow), column(courseSteps)

	ends := Equal(Mod(AddScalar(i, 1), ConvertDType(steps, dtypes.Int32)), ScalarZero(i.Graph(), dtypes.Int32)) // the epoch
	sum := Add(column(courseEpoch), elbo)
	mean := Div(sum, steps)
	epochs := Add(column(courseEpochs), float(ends))
	origin := Where(Equal(column(courseEpochs), zero), mean, column(courseOrigin))
	rise := Where(ends, Sub(mean, origin), zero)
	window, squares := Add(column(courseSum), rise), Add(column(courseSquares), Square(rise))

	full := LogicalAnd(ends, Equal(ModScalar(epochs, n), zero))
	windowMean := DivScalar(window, n)
	variance := MulScalar(Max(Sub(DivScalar(squares, n), Square(windowMean)), zero), n/(n-1))
	deviation := Sqrt(DivScalar(Add(variance, column(courseVariance)), n))
	rises := GreaterThan(Sub(windowMean, column(courseMean)), MulScalar(deviation, tolerance))
	stops := LogicalAnd(LogicalAnd(full, GreaterThan(epochs, AddScalar(zero, n))), LogicalNot(rises))

	return Stack([]*Node{
		courseSteps: steps, courseDone: float(stops), courseEpochs: epochs, courseEpoch: Where(ends, zero, sum), courseOrigin: origin,
		courseSum: Where(full, zero, window), courseSquares: Where(full, zero, squares),
		courseMean: Where(full, windowMean, column(courseMean)), courseVariance: Where(full, variance, column(courseVariance)),
	}, 1)
}

// done tells for each run whether its course has ended, [runs, 1].
func done(course *Node) *Node {
	return GreaterThan(Slice(course, AxisRange(), AxisElem(courseDone)), ScalarZero(course.Graph(), dtypes.Float32))
}

// settled returns next for the runs whose course goes on, and last for the others. Both are [runs·rows, …] or [runs, …].
func settled(course *Node, last, next []*Node) []*Node {
	for k, x := range next {
		of := Reshape(x, course.Shape().Dimensions[0], -1)
		ended := BroadcastToDims(done(course), of.Shape().Dimensions...)
		next[k] = Reshape(Where(ended, Reshape(last[k], of.Shape().Dimensions...), of), x.Shape().Dimensions...)
	}
	return next
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
