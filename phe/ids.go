package phe

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/pkg/errors"

	"gophe/phe/hash"
)

// IDs turns texts into ids for [New], [rows, columns] int64. An item is column_value, as in learn.NewBatch, and its id leads to the rows
// that [Encoder.Items] finds for it. Integers need no IDs: they are ids as they are, and 7 is another item than the text 7.
func IDs(columns []string, rows [][]string) (*tensors.Tensor, error) {
	if len(columns) == 0 || len(rows) == 0 {
		return nil, errors.Errorf("%d rows of %d columns; give at least one of each", len(rows), len(columns))
	}
	flat := make([]int64, 0, len(rows)*len(columns))
	err := named(columns, rows, func(column int, item string) { flat = append(flat, hash.IDOf(column, hash.CarterWegman.Key(item))) })
	if err != nil {
		return nil, err
	}
	return tensors.FromFlatDataAndDimensions(flat, len(rows), len(columns)), nil
}

// named gives take the items column_value of all rows, in order.
func named(columns []string, rows [][]string, take func(column int, item string)) error {
	for i, row := range rows {
		if len(row) != len(columns) {
			return errors.Errorf("row %d, counted from 0, has %d items, and the columns are %q", i, len(row), columns)
		}
		for c, value := range row {
			take(c, columns[c]+"_"+value)
		}
	}
	return nil
}

// FindIDs finds the table rows of items by column and integer id, in the graph. ids are [batch, …, columns] of any integer type, and each
// has a slot, in order. The arithmetic is exact, so every backend finds the host's rows of the keys hash.KeyOf.
func (e *Encoder) FindIDs(ids *Node) (slots Slots) {
	switch {
	case e.Hash != hash.CarterWegman: // strings have other keys than IDs gives
		panic(errors.Errorf("ids need rows %q and hash %q, and have %q and %q; layers.Embedding takes a known vocabulary", Hashed,
			hash.CarterWegman, e.Rows, e.Hash))
	case !ids.DType().IsInt() || ids.Rank() < 2:
		panic(errors.Errorf("ids are %s; give integers, [batch, columns]: InsertAxes(ids, -1) makes a single column", ids.Shape()))
	}
	a, b := e.family.Functions()
	rows := append(slices.Repeat([]uint64{uint64(e.NumBuckets)}, e.NumHashes), uint64(max(e.NumWeights, 1)))
	found := ConvertDType(Rem(linearMod(keys(ids), a, b), across(ids, rows)), dtypes.Int32)
	slots.Buckets = Slice(found, AxisRange(), AxisRange(0, e.NumHashes))
	if e.NumWeights > 0 {
		slots.Weights = Squeeze(Slice(found, AxisRange(), AxisElem(e.NumHashes)), -1)
	}
	return slots
}

func word(x *Node, w uint64) *Node      { return Const(x.Graph(), w) }
func across(x *Node, ws []uint64) *Node { return Const(x.Graph(), [][]uint64{ws}) }
func right(x *Node, n uint64) *Node     { return BitwiseShiftRightLogical(x, word(x, n)) }
func low(x *Node, bits uint64) *Node    { return BitwiseAnd(x, word(x, 1<<bits-1)) }

// mod takes any uint64 modulo 2⁶¹ − 1.
func mod(x *Node) *Node {
	x = Add(low(x, 61), right(x, 61))
	return Sub(x, Mul(ConvertDType(GreaterOrEqual(x, word(x, 1<<61-1)), dtypes.Uint64), word(x, 1<<61-1)))
}

// keys returns the keys of ids, [ids, 1] uint64, as hash.KeyOf does.
func keys(ids *Node) *Node {
	zeros := make([]uint64, ids.Shape().Dim(-1)) // of each column's id 0, before the mixing
	for c := range zeros {
		zeros[c] = -uint64(hash.IDOf(c, 0))
	}
	x := Reshape(ConvertDType(ConvertDType(ids, dtypes.Int64), dtypes.Uint64), -1, len(zeros))
	x = Add(x, across(x, zeros))
	x = Mul(BitwiseXor(x, right(x, 30)), word(x, 0xbf58476d1ce4e5b9)) // hash.Mix
	x = Mul(BitwiseXor(x, right(x, 27)), word(x, 0x94d049bb133111eb))
	return Reshape(mod(BitwiseXor(x, right(x, 31))), -1, 1)
}

// linearMod returns (a·x + b) mod 2⁶¹ − 1 for keys, [ids, 1], and each a and b: [ids, functions]. A product has 122 bits in two words, as
// bits.Mul64 computes them.
func linearMod(x *Node, a, b []uint64) *Node {
	slopes := across(x, a)
	x0, x1, a0, a1 := low(x, 32), right(x, 32), low(slopes, 32), right(slopes, 32)
	t := Add(Mul(x1, a0), right(Mul(x0, a0), 32))
	hi := Add(Add(Mul(x1, a1), right(t, 32)), right(Add(low(t, 32), Mul(x0, a1)), 32))
	lo := Mul(x, slopes)
	folded := Add(Add(low(lo, 61), right(lo, 61)), Mul(hi, word(hi, 8))) // 2⁶¹ is 1
	return mod(Add(folded, across(x, b)))
}
