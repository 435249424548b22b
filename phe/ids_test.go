package phe_test

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/internal/nettest"
)

// found runs FindIDs on ids of any type.
func found(t *testing.T, c phe.Config, ids any) phe.ItemRows {
	t.Helper()
	exec := filetest.Must(NewExec(nettest.Backend(t), func(ids *Node) []*Node {
		slots := newEncoder(t, c).FindIDs(ids)
		if slots.Weights == nil {
			slots.Weights = Zeros(ids.Graph(), slots.Buckets.Shape())
		}
		return []*Node{slots.Buckets, slots.Weights}
	}))(t)
	out := filetest.Must(exec.Call(ids))(t)
	flat := func(i int) []int32 { return filetest.Must(tensors.CopyFlatData[int32](out[i]))(t) }
	return phe.ItemRows{Buckets: flat(0), Weights: flat(1)}
}

// idsOfAllKinds are numbers at the edges of the arithmetic, small ones, and random ones.
func idsOfAllKinds(n int) []int64 {
	rng := rand.New(rand.NewPCG(1, 2))
	edges := []int64{0, -1, 1, 7, 8, -8, math.MaxInt64, math.MinInt64, 1<<61 - 1, 1 << 61, 1<<61 - 2, 1 - 1<<61, 1 << 32, -1 << 32}
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = []int64{int64(rng.Uint64()), int64(i), -int64(i), edges[rng.IntN(len(edges))]}[i%4]
	}
	return ids
}

// The graph finds the rows that the host finds for the keys: the long form compares 400,000 rows.
func TestFindIDs(t *testing.T) {
	n, columns := 500, 5
	if filetest.Long() {
		n = 20_000
	}
	c := phe.Config{Rows: phe.Hashed, Estimate: phe.Point, EmbeddingDim: 1, NumBuckets: 1009, NumHashes: 3, NumWeights: 211,
		Assembly: phe.WeightedSum, Hash: hash.CarterWegman, HashSeed: 5}
	ids, want := idsOfAllKinds(n*columns), phe.ItemRows{}
	family := filetest.Must(hash.NewFamily(c.Hash, c.NumHashes, c.NumBuckets, c.NumWeights, c.HashSeed))(t)
	for i, id := range ids {
		key := hash.KeyOf(i%columns, id)
		want.Buckets, want.Weights = family.Buckets(want.Buckets, key), append(want.Weights, family.WeightRow(key))
	}
	got, wrong := found(t, c, tensors.FromFlatDataAndDimensions(ids, n, columns)), 0
	for i := range want.Buckets {
		wrong += map[bool]int{true: 1}[got.Buckets[i] != want.Buckets[i]]
	}
	for i := range want.Weights {
		wrong += map[bool]int{true: 1}[got.Weights[i] != want.Weights[i]]
	}
	t.Logf("%d of %d rows differ from the host's", wrong, len(got.Buckets)+len(got.Weights))
	filetest.Want(t, wrong, 0, "rows that differ")
	filetest.Want(t, len(got.Buckets), len(want.Buckets), "buckets")
	filetest.Want(t, len(got.Weights), len(want.Weights), "weight rows")
	small := found(t, c, [][]int64{{1, 2}, {9, 3}}) // a number is the same item in every type, with an axis between or without
	for _, ids := range []any{
		[][]int32{{1, 2}, {9, 3}}, [][]uint8{{1, 2}, {9, 3}}, [][]uint64{{1, 2}, {9, 3}}, [][][]int16{{{1, 2}}, {{9, 3}}},
	} {
		filetest.Want(t, found(t, c, ids), small, "%T: rows", ids)
	}
}

// Pairs of consecutive ids collide as rarely as chance would have it, within four standard errors.
func TestIDsCollideByChance(t *testing.T) {
	const n, buckets = 120, 101
	ids, collisions, pairs := make([]int64, 2*n), 0, 0
	for i := range ids {
		ids[i] = int64(i / 2)
	}
	for seed := range int64(12) {
		c := phe.Config{Rows: phe.Hashed, Estimate: phe.Point, EmbeddingDim: 1, NumBuckets: buckets, NumHashes: 1, Assembly: phe.PlainSum,
			Hash: hash.CarterWegman, HashSeed: seed}
		rows := found(t, c, tensors.FromFlatDataAndDimensions(ids, n, 2)).Buckets
		for i := range rows {
			for _, other := range rows[:i] {
				pairs++
				collisions += map[bool]int{true: 1}[rows[i] == other]
			}
		}
	}
	chance := distuv.Binomial{N: float64(pairs), P: 1. / buckets}
	t.Logf("%d of %d pairs collide, and %.0f ± %.0f by chance", collisions, pairs, chance.Mean(), chance.StdDev())
	filetest.True(t, float64(collisions) <= chance.Mean()+4*chance.StdDev(),
		"%d of %d pairs collide, and %.0f by chance", collisions, pairs, chance.Mean())
}

// The keys of id 0 are SplitMix64's sequence modulo 2⁶¹ − 1. IDOf is the inverse, and small ids of many columns have keys of their own.
func TestKeyOf(t *testing.T) {
	for i, want := range []uint64{0, 0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} { // Vigna's splitmix64.c from 0
		filetest.Want(t, hash.KeyOf(i, 0), want%(1<<61-1), "the key of 0 in column %d", i)
	}
	seen := map[uint64]bool{}
	for i, id := range idsOfAllKinds(4000) {
		key := hash.KeyOf(i%1000, id)
		filetest.Want(t, hash.KeyOf(i%1000, hash.IDOf(i%1000, key)), key, "the key of the id of key %d", key)
		seen[hash.KeyOf(i%100, int64(i/100)-20)] = true
	}
	filetest.Want(t, len(seen), 4000, "keys of 4,000 items")
}

// A text's id leads to the rows that the text has on the host, in each column.
func TestIDs(t *testing.T) {
	columns, rows := []string{"shop", "näme"}, [][]string{{"Turin", "tea"}, {"tea", ""}, {"日本", "7"}}
	c, items := phe.Paper(), []string{"shop_Turin", "näme_tea", "shop_tea", "näme_", "shop_日本", "näme_7"}
	got, want := found(t, c, filetest.Must(phe.IDs(columns, rows))(t)), filetest.Must(newEncoder(t, c).Items(items))(t)
	filetest.Want(t, got, want, "rows")
	for want, rows := range map[string][][]string{"0 rows": {}, "row 1, counted from 0, has 1 items": {{"a", "b"}, {"c"}}} {
		filetest.WantError(t, filetest.Failure(phe.IDs(columns, rows)), want)
	}
}
