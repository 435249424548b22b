package learn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
)

// A batch that does not fit is an error in every call. The error names the fault, and the call changes nothing. An accelerator
// would clamp or drop a wrong index in silence.
func TestBatchErrors(t *testing.T) {
	l := newLearner(t, sum(), config(phe.Posterior), learn.Options{})
	before := l.State(t)
	for _, c := range []struct {
		right string
		harm  func(b *learn.Batch)
	}{
		{"point to one of the 100 items", func(b *learn.Batch) { b.Index[3] = items }},
		{"point to one of the 100 items", func(b *learn.Batch) { b.Index[3] = -1 }},
		{"stands in column 1", func(b *learn.Batch) { b.Columns[5] = 1 }},
		{"the columns of 99", func(b *learn.Batch) { b.Columns = b.Columns[1:] }},
		{"101 of them common", func(b *learn.Batch) { b.Common = 101 }},
		{"-1 of them common", func(b *learn.Batch) { b.Common = -1 }},
		{"stands in column -1", func(b *learn.Batch) { b.Columns[5] = -1 }},
		{"101 records", func(b *learn.Batch) { b.Records++ }},
		{"99 targets", func(b *learn.Batch) { b.Targets = b.Targets[1:] }},
		{"the target of event 2 is NaN", func(b *learn.Batch) { b.Targets[2] = float32(math.NaN()) }},
		{"event 100", func(b *learn.Batch) { b.Length, b.Records, b.Events = 2, 1, []int32{0, 100} }},
		{"event -1", func(b *learn.Batch) { b.Length, b.Records, b.Events = 2, 1, []int32{-1, 0} }},
		{"3 events listed", func(b *learn.Batch) { b.Events = []int32{0, 1, 2} }},
		{"2 events listed", func(b *learn.Batch) { b.Length, b.Records, b.Events = 2, 2, []int32{0, 1} }},
	} {
		b := itemBatch()
		c.harm(b)
		_, err := l.Learner.Predict(b)
		for _, err := range []error{err, l.Learner.Update(b, 1), l.Learner.Fit(b, 1), l.Learner.Replay(b, 1), l.Pin(b)} {
			filetest.WantError(t, err, c.right)
		}
	}
	filetest.Want(t, l.State(t).Parameters, before.Parameters, "the state after an error")
	err := l.Pin(l.All.Take([]int32{1}))
	filetest.WantError(t, err, "pin the batch that it was taken from")
	odd := &learn.Batch{Records: 1, Items: []string{"a", "b"}, Columns: []int32{0, 1}, Index: []int32{0, 1, 0}}
	_, err = newUnmet(t, two(), config(phe.Point), learn.Options{}).Learner.Predict(odd)
	filetest.WantError(t, err, "3 cells in 2 columns; give it as many columns as the network has")
}

// Common items have any column, since no event's column points to them. They come with every part of a batch, last, and are
// learned with it.
func TestCommonItems(t *testing.T) {
	for _, pinned := range []bool{false, true} {
		l := newUnmet(t, judged(commonOutputs), config(phe.Point), learn.Options{})
		l.All.Items, l.All.Columns, l.All.Common = append(l.All.Items, "a", "b"), append(l.All.Columns, 1, 1), 2
		l.All.Index[60] = 101 // an event may hold one, too
		if pinned {
			filetest.Check(t, l.Pin(l.All))
		} else {
			filetest.Check(t, l.Meet(l.All)) // items 100 and 101 have these rows
		}
		before := l.State(t).Parameters[0]
		first := l.Predict(t, []int32{40, 7, 60}, 0)
		for i, item := range []int{40, 7, 101} {
			want := before[2*item] + before[2*item+1] + before[2*100] - before[2*101]
			filetest.Near(t, first[i], want, 1e-5, "pinned %t: the prediction of item %d", pinned, item)
		}
		filetest.Check(t, l.Update([]int32{40, 7}, 1))
		after := l.State(t).Parameters[0]
		for item := range capacity {
			moved := !slices.Equal(before[2*item:2*item+2], after[2*item:2*item+2])
			want := slices.Contains([]int{7, 40, 100, 101}, item)
			filetest.Want(t, moved, want, "pinned %t: item %d moved", pinned, item)
		}
	}
}

// commonOutputs adds the first coordinates of the first and the last of two common items, the last subtracted.
func commonOutputs(p learn.Pass) learn.Outputs {
	runs, records, o := p.Runs, p.Records, sumOutputs(p)
	index := Reshape(Const(p.Index.Graph(), []int32{int32(p.Items - 2), int32(p.Items - 1)}), 1, 2)
	both := p.Embed(p.OwnItems(Reshape(BroadcastToDims(index, runs, 2), 2*runs, 1))) // [samples, 2·runs, 1, dim]
	firsts := Squeeze(Slice(Squeeze(both, 2), AxisRange(), AxisRange(), AxisElem(0)), 2)
	pair := Reshape(firsts, -1, runs, 2)
	at := func(i int) *Node { return Slice(pair, AxisRange().Spacer(), AxisElem(i)) } // [samples, runs, 1]
	shift := Sub(at(0), at(1))
	o.Parameters = Add(o.Parameters, Reshape(BroadcastToDims(shift, shift.Shape().Dimensions[0], runs, records), -1, runs*records, 1))
	return o
}

// offset adds an input to sum.
func offset() learn.Network {
	n := judged(func(p learn.Pass) learn.Outputs {
		o := sumOutputs(p)
		o.Parameters = Add(o.Parameters, Reshape(ReduceSum(p.Inputs["offset"], -1), 1, -1, 1))
		return o
	})
	n.Inputs = []learn.InputSpec{{Name: "offset", DType: dtypes.Float32, Dims: []int{2}}}
	return n
}

// Inputs are checked by their names, sizes and types, and reach the network with their records.
func TestInputs(t *testing.T) {
	l := newLearner(t, offset(), config(phe.Point), learn.Options{})
	with := func(x learn.Input) *learn.Batch {
		b := itemBatch()
		b.Inputs = map[string]learn.Input{"offset": x}
		return b
	}
	floats := make([]float32, 2*items)
	nan := slices.Clone(floats)
	nan[9] = float32(math.NaN())
	for right, b := range map[string]*learn.Batch{
		`input "offset" has 0 values`:           itemBatch(),
		`input "offset" has 100 values`:         with(learn.Input{Floats: floats[:items]}),
		`reads 2 Float32 values for each event`: with(learn.Input{Integers: make([]int32, 2*items)}),
		`input "offset" of event 4 is NaN`:      with(learn.Input{Floats: nan}),
	} {
		filetest.WantError(t, filetest.Failure(l.Learner.Predict(b)), right)
	}
	plain := with(learn.Input{Floats: floats})
	before := filetest.Must(l.Learner.Predict(plain.Take([]int32{3, 8})))(t)
	moved := slices.Clone(floats)
	moved[2*8] = 0.5
	after := filetest.Must(l.Learner.Predict(with(learn.Input{Floats: moved}).Take([]int32{3, 8})))(t)
	filetest.Want(t, after.Of(0, 0)[0], before.Of(0, 0)[0], "a prediction without the input of record 8")
	filetest.Near(t, after.Of(0, 1)[0]-before.Of(0, 1)[0], 0.5, 1e-6, "an input of record 8 moves its prediction by")
}

// A part of a part is a part of the whole.
func TestTake(t *testing.T) {
	l := newLearner(t, sum(), config(phe.Posterior), learn.Options{})
	part := l.All.Take([]int32{50, 60, 70, 80})
	direct := filetest.Must(l.Learner.Predict(l.All.Take([]int32{70, 50, 70})))(t)
	again := filetest.Must(l.Learner.Predict(part.Take([]int32{2, 0, 2})))(t)
	filetest.Want(t, again.Values, direct.Values, "predictions through a part, and directly")
	filetest.Want(t, again.Records, 3, "records")
	err := filetest.Failure(l.Learner.Predict(part.Take([]int32{4})))
	filetest.True(t, err != nil, "record 4 of a part of four is predicted")
}

// pairOutputs are of sequences: they judge every event, by the sum of its own item's embedding.
func pairOutputs(p learn.Pass) learn.Outputs {
	runs, records := p.Runs, p.Records
	length := p.Index.Shape().Dimensions[2]
	x := ReduceSum(Squeeze(p.Embed(Reshape(TransposeAllAxes(p.Index, 0, 2, 1, 3), -1, 1)), 2), -1) // events before records
	if !p.Training {
		last := Squeeze(Slice(Reshape(x, -1, runs, length, records), AxisRange(), AxisRange(), AxisElem(-1)), 2)
		return learn.Outputs{Parameters: Reshape(last, -1, runs*records, 1)}
	}
	return learn.Outputs{Parameters: InsertAxes(x, -1), Targets: Reshape(TransposeAllAxes(p.Targets, 0, 2, 1), -1), Events: length}
}

// Records that are sequences share events, pinned or not: both learn the same.
func TestSequences(t *testing.T) {
	windows := func() *learn.Batch {
		b := itemBatch()
		b.Records, b.Length = items-2, 3
		for i := range int32(items - 2) {
			b.Events = append(b.Events, i, i+1, i+2)
		}
		for i := range b.Targets {
			b.Targets[i] = float32(i%4) - 1
		}
		return b
	}
	var states [2]learn.Snapshot
	for i := range states {
		l := newLearner(t, judged(pairOutputs), config(phe.Point), learn.Options{MaxUpdated: 64})
		l = nettest.Led{Learner: l.Learner, All: windows()}
		if i == 0 {
			filetest.Check(t, l.Pin(l.All))
		}
		filetest.Check(t, l.Fit(numbersTo(40), 2))
		l.Settle()
		filetest.Check(t, l.Update([]int32{50, 51, 52}, 60))
		states[i] = l.State(t)
		p := l.Predict(t, []int32{50}, 0)
		filetest.Near(t, p[0], l.All.Targets[52], 0.1, "the prediction of the last event of window 50")
	}
	for k, v := range states[0].Parameters[0] {
		filetest.Near(t, v, states[1].Parameters[0][k], 1e-4, "entry %d of the tables of a pinned batch", k)
	}
}

// The items of records come as often as they occur, of sequences event by event.
func TestItemsOf(t *testing.T) {
	single := &learn.Batch{Records: 3, Index: []int32{7, 8, 5, 5, 6, 7}}
	filetest.Want(t, slices.Collect(single.ItemsOf([]int32{2, 1}, 2)), []int32{6, 7, 5, 5}, "items of records 2 and 1")
	windows := &learn.Batch{Records: 2, Length: 2, Events: []int32{2, 1, 1, 0}, Index: []int32{4, 5, 6}}
	filetest.Want(t, slices.Collect(windows.ItemsOf([]int32{1, 0}, 1)), []int32{5, 4, 6, 5}, "items of windows 1 and 0")
	for item := range single.ItemsOf([]int32{0, 1}, 2) {
		if item == 8 { // who has seen enough may stop
			break
		}
	}
}

// Known items are weighed by the records that have them, and by their targets where records are events.
func TestKnown(t *testing.T) {
	b := &learn.Batch{Records: 4, Items: []string{"c_a", "c_b", "d_a", "d_b"}, Columns: []int32{0, 0, 1, 1},
		Index: []int32{0, 2, 0, 3, 1, 2, 1, 3}, Targets: []float32{7, 5, 7, 7}}
	known := b.Known([]int32{1, 0, 2}, 2, hash.CarterWegman)
	want := []hash.Item{{Column: 0, Weight: 2, Classes: []float64{1, 1}}, {Column: 0, Weight: 1, Classes: []float64{0, 1}},
		{Column: 1, Weight: 2, Classes: []float64{0, 2}}, {Column: 1, Weight: 1, Classes: []float64{1, 0}}}
	for i := range want {
		want[i].Key = hash.CarterWegman.Key(b.Items[i])
	}
	filetest.Want(t, known, want, "known")
	first := b.Known([]int32{0}, 2, hash.CarterWegman)
	filetest.Want(t, len(first), 2, "items of the first record")
	filetest.Want(t, len(first[0].Classes), 0, "classes that a record of one class knows")
	many := &learn.Batch{Records: 17, Items: b.Items[:1], Columns: b.Columns[:1], Index: make([]int32, 17)}
	for i := range 17 { // numbers, and no classes
		many.Targets = append(many.Targets, float32(i))
	}
	of := many.Known(numbersTo(17), 1, hash.CarterWegman)[0]
	filetest.Want(t, of.Weight, 17, "the weight of seventeen targets")
	filetest.Want(t, len(of.Classes), 0, "classes of seventeen targets")
	b.Length, b.Events = 2, []int32{0, 1, 2, 3}
	windows := b.Known([]int32{0}, 2, hash.CarterWegman)
	filetest.Want(t, len(windows), 3, "items of a window of two events")
	filetest.Want(t, windows[0].Weight, 2, "the weight of an item of both events")
	filetest.Want(t, len(windows[0].Classes), 0, "classes of a window")
}
