package phe_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/internal/nettest"
)

func newEncoder(t *testing.T, c phe.Config) *phe.Encoder {
	t.Helper()
	return filetest.Must(phe.NewEncoder(c))(t)
}

// PROTOCOL, section 0: test vectors of the authors' program at B = 7, P = 11.
func TestItemsOfTheAuthors(t *testing.T) {
	c := phe.Paper()
	c.Hash = hash.Authors
	rows := filetest.Must(newEncoder(t, c).Items([]string{"education_Bachelors", "education_HS-grad", "workclass_Private"}))(t)
	filetest.Want(t, rows.Buckets, []int32{0, 4, 1, 2, 2, 6, 5, 6, 1}, "buckets")
	filetest.Want(t, rows.Weights, []int32{0, 2, 4}, "weight rows")
}

// Any item is accepted, whatever came before, and gets the same rows at any time.
func TestItemsUnseen(t *testing.T) {
	items := []string{"", "x", "\xff\xfe", "naïve_日本", strings.Repeat("long", 1000)}
	for i := range 1009 {
		items = append(items, fmt.Sprint("item_", i))
	}
	for _, variant := range []hash.Variant{hash.Authors, hash.CarterWegman} {
		c := phe.Paper()
		c.Hash = variant
		e := newEncoder(t, c)
		all := filetest.Must(e.Items(items))(t)
		filetest.Want(t, len(all.Buckets), 3*len(items), "buckets")
		filetest.Want(t, len(all.Weights), len(items), "weight rows")
		filetest.True(t, slices.Min(all.Buckets) >= 0 && slices.Max(all.Buckets) < 7, "%s: buckets out of range", variant)
		filetest.True(t, slices.Min(all.Weights) >= 0 && slices.Max(all.Weights) < 11, "%s: weight rows out of range", variant)
		again := filetest.Must(newEncoder(t, c).Items(items[100:101]))(t)
		filetest.Want(t, again.Buckets, all.Buckets[300:303], "%s: buckets of a fresh encoder", variant)
		filetest.Want(t, again.Weights[0], all.Weights[100], "%s: weight rows of a fresh encoder", variant)
	}
}

func TestVocabulary(t *testing.T) {
	e := newEncoder(t, phe.Config{Rows: phe.Vocabulary, Estimate: phe.Point, EmbeddingDim: 3, Capacity: 2})
	rows := filetest.Must(e.Items([]string{"tea", "ink", "tea"}))(t)
	filetest.Want(t, rows.Buckets, []int32{0, 1, 0}, "rows, in order of arrival")
	filetest.Want(t, len(rows.Weights), 0, "weights")
	filetest.WantError(t, filetest.Failure(e.Items([]string{"ink", "pen"})), `"pen"`)
	filetest.Want(t, filetest.Must(e.Items([]string{"ink"}))(t).Buckets[0], 1, "after the error, the row of a known item")
}

// For learning, Find returns the rows that Items would give; for a forecast, all new items have the next free row. It changes nothing.
func TestFind(t *testing.T) {
	e := newEncoder(t, phe.Config{Rows: phe.Vocabulary, Estimate: phe.Point, EmbeddingDim: 3, Capacity: 4})
	type finder func([]string) (phe.ItemRows, error)
	toLearn := func(items []string) (phe.ItemRows, error) { return e.Find(items, true) }
	toPredict := func(items []string) (phe.ItemRows, error) { return e.Find(items, false) }
	find := func(find finder, want []int32, items ...string) {
		t.Helper()
		filetest.Want(t, filetest.Must(find(items))(t).Buckets, want, "rows of %q", items)
	}
	find(e.Items, []int32{0}, "tea")
	for range 2 {
		find(toLearn, []int32{1, 0, 2, 1}, "ink", "tea", "pen", "ink")
		find(toPredict, []int32{1, 0, 1}, "ink", "tea", "pen")
	}
	filetest.Want(t, e.Vocabulary(), []string{"tea"}, "items with rows after a look")
	find(e.Items, []int32{1, 2, 3}, "pen", "ink", "cup")
	for name, find := range map[string]finder{"Find to learn": toLearn, "Find to predict": toPredict} {
		filetest.WantError(t, filetest.Failure(find([]string{"cup", "hat"})), `"hat"`)
		filetest.Want(t, filetest.Must(find([]string{"cup"}))(t).Buckets[0], 3, "%s of an item that has a row", name)
	}
}

// The authors' start: means from N(0, 1), every log σ at the configured value, and a run's numbers do not depend on the other runs.
func TestInitialTables(t *testing.T) {
	e := newEncoder(t, phe.Paper())
	draw := func(keys ...uint32) [][]float32 {
		return nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
			tables := e.InitialTables(phe.Noise{Keys: a[0]}, len(keys))
			tables[0].AssertDims(len(keys)*7, 20)
			tables[3].AssertDims(len(keys)*11, 3)
			return tables
		}, keys)
	}
	both, second := draw(1, 2), draw(2)
	filetest.Want(t, both[0][140:], second[0], "means of table E beside another run")
	filetest.Want(t, both[2][33:], second[2], "means of table W beside another run")
	filetest.True(t, !slices.Equal(both[0][:140], both[0][140:]), "two runs start equal")
	filetest.True(t, !slices.Equal(second[0][:33], second[2]), "E and W start from the same draws")
	for _, logStdDev := range append(both[1], both[3]...) {
		filetest.Want(t, logStdDev, -10, "log σ at the start")
	}
}

// E and W draw apart: of one hash and one coordinate, both standard normal, an embedding is the product w·e. Its mean is 0.
// Shared draws would make it a square, whose mean is 1.
func TestTablesDrawApart(t *testing.T) {
	const samples = 4001
	c := phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 1, NumBuckets: 2, NumHashes: 1, NumWeights: 2,
		Assembly: phe.WeightedSum, Hash: hash.CarterWegman}
	e := newEncoder(t, c)
	for _, scheme := range []phe.Scheme{phe.Fresh, phe.Local, phe.Items, phe.Table} {
		drawn := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
			zero := Zeros(a[0].Graph(), shapes.Make(dtypes.Float32, 2, 1))
			belief := phe.FromLogStdDev(zero, zero)
			index := Const(a[0].Graph(), [][]int32{{0}})
			slots := phe.Slots{Buckets: index, Weights: Const(a[0].Graph(), []int32{0})}
			return []*Node{e.Embed(phe.Tables{E: belief, W: belief}, slots, index, scheme, samples, phe.Noise{Keys: a[0]})}
		}, []uint32{7})[0]
		mean, square := 0.0, 0.0
		for _, v := range drawn {
			mean += float64(v) / samples
			square += float64(v) * float64(v) / samples
		}
		// Five standard errors: the product has variance 1, its square 8; the key fixes the numbers.
		filetest.Near(t, mean, 0, 5/math.Sqrt(samples), "%s: the mean of w·e", scheme)
		filetest.Near(t, square, 1, 5*math.Sqrt(8./samples), "%s: the mean square of w·e", scheme)
	}
}
