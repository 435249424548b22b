package dkf

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"

	"gophe/phe/learn"
)

// windows are a batch's, as the networks read them; positions come before rows, so that the events of one position lie
// together. Before [network.embed] a row of theirs is a window; after it, one window under one sample of the embeddings,
// of a run samples·rows, sample after sample.
type windows struct {
	index      *Node // [runs, length, rows, columns] int32, into the items of the row's own run
	embeddings *Node // [runs, length, samples·rows, columns·dim]
	numbers    *Node // [runs, length, rows, …], what is known of an event before its count
	targets    *Node // [runs, length, rows], counts as the likelihood reads them: with Histogram their cells; never by samples
	seen       *Node // [runs, length, rows, 1], counts as the GRU reads them
	gaps       *Node // [runs, length, rows, 1], in units of GapUnit since the event before
}

// positions takes events from … to−1 of x, [runs, length, …].
func positions(x *Node, from, to int) *Node { return Slice(x, AxisRange(), AxisRange(from, to)) }

// events from … to−1 of the windows.
func (w windows) events(from, to int) windows {
	for _, part := range []**Node{&w.index, &w.embeddings, &w.numbers, &w.targets, &w.seen, &w.gaps} {
		if *part != nil {
			*part = positions(*part, from, to)
		}
	}
	return w
}

// read lays out the windows of a pass, positions before rows.
func (m *Model) read(p learn.Pass) windows {
	ahead := func(x *Node) *Node { // [runs, rows, length, …] → [runs, length, rows, …]
		axes := []int{0, 2, 1}
		for i := 3; i < x.Rank(); i++ {
			axes = append(axes, i)
		}
		return TransposeAllAxes(x, axes...)
	}
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

// embed draws the windows' embeddings; a point estimate's samples are alike. In training, some are dropped.
func (m *Model) embed(p learn.Pass, w windows) windows {
	d := w.index.Shape().Dimensions
	runs, length, rows, columns := d[0], d[1], d[2], d[3]
	drawn := p.Embed(Reshape(w.index, -1, columns))
	own := drawn.Shape().Dimensions[0] // samples, or 1 of a point estimate
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

// repeatRows repeats all rows, one time after the other: [runs, length, rows, width] → [runs, length, times·rows, width].
func repeatRows(x *Node, times int) *Node {
	if times == 1 {
		return x
	}
	d := x.Shape().Dimensions
	return Reshape(BroadcastToDims(InsertAxes(x, 2), d[0], d[1], times, d[2], d[3]), d[0], d[1], times*d[2], d[3])
}

// gapsOf times, [runs, length, rows] in ticks, are in units of GapUnit, between 0 and MostGaps of them, since the event before; 0 for
// the first: [runs, length, rows, 1]. Where a window straddles series, time may run backwards, and counts as none.
func (m *Model) gapsOf(times *Node) *Node {
	earlier := Slice(times, AxisRange(), AxisRange(0, -1))
	later := Slice(times, AxisRange(), AxisRange(1))
	gaps := DivScalar(ConvertDType(Sub(later, earlier), dtypes.Float32), float64(m.GapUnit)/float64(m.Tick))
	gaps = ClipScalar(gaps, 0, m.MostGaps)
	first := ZerosLike(Slice(gaps, AxisRange(), AxisRange(0, 1)))
	return InsertAxes(Concatenate([]*Node{first, gaps}, 1), -1)
}

// logarithms of numbers that may be 0 (a price of a gift) or, through a clerk's mistake, below.
func logarithms(x *Node) *Node { return Log(AddScalar(Max(x, ZerosLike(x)), 0.1)) }

// likeWidth is how far two logarithms may lie apart and still weigh as alike.
const likeWidth = 0.1

// relative is what the events before say of an event's numbers: their mean less the event's, [… numbers]; the counts seen
// at like numbers, averaged; and how many they were, as log(1 + n). The first event has zeros. numbers are
// [runs, length, rows, numbers], seen [runs, length, rows, 1]; nothing of a later event is looked at, nor the event's own
// count.
func relative(numbers, seen *Node) *Node {
	g, length := numbers.Graph(), numbers.Shape().Dimensions[1]
	before := make([][]float32, length) // [event, earlier event]
	number := make([]float32, length)
	for i := range before {
		before[i] = make([]float32, length)
		for j := range i {
			before[i][j] = 1
		}
		number[i] = float32(max(i, 1))
	}
	mask := Const(g, before)
	some := make([]float32, length)
	for i := 1; i < length; i++ {
		some[i] = 1
	}
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
