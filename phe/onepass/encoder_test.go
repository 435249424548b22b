package onepass

import (
	"fmt"
	"math"
	"testing"

	"gophe/phe/disk/filetest"
)

func ExampleEncoder() {
	c := Stream(Shape{Columns: 2})
	e, err := NewEncoder(c, []string{"user", "price"})
	if err != nil {
		fmt.Println(err)
		return
	}
	e.Item(0, "anna")
	e.Number(1, 2.95)
	row := e.Row()
	for i, cell := range row.Cells {
		fmt.Println(cell.Column, len(row.Slots[i:i+1]))
	}
	// Output:
	// 0 1
	// 1 1
	// 2 1
}

// keyOf returns the key of the item that a record has in a single column.
func keyOf(t *testing.T, column string, record func(e *Encoder)) uint64 {
	t.Helper()
	e := filetest.Must(NewEncoder(Stream(Shape{Columns: 1}), []string{column}))(t)
	record(e)
	return e.Row().Cells[0].Key
}

// All these items have different keys, also where only the border of column and value differs, or the kind.
func TestItemsAreToldApart(t *testing.T) {
	seen := map[uint64]string{}
	add := func(name string, column string, record func(e *Encoder)) {
		t.Helper()
		key := keyOf(t, column, record)
		other, ok := seen[key]
		filetest.True(t, !ok, "%s and %s have one key", name, other)
		seen[key] = name
	}
	for _, pair := range [][2]string{{"a", "bc"}, {"ab", "c"}, {"abc", ""}, {"", "abc"}, {"a", "v\x02bc"}, {"a\x01", "bc"}} {
		add(fmt.Sprintf("%q", pair), pair[0], func(e *Encoder) { e.Item(0, pair[1]) })
	}
	add("missing", "a", func(*Encoder) {})
	add("empty", "a", func(e *Encoder) { e.Item(0, "") })
	add("question mark", "a", func(e *Encoder) { e.Item(0, "?") })
	add("number 0", "a", func(e *Encoder) { e.Number(0, 0) })
	add("text 0", "a", func(e *Encoder) { e.Item(0, "0") })
	for _, x := range []float64{1, -1, 3, 1e9, -1e9, math.Inf(1), math.Inf(-1)} {
		add(fmt.Sprint(x), "a", func(e *Encoder) { e.Number(0, x) })
	}
}

// Bins are sign(x)⌊4 log₂(1 + |x|)⌋, and NaN is missing.
func TestNumbersFallIntoBins(t *testing.T) {
	key := func(x float64) uint64 { return keyOf(t, "a", func(e *Encoder) { e.Number(0, x) }) }
	for _, same := range [][2]float64{{0, 0.18}, {0, -0.18}, {1, 1.37}, {-1, -1.37}, {math.Inf(1), math.MaxFloat64}} {
		filetest.True(t, key(same[0]) == key(same[1]), "%g and %g fall into two bins", same[0], same[1])
	}
	for _, two := range [][2]float64{{0, 0.19}, {1, 0.99}, {1, 1.38}, {1, -1}, {0, math.NaN()}} {
		filetest.True(t, key(two[0]) != key(two[1]), "%g and %g fall into one bin", two[0], two[1])
	}
	filetest.True(t, key(math.NaN()) == keyOf(t, "a", func(*Encoder) {}), "NaN is not missing")
}

// A record of three columns has six cells; a column with two items divides its share, and the shares of its pairs, among them.
func TestPairsOfColumns(t *testing.T) {
	e := filetest.Must(NewEncoder(Stream(Shape{Columns: 3}), []string{"a", "b", "c"}))(t)
	e.Item(2, "z")
	e.Item(0, "x")
	e.Item(2, "y")
	want := []struct {
		column int32
		share  float64
	}{{0, 1}, {1, 1}, {2, .5}, {2, .5}, {3, 1}, {4, .5}, {4, .5}, {5, .5}, {5, .5}}
	row := e.Row()
	filetest.Want(t, len(row.Cells), len(want), "cells")
	keys := map[uint64]bool{}
	for i, c := range row.Cells {
		filetest.Want(t, c.Column, want[i].column, "cell %d: column", i)
		filetest.Want(t, c.Share, want[i].share, "cell %d: share", i)
		keys[c.Key] = true
	}
	filetest.Want(t, len(keys), len(want), "keys")
	filetest.Want(t, len(row.Slots), len(want), "slots")
}

// A table of twice the size has an item in bucket r or r + B, and its evidence in slot r or r + slots.
func TestDoubling(t *testing.T) {
	c := Stream(Shape{Columns: 2})
	twice := c
	twice.Buckets, twice.Evidence = 2*c.Buckets, 2*c.Evidence
	small := filetest.Must(NewEncoder(c, []string{"a", "b"}))(t)
	large := filetest.Must(NewEncoder(twice, []string{"a", "b"}))(t)
	evidence, evidence2 := newEvidence(c), newEvidence(twice)
	for i := range 200 {
		for _, e := range []*Encoder{small, large} {
			e.Item(0, fmt.Sprint(i))
			e.Number(1, float64(i))
		}
		a, b := small.Row(), large.Row()
		for k := range a.Cells {
			x, y, slot, slot2 := a.Cells[k], b.Cells[k], a.Slots[k], b.Slots[k]
			if x != y || slot>>31 != slot2>>31 || int(slot2&^signBit)%c.Buckets != int(slot&^signBit) {
				t.Fatalf("cell %d of row %d moved from %v, %x to %v, %x", k, i, x, slot, y, slot2)
			}
			if at, at2 := evidence.places.Of(x.Key), evidence2.places.Of(y.Key); at2%uint64(c.Evidence) != at {
				t.Fatalf("evidence of cell %d of row %d moved from %d to %d", k, i, at, at2)
			}
		}
	}
}

func TestEncoderRefuses(t *testing.T) {
	c := Stream(Shape{Columns: 2})
	filetest.True(t, filetest.Failure(NewEncoder(c, []string{"a"})) != nil, "one name for two columns")
	filetest.True(t, filetest.Failure(NewEncoder(c, []string{"a", "a"})) != nil, "one name twice")
	filetest.True(t, filetest.Failure(NewEncoder(Paper(2, 0, 1), []string{"a", "b"})) != nil, "an assembly without signs")
}

// encode makes a record of a user, a product and a price, as a stream has them.
func encode(e *Encoder, i int) *Row {
	e.Item(0, users[i%len(users)])
	e.Item(1, users[i*7%len(users)])
	e.Number(2, float64(i%100))
	return e.Row()
}

var users = func() (names []string) {
	for i := range 1000 {
		names = append(names, fmt.Sprint("a user with a long name ", i))
	}
	return names
}()

// Encoding a row, predicting it and learning it allocate no memory, for all interactions and targets.
func TestRowsAllocateNothing(t *testing.T) {
	for _, shape := range []Shape{
		{Columns: 3}, {Columns: 3, Interactions: FM}, {Columns: 3, Interactions: None, Head: Gaussian},
		{Columns: 3, Head: Softmax, Outputs: 4}, {Columns: 3, Head: Poisson, Interactions: FM},
	} {
		e, l := newStream(t, shape)
		i := 0
		step := func() {
			row := encode(e, i)
			step(l, row, float64(i%2))
			l.Predict(row)
			i++
		}
		step() // buffers grow
		filetest.Want(t, testing.AllocsPerRun(100, step), 0, "%v: allocations a row", shape)
	}
}

// Golden cells of a full record and of an empty one. If they changed, every saved model would lose its items.
func TestCellsStayWhereTheyAre(t *testing.T) {
	e := filetest.Must(NewEncoder(Stream(Shape{Columns: 2}), []string{"user", "price"}))(t)
	e.Item(0, "naïve")
	e.Number(1, -2.5)
	var got Row
	for range 2 {
		row := e.Row()
		got.Cells, got.Slots = append(got.Cells, row.Cells...), append(got.Slots, row.Slots...)
	}
	for i, want := range []struct {
		key    uint64
		bucket uint32
		sign   uint32
	}{
		{1181691772935167473, 28123, 1}, {311676015126718418, 20526, 0}, {1313049979479364979, 27829, 0},
		{2244295442133595270, 8044, 0}, {182586807524512819, 7791, 0}, {969349871841408451, 21006, 0},
	} {
		filetest.Want(t, got.Cells[i].Key, want.key, "the key of cell %d", i)
		filetest.Want(t, got.Slots[i], want.bucket|want.sign<<31, "the bucket of cell %d, with its sign", i)
	}
}

// Two items have one key only if they have one column and one value.
func FuzzItems(f *testing.F) {
	f.Add("a", "bc", "ab", "c")
	f.Add("a", "", "", "a")
	f.Add("a", "x", "a", "x")
	f.Fuzz(func(t *testing.T, column, value, column2, value2 string) {
		key := func(column, value string) uint64 { return keyOf(t, column, func(e *Encoder) { e.Item(0, value) }) }
		one := column == column2 && value == value2
		filetest.Want(t, key(column, value) == key(column2, value2), one, "%q of %q, and %q of %q are one item", value, column, value2,
			column2)
	})
}

// Settings that do not fit together are errors. Codes hold the first means of an embedding, and need each entry's belief to be its own.
func TestRefuses(t *testing.T) {
	refuses(t, Stream(Shape{Columns: 3}), map[string]func(c *Config){
		"fields without their pairs":       func(c *Config) { c.Columns = 5 },
		"latents without rows":             func(c *Config) { c.Latents = 2 },
		"rows without latents":             func(c *Config) { c.LatentRows = 2 },
		"rows that do not divide buckets":  func(c *Config) { c.Latents, c.LatentRows, c.Buckets = 2, 3, 16 },
		"latents without scales":           func(c *Config) { c.Latents, c.LatentRows, c.Buckets, c.Scales = 2, 4, 16, false },
		"latents of two bytes":             func(c *Config) { c.BeliefBits, c.Latents, c.LatentRows, c.Buckets = 16, 2, 4, 16 },
		"a belief of three bytes":          func(c *Config) { c.BeliefBits = 24 },
		"scales of several dimensions":     func(c *Config) { c.Dim = 2 },
		"scales of table W":                func(c *Config) { c.Assembly, c.WeightRows = WeightedSum, 3 },
		"less evidence than none":          func(c *Config) { c.Evidence = -1 },
		"noise below zero":                 func(c *Config) { c.Noise = -1 },
		"a negative variance of latents":   func(c *Config) { c.Prior.Latent = -1 },
		"a variance of fields without end": func(c *Config) { c.Prior.Field = math.Inf(1) },
	})
	codes := Paper(3, 1, 1)
	codes.BeliefBits = 16
	refuses(t, codes, map[string]func(c *Config){
		"an embedding of three bytes": func(c *Config) { c.BeliefBits = 24 }, "one covariance": func(c *Config) { c.Joint = true },
		"a narrow prior of E": func(c *Config) { c.Prior.E = 0.2 }, "a narrow prior of W": func(c *Config) { c.Prior.W = 0 },
		"a prior of E that is no number": func(c *Config) { c.Prior.E = math.NaN() },
	})
}

func refuses(t *testing.T, from Config, changes map[string]func(c *Config)) {
	t.Helper()
	for name, change := range changes {
		c := from
		check(t, c.Validate())
		change(&c)
		filetest.True(t, c.Validate() != nil, "%s is no error", name)
	}
}
