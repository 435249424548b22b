package census

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
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
		filetest.Want(t, c.Add(0, key, "name"), seen, "Add says, as Seen said")
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
	filetest.True(t, mean <= 0.01, "mean error %.4f", mean)
	filetest.True(t, mean <= meanPlain/3, "mean error %.4f, without conservative update %.4f", mean, meanPlain)
	got := c.Columns[0]
	filetest.Want(t, [2]int64{got.Items, got.Known}, [2]int64{200_000, known}, "items, and those known")
}

// TestExact: as long as there are few names, every number is the truth.
func TestExact(t *testing.T) {
	c, truth := New(2), []map[uint64]int64{{}, {}}
	for i, key := range zipf(2, 1.1, 20_000, 500) {
		column := i % 2
		key = 2*key + uint64(column) // columns with vocabularies of their own
		filetest.Want(t, c.Add(column, key, named(key)), truth[column][key], "item %d was seen", key)
		truth[column][key]++
	}
	for column, items := range truth {
		got := c.Columns[column]
		filetest.Want(t, [2]int64{got.Items, got.Known}, [2]int64{10_000, 10_000 - int64(len(items))},
			"column %d: items, and those known", column)
		filetest.Want(t, len(got.Top), MaxNamed, "column %d: items listed", column)
	}
	filetest.Want(t, c.Seen(1<<40), 0, "an item that never came was seen")
}

// TestEmpty: a census without items has numbers too.
func TestEmpty(t *testing.T) {
	c := New(1)
	filetest.Want(t, []float64{c.Load(), c.Cardinality(0), float64(c.Seen(0))}, []float64{0, 0, 0}, "load, different items and times seen")
	filetest.Want(t, c.Columns[0].Items, 0, "items")
	filetest.Want(t, len(c.Columns[0].Top), 0, "items listed")
}

// TestSharedVocabulary: columns that share keys share counts, but not lists or cardinalities.
func TestSharedVocabulary(t *testing.T) {
	c := New(2)
	for want := range int64(6) {
		filetest.Want(t, c.Add(int(want%2), 5, "five"), want, "seen")
	}
	c.Add(1, 6, "six")
	for column, want := range [][]Top{{{"five", 5, 5}}, {{"five", 5, 6}, {"six", 6, 1}}} {
		filetest.Want(t, c.Columns[column].Top, want, "column %d: the list", column)
		filetest.Want(t, c.Columns[column].Items, int64(3+column), "column %d: items", column)
		filetest.Want(t, math.Round(c.Cardinality(column)), float64(len(want)), "column %d: different items", column)
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
		filetest.Near(t, float64(known)/20_000, want, 4*math.Sqrt(want*(1-want)/20_000),
			"load %.3f: the share of new items that look known", c.Load())
	}
	load := c.Load()
	filetest.True(t, load >= 0.98 && load <= 1, "load %.3f at the end, want 0.99", load)
}

// TestFullCounter: a counter that holds the largest number stays there.
func TestFullCounter(t *testing.T) {
	c := New(1)
	c.raise(mix(3), math.MaxUint32-1)
	for _, want := range []int64{math.MaxUint32 - 1, math.MaxUint32, math.MaxUint32} {
		filetest.Want(t, c.Add(0, 3, "three"), want, "seen")
		filetest.Want(t, c.Seen(3), math.MaxUint32, "seen then")
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
		filetest.Want(t, resumed.Add(column, key, name), original.Add(column, key, name), "item %d: seen, by a census that was resumed", i)
		if i%15_000 == 99 {
			resumed = throughFile(t, resumed)
		}
	}
	filetest.Want(t, resumed, original, "the census that was resumed")
}

// TestMemory: ten million different items allocate next to nothing, since only names that come to the list are copied.
func TestMemory(t *testing.T) {
	const items = 10_000_000
	c := New(1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for key := range uint64(items) {
		c.Add(0, key, "name")
	}
	runtime.ReadMemStats(&after)
	bytes, allocations := after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
	t.Logf("%d items: %d bytes in %d allocations", items, bytes, allocations)
	filetest.True(t, allocations <= items/1000 && bytes <= 1<<20, "%d bytes in %d allocations for %d items", bytes, allocations, items)
	filetest.Near(t, c.Cardinality(0)/items, 1, 3*standardError, "the share of the different items")
	filetest.Want(t, c.Load(), 1, "load")
	filetest.Want(t, len(c.Columns[0].Top), MaxNamed, "items in the list")
}

// TestLongNames: names of 5 MB each take 200 bytes in the list.
func TestLongNames(t *testing.T) {
	c := New(1)
	long := strings.Repeat("long ", 1_000_000)
	for key := range uint64(MaxNamed) {
		c.Add(0, key, long)
	}
	b := filetest.Must(json.Marshal(c))(t)
	filetest.True(t, len(b) >= MaxNamed*maxName && len(b) <= MaxNamed*(maxName+60), "%d bytes of JSON", len(b))
}

// TestAllocations: once the list is full of the most frequent items, nothing is allocated, neither for them nor for others.
func TestAllocations(t *testing.T) {
	c := New(1)
	add := func() { // AllocsPerRun calls it once before it counts
		for i := range uint64(1000) {
			c.Add(0, i%MaxNamed, "frequent")
			c.Add(0, 1000+i, "rare")
		}
	}
	filetest.Want(t, testing.AllocsPerRun(20, add), 0, "allocations in 2,000 items")
}
