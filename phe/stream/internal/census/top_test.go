package census

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
	"unsafe"

	"gophe/phe/disk/filetest"
)

// TestTop compares the list with the exact counts of 200,000 items over 50,000 names. The count in each place is at most one too
// high, and no item outside the list was seen more often than the last one in it.
func TestTop(t *testing.T) {
	const slack = 1
	for seed, exponent := range []float64{1.01, 1.01, 1.1, 1.1, 1.5} {
		c, truth := New(1), map[uint64]int64{}
		for _, item := range zipf(10+uint64(seed), exponent, 200_000, 50_000) {
			c.Add(0, item, named(item))
			truth[item]++
		}
		counts := slices.Sorted(maps.Values(truth))
		slices.Reverse(counts)
		top := c.Columns[0].Top
		for place, item := range top {
			want := truth[item.Key]
			filetest.True(t, item.Count >= want && item.Count <= want+slack && item.Name == named(item.Key),
				"exponent %g, place %d: %+v, was seen %d times", exponent, place, item, want)
			filetest.True(t, item.Count >= counts[place] && item.Count <= counts[place]+slack,
				"exponent %g, place %d: %+v, but %d belong here", exponent, place, item, counts[place])
			delete(truth, item.Key)
		}
		for key, n := range truth {
			filetest.True(t, n <= top[MaxNamed-1].Count, "exponent %g: item %d was seen %d times and is not in the list", exponent, key, n)
		}
	}
}

// TestTopAmongNew: the list keeps 50 frequent items among a million items that come once, though all counters are in use.
func TestTopAmongNew(t *testing.T) {
	c := New(1)
	for i := range uint64(1_000_000) {
		c.Add(0, 1000+i, "new")
		if i%10 == 0 {
			c.Add(0, i/10%MaxNamed, "frequent")
		}
	}
	for _, top := range c.Columns[0].Top {
		filetest.Want(t, top.Name, "frequent", "the first of the list")
		filetest.True(t, top.Count >= 2000 && top.Count <= 2010, "%+v, want a frequent item, seen 2,000 times", top)
	}
	filetest.True(t, c.Load() >= 0.999, "load %g", c.Load())
	filetest.Want(t, len(c.Columns[0].Top), MaxNamed, "items in the list")
}

// TestKeyInJSON: a key is text in JSON, so that programs that read numbers as float64 keep all of its bits.
func TestKeyInJSON(t *testing.T) {
	want := Top{"a <b>", math.MaxUint64 - 1, math.MaxInt64}
	b, err := json.Marshal(want)
	if text := `{"name":"a \u003cb\u003e","key":"18446744073709551614","count":9223372036854775807}`; string(b) != text || err != nil {
		t.Errorf("%s, %v, want %s", b, err, text)
	}
	var got Top
	filetest.Check(t, json.Unmarshal(b, &got))
	filetest.Want(t, got, want, "through JSON")
}

// TestRank follows the list's order from empty to full, with exact counts.
func TestRank(t *testing.T) {
	var c Column
	count := map[uint64]int64{}
	rank := func(keys ...uint64) {
		for _, key := range keys {
			count[key]++
			c.rank(key, count[key], named(key))
		}
	}
	want := func(when string, keys ...uint64) {
		t.Helper()
		for i, key := range keys {
			filetest.Want(t, c.Top[i], Top{named(key), key, count[key]}, "%s: place %d", when, i)
		}
	}
	rank(7, 8, 9)
	want("equals stay in the order in which they came", 7, 8, 9)
	rank(9)
	want("the last one passes two", 9, 7, 8)
	rank(8)
	want("an equal is not passed", 9, 8, 7)
	rank(8)
	want("and then it is", 8, 9, 7)
	for key := uint64(100); len(c.Top) < MaxNamed; key++ {
		rank(key)
	}
	full := slices.Clone(c.Top)
	rank(500)
	filetest.Want(t, c.Top, full, "the list after an item that is as frequent as the last one")
	last := c.Top[MaxNamed-1].Key
	if rank(500); slices.ContainsFunc(c.Top, func(top Top) bool { return top.Key == last }) || len(c.Top) != MaxNamed {
		t.Errorf("item %d is the last of equals, and stayed when a more frequent one came: %+v", last, c.Top)
	}
	want("the new item comes after all with two", 8, 9, 500, 7)
}

// TestJump: an item may come to the list, or move in it, with any count, since columns may share its key.
func TestJump(t *testing.T) {
	var c Column
	for key := range uint64(60) {
		c.rank(key, int64(100+key%7), named(key))
	}
	c.rank(1000, 1000, "a thousand")
	c.rank(c.Top[30].Key, 2000, "not the name")
	filetest.Want(t, c.Top[0].Count, 2000, "the count of the first of the list")
	filetest.True(t, c.Top[0].Name != "not the name", "%+v", c.Top[0])
	filetest.Want(t, c.Top[1].Key, 1000, "the second of the list")
	filetest.Want(t, len(c.Top), MaxNamed, "items in the list")
	byCount := func(a, b Top) int { return int(b.Count - a.Count) }
	filetest.True(t, slices.IsSortedFunc(c.Top, byCount), "not in order: %+v", c.Top)
}

// TestShort: names are cut between characters, and what JSON does not keep is replaced. The result is a copy, because the caller
// may use the name's memory again.
func TestShort(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ name, want string }{
		{"", ""},
		{"Zürich", "Zürich"},
		{"caf\xe9", "caf\ufffd"},
		{long[:maxName], long[:maxName]},
		{long[:maxName+1], long[:maxName-3] + "…"},
		{strings.Repeat("ü", 100), strings.Repeat("ü", 100)},
		{strings.Repeat("ü", 101), strings.Repeat("ü", 98) + "…"}, // 199 bytes: half a character would fit
		{strings.Repeat("\xff", 200), strings.Repeat("\ufffd", 65) + "…"},
		{strings.Repeat("x", math.MaxUint16), long[:maxName-3] + "…"},
	} {
		got := Short(c.name, maxName)
		filetest.Want(t, got, c.want, "%q became", c.name)
		filetest.True(t, c.name == "" || unsafe.StringData(got) != unsafe.StringData(c.name), "%q is no copy", c.name)
	}
}

// FuzzShort: any name becomes UTF-8 of at most 200 bytes. A name that is short UTF-8 stays the same, and twice is once.
func FuzzShort(f *testing.F) {
	for _, name := range []string{"", "a", "é\xe9", strings.Repeat("aé€😀", 30), strings.Repeat("\xf0\x9f\x98", 80)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := Short(name, maxName)
		filetest.True(t, len(got) <= maxName && utf8.ValidString(got) && Short(got, maxName) == got, "%q became %q", name, got)
		filetest.Want(t, got == name, len(name) <= maxName && utf8.ValidString(name), "%q became %q; it stays", name, got)
		if whole := strings.ToValidUTF8(name, ""); utf8.ValidString(name) && !strings.HasPrefix(whole, strings.TrimSuffix(got, "…")) {
			t.Errorf("%q became %q, which is not its beginning", name, got)
		}
	})
}
