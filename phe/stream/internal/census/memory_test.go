package census

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

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
	filetest.True(t, allocations <= items/1000 && bytes <= 1<<20, "%d bytes in %d allocations for %d items", bytes,
		allocations, items)
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
