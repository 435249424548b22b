package census

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
)

// zipf returns items of a stream in which name i comes in proportion to (1 + i)^−exponent.
func zipf(seed uint64, exponent float64, items, names int) []uint64 {
	z := rand.NewZipf(rand.New(rand.NewPCG(seed, 9)), exponent, 1, uint64(names-1))
	list := make([]uint64, items)
	for i := range list {
		list[i] = z.Uint64()
	}
	return list
}

func named(key uint64) string { return "item " + strconv.FormatUint(key, 10) }

// plain is a count-min sketch without the conservative update, with the same hashes: a second implementation to compare with.
type plain []int64

func (p plain) add(key uint64) {
	for row := range sketchRows {
		p[counter(mix(key), row)]++
	}
}

func (p plain) seen(key uint64) int64 {
	least := int64(math.MaxInt64)
	for row := range sketchRows {
		least = min(least, p[counter(mix(key), row)])
	}
	return least
}

// TestCounts: every count lies between the truth and the count of a sketch without the conservative update, and is on average
// much closer to the truth: one item in a hundred is counted once too often. Add says the same as Seen.
func TestCounts(t *testing.T) {
	c, upper, truth := New(1), make(plain, sketchRows*sketchWidth), map[uint64]int64{}
	known := int64(0)
	for _, key := range zipf(1, 1.01, 200_000, 50_000) {
		seen := c.Seen(key)
		if before := c.Add(0, key, "name"); before != seen {
			t.Fatalf("Add says %d, Seen said %d", before, seen)
		}
		if seen > 0 {
			known++
		}
		upper.add(key)
		truth[key]++
	}
	over, overPlain := int64(0), int64(0)
	for key, want := range truth {
		got, most := c.Seen(key), upper.seen(key)
		if got < want || got > most {
			t.Fatalf("item %d: %d, want %d to %d", key, got, want, most)
		}
		over, overPlain = over+got-want, overPlain+most-want
	}
	mean, meanPlain := float64(over)/float64(len(truth)), float64(overPlain)/float64(len(truth))
	t.Logf("%d names, load %.3f: mean error %.4f, without conservative update %.4f", len(truth), c.Load(), mean, meanPlain)
	if mean > 0.01 || mean > meanPlain/3 {
		t.Errorf("mean error %.4f, without conservative update %.4f", mean, meanPlain)
	}
	if got := c.Columns[0]; got.Items != 200_000 || got.Known != known {
		t.Errorf("%d items, %d known, want 200000 and %d", got.Items, got.Known, known)
	}
}

// TestExact: as long as there are few names, every number is the truth.
func TestExact(t *testing.T) {
	c, truth := New(2), []map[uint64]int64{{}, {}}
	for i, key := range zipf(2, 1.1, 20_000, 500) {
		column := i % 2
		key = 2*key + uint64(column) // columns with vocabularies of their own
		if before := c.Add(column, key, named(key)); before != truth[column][key] {
			t.Fatalf("item %d was seen %d times, want %d", key, before, truth[column][key])
		}
		truth[column][key]++
	}
	for column, items := range truth {
		if got := c.Columns[column]; got.Items != 10_000 || got.Known != 10_000-int64(len(items)) || len(got.Top) != MaxNamed {
			t.Errorf("column %d: %d items, %d known, %d listed", column, got.Items, got.Known, len(got.Top))
		}
	}
	if got := c.Seen(1 << 40); got != 0 {
		t.Errorf("an item that never came was seen %d times", got)
	}
}

// TestEmpty: a census without items has numbers too.
func TestEmpty(t *testing.T) {
	c := New(1)
	if c.Load() != 0 || c.Cardinality(0) != 0 || c.Seen(0) != 0 || c.Columns[0].Items != 0 || len(c.Columns[0].Top) != 0 {
		t.Errorf("load %g, %g different, %+v", c.Load(), c.Cardinality(0), c.Columns[0])
	}
}

// TestSharedVocabulary: columns that share keys share counts, but not lists or cardinalities.
func TestSharedVocabulary(t *testing.T) {
	c := New(2)
	for want := range int64(6) {
		if before := c.Add(int(want%2), 5, "five"); before != want {
			t.Errorf("seen %d times, want %d", before, want)
		}
	}
	c.Add(1, 6, "six")
	for column, want := range [][]Top{{{"five", 5, 5}}, {{"five", 5, 6}, {"six", 6, 1}}} {
		if got := c.Columns[column]; !reflect.DeepEqual(got.Top, want) || got.Items != int64(3+column) {
			t.Errorf("column %d: %+v, want %+v", column, got, want)
		}
		if got := math.Round(c.Cardinality(column)); got != float64(len(want)) {
			t.Errorf("column %d has %g different items", column, got)
		}
	}
}

// TestLoad: new items look known with a probability of about Load⁴.
func TestLoad(t *testing.T) {
	c := New(1)
	for key := range uint64(300_000) {
		c.Add(0, key, "name")
		if key%30_000 > 0 {
			continue
		}
		known := 0
		for i := range uint64(20_000) {
			if c.Seen(1<<32+i) > 0 {
				known++
			}
		}
		want := math.Pow(c.Load(), 4)
		if got := float64(known) / 20_000; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/20_000) {
			t.Errorf("load %.3f: %.4f of new items look known, want %.4f", c.Load(), got, want)
		}
	}
	if load := c.Load(); load < 0.98 || load > 1 {
		t.Errorf("load %.3f at the end, want 0.99", load)
	}
}

// TestFullCounter: a counter that holds the largest number stays there.
func TestFullCounter(t *testing.T) {
	c := New(1)
	c.raise(mix(3), math.MaxUint32-1)
	for _, want := range []int64{math.MaxUint32 - 1, math.MaxUint32, math.MaxUint32} {
		if before := c.Add(0, 3, "three"); before != want || c.Seen(3) != math.MaxUint32 {
			t.Errorf("seen %d times, want %d, and then %d", before, want, c.Seen(3))
		}
	}
}

// throughFile returns a copy of a census that went through a file.
func throughFile(t *testing.T, c *Census) *Census {
	t.Helper()
	var file bytes.Buffer
	filetest.Check(t, belief.Write(&file, "census", filetest.Must(json.Marshal(c))(t), c.Parts()))
	loaded := New(len(c.Columns))
	filetest.Must(belief.Read(file.Bytes(), func(h belief.Header) ([]belief.Part, error) {
		return loaded.Parts(), json.Unmarshal(h.Config, loaded)
	}))(t)
	return loaded
}

// TestResume: a census that goes through a file continues like the original, bit for bit. Keys have all their bits, and names are
// any bytes.
func TestResume(t *testing.T) {
	original := New(3)
	resumed := throughFile(t, original)
	r := rand.New(rand.NewPCG(5, 9))
	for i, item := range zipf(3, 1.1, 60_000, 40_000) {
		key := item * 0xdeadbeefcafebabf // an odd number: different items have different keys
		name := named(item)
		if item%3 == 0 {
			name = string([]byte{'"', 0xff, '<', byte(item), 0xe2, 0x80, 0xa8}) + name
		}
		column := r.IntN(3)
		if first, second := original.Add(column, key, name), resumed.Add(column, key, name); first != second {
			t.Fatalf("item %d: seen %d times, resumed %d", i, first, second)
		}
		if i%15_000 == 99 {
			resumed = throughFile(t, resumed)
		}
	}
	if !reflect.DeepEqual(original, resumed) {
		t.Errorf("%+v, resumed %+v", original.Columns, resumed.Columns)
	}
}
