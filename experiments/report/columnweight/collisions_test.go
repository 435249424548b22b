package columnweight

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"gophe/data/files"
	"gophe/data/labelled"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
)

// sizes are a row of the table of full collisions. A size of 0 is the published one.
var sizes = []struct {
	name    string
	b, k, p int
}{
	{"as published", 0, 0, 0}, {"B = 13", 13, 0, 0}, {"B = 31", 31, 0, 0}, {"B = 101", 101, 0, 0},
	{"K = 1", 0, 1, 0}, {"K = 2", 0, 2, 0}, {"K = 3", 0, 3, 0}, {"K = 4", 0, 4, 0}, {"K = 5", 0, 5, 0},
	{"P = 1", 0, 0, 1}, {"P = 11", 0, 0, 11}, {"`phe.ForVocabulary`", -1, 0, -1},
}

// The page's probabilities of a full collision are those of the birthday bound, and of 2,000 draws of the hash functions. Large data sets
// take some seconds, so they are counted in the long tests.
func TestFullCollisions(t *testing.T) {
	rows := pageRows(t, "table-1.md", "tables |")
	for i, s := range sizes {
		if len(rows) != 1+len(sizes) || rows[1+i][0] != s.name {
			t.Fatalf("the table of the page has the rows %q, want a first one and %+v", rows, sizes)
		}
	}
	datasets := []string{"mushroom", "adult", "bank", "covertype-49999"}
	for at, dataset := range datasets {
		if at > 0 && !filetest.Long() {
			continue
		}
		table, published := filetest.Must(labelled.Load(dataset, files.Options{}))(t), phe.Paper()
		if dataset == "mushroom" {
			table = filetest.Must(table.Select([]string{"odor"}))(t)
			published.NumBuckets, published.NumWeights = 5, 1
		}
		data, pairs, ofColumn := task.Itemise(table), 0, map[int32]int{}
		items := make([]hash.Item, len(data.Items))
		for i, column := range data.ItemColumns {
			items[i] = hash.Item{Key: published.Hash.Key(data.Items[i]), Column: int(column), Weight: 1}
			pairs += ofColumn[column]
			ofColumn[column]++
		}
		want := []string{fmt.Sprintf("%d; %d", len(items), pairs)}
		for _, s := range sizes {
			size := func(own, published int) int {
				if own < 0 {
					return phe.ForVocabulary(len(items)).NumBuckets
				}
				return cmp.Or(own, published)
			}
			want = append(want, collisions(t, items, pairs, size(s.b, published.NumBuckets), size(s.k, 3), size(s.p, published.NumWeights)))
		}
		for row, cell := range want {
			if rows[row][1+at] != cell {
				t.Errorf("%s, %s: %s", dataset, rows[row][0], cell)
			}
		}
	}
}

// collisions returns the probability in percent that items of a column collide fully, and in brackets its share of 2,000 draws.
func collisions(t *testing.T, items []hash.Item, pairs, b, k, p int) string {
	t.Helper()
	const draws = 2000
	merged := 0
	for seed := range int64(draws) {
		if filetest.Must(hash.NewFamily(hash.CarterWegman, k, b, p, seed))(t).Lost(items) > 0 {
			merged++
		}
	}
	chance := -math.Expm1(-float64(pairs) / (float64(p) * math.Pow(float64(b), float64(k))))
	if sigma := math.Sqrt(draws * chance * (1 - chance)); math.Abs(float64(merged)-draws*chance) > 4*sigma+1 && chance < 0.5 {
		t.Errorf("B = %d, K = %d, P = %d: %d draws merge, and %.0f should", b, k, p, merged, draws*chance)
	}
	return percent(100*chance) + " (" + percent(100*float64(merged)/draws) + ")"
}

func percent(x float64) string {
	if x >= 1 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2g", x)
}
