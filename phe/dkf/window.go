package dkf

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/compute/dtypes"

	"gophe/phe"
	"gophe/phe/online"
)

// windows are a batch's, as the networks read them; positions come before rows, so that the events of one position lie
// together. Before [network.embed] a row of theirs is a window; after it, one window under one sample of the embeddings,
// of a run samples·rows, sample after sample.
type windows struct {
	index      *Node // [runs, length, rows, columns] int32, into the items of the row's own run
	embeddings *Node // [runs, length, samples·rows, columns·dim]
	numbers    *Node // [runs, length, rows, …], what is known of an event before its count
	targets    *Node // [runs, length, rows], counts as the likelihood reads them: with PackSizes their cells; never by samples
	seen       *Node // [runs, length, rows, 1], counts as the GRU reads them
	gaps       *Node // [runs, length, rows, 1], weeks since the event before
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

// read gathers the batch's windows.
func (m network) read(b online.Batch) windows {
	data := b.Data[len(b.Data)-numEvents:]
	runs, rows := b.Size()
	events := Gather(data[5], Reshape(b.Rows, runs*rows, 1)) // [runs·rows, length]
	events = TransposeAllAxes(Reshape(events, runs, rows, m.Length), 0, 2, 1)
	at := Reshape(events, -1, 1)
	index := b.OwnItems(Gather(data[0], at), m.items) // [runs·length·rows, columns]
	shaped := func(x *Node, width int) *Node { return Reshape(x, runs, m.Length, rows, width) }
	numbers := shaped(Gather(data[1], at), m.Numbers)
	seen := shaped(Gather(data[2], at), 1)
	minutes := Squeeze(shaped(Gather(InsertAxes(data[3], -1), at), 1), -1)
	if m.Inputs == Raw {
		numbers = Div(numbers, InsertAxes(Const(numbers.Graph(), m.maxima), 0, 0, 0))
	} else {
		numbers, seen = logarithms(numbers), Log1p(seen)
	}
	if m.Inputs == Relative {
		numbers = Concatenate([]*Node{numbers, relative(numbers, seen)}, -1)
	}
	return windows{index: shaped(index, m.Columns), numbers: numbers, targets: Squeeze(shaped(Gather(data[4], at), 1), -1),
		seen: seen, gaps: gapsOf(minutes)}
}

// embed draws the windows' embeddings; a point estimate's samples are alike. With masked, no gradient flows through the
// embeddings of columns other than the incremental one; with training, some are dropped.
func (m network) embed(p online.Parameters, b online.Batch, w windows, samples int, noise phe.Noise, masked, training bool) windows {
	slots := phe.Slots{Buckets: b.Data[0]}
	if m.Encoder.HasWeights() {
		slots.Weights = b.Data[1]
	}
	d := w.index.Shape().Dimensions
	runs, length, rows := d[0], d[1], d[2]
	drawn := m.encoder.Embed(p.Tables, slots.Stack(runs, p.Tables), Reshape(w.index, -1, m.Columns), m.Scheme, samples, noise)
	if masked {
		drawn = phe.OnlyColumn(drawn, m.Incremental)
	}
	own := drawn.Shape().Dimensions[0] // samples, or 1 of a point estimate
	if training && m.ItemDropout > 0 {
		uniform := noise.Uniform(noiseDropout, own, runs*length*rows, m.Columns, 1)
		keep := ConvertDType(GreaterThan(uniform, Const(uniform.Graph(), float32(2*m.ItemDropout-1))), drawn.DType())
		drawn = Mul(drawn, keep)
	}
	width := m.Columns * m.Encoder.EmbeddingDim
	drawn = TransposeAllAxes(Reshape(drawn, own, runs, length, rows, width), 1, 2, 0, 3, 4)
	w.embeddings = repeatRows(Reshape(drawn, runs, length, own*rows, width), samples/own)
	w.numbers, w.seen, w.gaps = repeatRows(w.numbers, samples), repeatRows(w.seen, samples), repeatRows(w.gaps, samples)
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

// Time gaps are in weeks, between 0 and three of them (PROTOCOL: Retail model); where a window straddles products, time
// may run backwards, and counts as none.
const (
	minutesPerWeek = 60 * 24 * 7
	mostGap        = 3
)

// gapsOf minutes, [runs, length, rows], are those since the event before, 0 for the first: [runs, length, rows, 1].
func gapsOf(minutes *Node) *Node {
	earlier := Slice(minutes, AxisRange(), AxisRange(0, -1))
	later := Slice(minutes, AxisRange(), AxisRange(1))
	weeks := DivScalar(ConvertDType(Sub(later, earlier), dtypes.Float32), minutesPerWeek)
	weeks = ClipScalar(weeks, 0, mostGap)
	first := ZerosLike(Slice(weeks, AxisRange(), AxisRange(0, 1)))
	return InsertAxes(Concatenate([]*Node{first, weeks}, 1), -1)
}

// logarithms of numbers that may be 0 (a price of a gift) or, through a clerk's mistake, below.
func logarithms(x *Node) *Node { return Log(AddScalar(Max(x, ZerosLike(x)), 0.1)) }

// priceWidth is how far two logarithms may lie apart and still weigh as alike.
const priceWidth = 0.1

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
	alike := Mul(Exp(MulScalar(distance, -0.5/(priceWidth*priceWidth))), InsertAxes(mask, 0, -1))
	total := ReduceSum(alike, 2)
	sold := ReduceSum(Mul(alike, InsertAxes(Squeeze(seen, -1), 1)), 2)
	average := Div(sold, AddScalar(total, 1e-3))
	return Concatenate([]*Node{
		Mul(Sub(mean, numbers), onAxis1(some)), InsertAxes(average, -1), InsertAxes(Log1p(total), -1),
	}, -1)
}
