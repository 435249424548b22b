package dkf

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"

	"gophe/phe/learn"
)

// windows are the windows of a batch in the form that the networks read. The axis of positions comes before the axis of rows, so
// the events of one position lie together. Before [Model.embed], a row is one window. After it, a row is one window under one
// sample of the embeddings, and a run has samples·rows of them, sample after sample.
type windows struct {
	index      *Node // [runs, length, rows, columns] int32, into the items of the row's run
	embeddings *Node // [runs, length, samples·rows, columns·dim]
	numbers    *Node // [runs, length, rows, …], facts known before the event's count
	targets    *Node // [runs, length, rows], counts as the likelihood reads them, or with Histogram cells; embed does not repeat their rows
	seen       *Node // [runs, length, rows, 1], counts as the GRU reads them
	gaps       *Node // [runs, length, rows, 1], in units of GapUnit since the event before
}

// positions returns events from … to−1 of x, [runs, length, …].
func positions(x *Node, from, to int) *Node { return Slice(x, AxisRange(), AxisRange(from, to)) }

// events returns events from … to−1 of the windows.
func (w windows) events(from, to int) windows {
	for _, part := range []**Node{&w.index, &w.embeddings, &w.numbers, &w.targets, &w.seen, &w.gaps} {
		if *part != nil {
			*part = positions(*part, from, to)
		}
	}
	return w
}

// read arranges the windows of a pass with positions before rows.
func (m *Model) read(p learn.Pass) windows {
	ahead := func(x *Node) *Node { return Transpose(x, 1, 2) } // [runs, rows, length, …] → [runs, length, rows, …]
	numbers, times := ahead(p.Inputs[numbers]), ahead(p.Inputs[times])
	seen := InsertAxes(ahead(p.Inputs[counts]), -1)
	if m.Filter.Inputs == Raw {
		numbers = Div(numbers, InsertAxes(Const(numbers.Graph(), m.Maxima), 0, 0, 0))
	} else {
		numbers, seen = logarithms(numbers), Log1p(seen)
	}
	if m.Filter.Inputs == Relative {
		numbers = Concatenate([]*Node{numbers, relative(numbers, seen)}, -1)
	}
	return windows{index: ahead(p.Index), numbers: numbers, targets: ahead(p.Targets), seen: seen, gaps: m.gapsOf(times)}
}

// embed draws the windows' embeddings. Samples of a point estimate are equal. Training replaces some embeddings by 0 (ItemDropout).
func (m *Model) embed(p learn.Pass, w windows) windows {
	d := w.index.Shape().Dimensions
	runs, length, rows, columns := d[0], d[1], d[2], d[3]
	drawn := p.Embed(Reshape(w.index, -1, columns))
	own := drawn.Shape().Dimensions[0] // samples, or 1 for a point estimate
	if p.Training && m.ItemDropout > 0 {
		uniform := p.Noise.Uniform(noiseDropout, own, runs*length*rows, columns, 1)
		keep := ConvertDType(GreaterThan(uniform, Const(uniform.Graph(), float32(2*m.ItemDropout-1))), drawn.DType())
		drawn = Mul(drawn, keep)
	}
	width := columns * m.Encoder.EmbeddingDim
	drawn = TransposeAllAxes(Reshape(drawn, own, runs, length, rows, width), 1, 2, 0, 3, 4)
	w.embeddings = repeatRows(Reshape(drawn, runs, length, own*rows, width), p.Samples/own)
	w.numbers, w.seen, w.gaps = repeatRows(w.numbers, p.Samples), repeatRows(w.seen, p.Samples), repeatRows(w.gaps, p.Samples)
	return w
}

// repeatRows repeats the block of all rows: [runs, length, rows, width] → [runs, length, times·rows, width].
func repeatRows(x *Node, times int) *Node {
	if times == 1 {
		return x
	}
	d := x.Shape().Dimensions
	return Reshape(BroadcastToDims(InsertAxes(x, 2), d[0], d[1], times, d[2], d[3]), d[0], d[1], times*d[2], d[3])
}

// gapsOf returns the time since the event before, in units of GapUnit and between 0 and MaxGaps: [runs, length, rows, 1]. times is
// [runs, length, rows] in ticks. The first event has 0. If a window straddles two series, time may run backwards, and the gap
// counts as 0.
func (m *Model) gapsOf(times *Node) *Node {
	earlier := Slice(times, AxisRange(), AxisRange(0, -1))
	later := Slice(times, AxisRange(), AxisRange(1))
	gaps := DivScalar(ConvertDType(Sub(later, earlier), dtypes.Float32), float64(m.GapUnit)/float64(m.Tick))
	gaps = ClipScalar(gaps, 0, m.MaxGaps)
	first := ZerosLike(Slice(gaps, AxisRange(), AxisRange(0, 1)))
	return InsertAxes(Concatenate([]*Node{first, gaps}, 1), -1)
}

// logarithms returns log(x + 0.1). A number may be 0, such as the price of a gift. A negative number, such as a clerk's mistake,
// counts as 0.
func logarithms(x *Node) *Node { return Log(AddScalar(Max(x, ZerosLike(x)), 0.1)) }

// likeWidth is the distance of two logarithms at which their likeness begins to fall.
const likeWidth = 0.1

// relative returns three facts about the events before each event. The first is their mean numbers less the event's, [… numbers].
// The second is the mean of their counts, weighted by the likeness of their numbers. The third is the sum n of these weights, as
// log(1 + n). The first event has zeros. numbers are [runs, length, rows, numbers], and seen is [runs, length, rows, 1]. Neither
// later events nor the event's own count are read.
func relative(numbers, seen *Node) *Node {
	g, length := numbers.Graph(), numbers.Shape().Dimensions[1]
	before := make([][]float32, length) // [event, earlier event]
	number, some := make([]float32, length), make([]float32, length)
	for i := range before {
		before[i] = make([]float32, length)
		for j := range i {
			before[i][j] = 1
		}
		number[i], some[i] = float32(max(i, 1)), float32(min(i, 1))
	}
	mask := Const(g, before)
	onAxis1 := func(v []float32) *Node { return Reshape(Const(g, v), 1, length, 1, 1) }
	mean := Div(Einsum("ij,rjnf->rinf", mask, numbers), onAxis1(number))
	distance := ReduceSum(Square(Sub(InsertAxes(numbers, 2), InsertAxes(numbers, 1))), -1) // [runs, event, earlier, rows]
	alike := Mul(Exp(MulScalar(distance, -0.5/(likeWidth*likeWidth))), InsertAxes(mask, 0, -1))
	total := ReduceSum(alike, 2)
	sold := ReduceSum(Mul(alike, InsertAxes(Squeeze(seen, -1), 1)), 2)
	average := Div(sold, AddScalar(total, 1e-3))
	return Concatenate([]*Node{
		Mul(Sub(mean, numbers), onAxis1(some)), InsertAxes(average, -1), InsertAxes(Log1p(total), -1),
	}, -1)
}
