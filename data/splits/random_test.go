package splits

import (
	"slices"
	"testing"

	"gophe/data/datatest"
)

// permutation returns numpy's RandomState.permutation(n).
func permutation(random *RandomState, n int) []int32 { return Shuffled(random, Span{End: n}.Rows()) }

// TestPermutationProtocol checks the stream of draws that PROTOCOL.md gives for Adult.
func TestPermutationProtocol(t *testing.T) {
	random := NewRandomState()
	for _, c := range []struct {
		n          int
		head, tail []int32
	}{
		{16, []int32{13, 11, 0, 12, 14, 2, 10, 7, 1, 9, 8, 4, 5, 6, 3, 15}, nil},
		{45222, []int32{30433, 32881, 10268, 24399, 24031, 28867, 2189, 31284}, []int32{14192, 13686, 7962}},
		{13566, []int32{8010, 9351, 3411, 7056, 7119}, nil},
		{100, []int32{68, 71, 46, 61, 18}, nil},
		{100, []int32{60, 13, 59, 84, 96}, nil},
	} {
		got := permutation(random, c.n)
		if !slices.Equal(got[:len(c.head)], c.head) || !slices.Equal(got[c.n-len(c.tail):], c.tail) {
			t.Errorf("permutation of %d: begins %v and ends %v, want %v and %v",
				c.n, got[:len(c.head)], got[c.n-len(c.tail):], c.head, c.tail)
		}
	}
}

func TestPermutationNumpy(t *testing.T) {
	streams := datatest.Numpy(t).Streams
	if len(streams) == 0 {
		t.Fatal("no streams in numpy.json")
	}
	for _, stream := range streams {
		random := seeded(stream.Seed)
		for _, want := range stream.Permutations {
			want.Check(t, "a permutation", permutation(random, want.N))
		}
	}
}

func TestShuffled(t *testing.T) {
	rows := []int32{10, 20, 30, 40, 50, 60, 70}
	got := Shuffled(seeded(7), rows)
	for i, j := range permutation(seeded(7), 7) { // by the same draws
		if got[i] != rows[j] {
			t.Fatalf("%v", got)
		}
	}
	if rows[0] != 10 || rows[6] != 70 {
		t.Error("the rows themselves were shuffled")
	}
}

// TestTake checks that all rows are drawn in the end, none twice, and each with the same chance.
func TestTake(t *testing.T) {
	const n, repeats = 7, 7000
	random := NewRandomState()
	var drawn [n]int // number of times that each row is among the first three
	for range repeats {
		pool := []int32{0, 1, 2, 3, 4, 5, 6}
		first := random.Take(&pool, 3)
		for _, row := range first {
			drawn[row]++
		}
		rest := random.Take(&pool, 4)
		all := slices.Sorted(slices.Values(slices.Concat(first, rest)))
		if !slices.Equal(all, []int32{0, 1, 2, 3, 4, 5, 6}) || len(pool) != 0 {
			t.Fatalf("drew %v, then %v; %v are left", first, rest, pool)
		}
	}
	for row, times := range drawn { // binomial, mean 3000, standard deviation 41
		if times < 2800 || times > 3200 {
			t.Errorf("row %d was drawn %d times, expected 3000", row, times)
		}
	}
}
