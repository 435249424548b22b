package lesson

import (
	"slices"
	"strings"
	"testing"

	"gophe/data/column"
	"gophe/data/labelled"
	"gophe/figures/draw"
	"gophe/figures/draw/drawtest"
	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
)

// The marks of pictures whose cells take long say their values, and lie as the values do: a larger one higher, equal ones side by side.
func TestPictures(t *testing.T) {
	one := func(mean, variance float64) belief.Table {
		return belief.Table{Dim: 1, Mean: []float64{mean}, Variance: []float64{variance}}
	}
	masters := Course{Name: "Masters", Truth: 0.25}
	masters.Add(-1, 0.5)
	masters.Add(0.125, 0.25)
	news := labelled.Change{Step: 1, What: "item Masters"}
	before, after := belief.NewTable(3, 1, 0, 1), belief.NewTable(3, 1, 0, 1)
	after.Mean[1], after.Variance[1] = 0.5, 0.25
	for _, test := range []struct {
		fig    *draw.Figure
		marks  int
		rising []string // texts of marks, from the lowest to the highest
		level  []string // of marks of one height
	}{
		{Narrowing([]int{0, 10}, []belief.Table{one(0, 1), one(0.5, 0.01)}), 2,
			[]string{"after 0, 0: 0.3989", "after 10, 0.5000: 3.989"}, nil},
		{Courses([]Course{masters}, news), 2, []string{"Masters, 0: −1", "Masters, 1: 0.1250"}, nil},
		{Ends([]string{"Masters"}, []float64{0.25}, []string{"PHE"}, [][]Course{{masters}}), 2, nil,
			[]string{"counted, 0.2500: Masters", "PHE, 0.1250: Masters"}},
		{TableBeliefs(before, after, []int32{1}, "Masters"), 6,
			[]string{"before, 1: 0", "after, 1: 0.5000"}, []string{"before, 1: 0", "after, 2: 0"}},
		{Taught([]float64{0.5, 2}, []labelled.Change{news}), 2, []string{"1: 0.5000", "2: 2"}, nil},
		{Quantities([]float64{25, 50, 0.25}, "law", func(y float64) float64 { return y / 100 }), 6,
			[]string{"Online Retail, 3: 0.2500", "law, 3: 3", "Online Retail, 2: 50"}, nil},
		{Growth([]string{"a", "b"}, [][]float64{{1, 10, 100}, {1, 10}}, [][]float64{{1, 10, 100}, {1, 1}},
			map[string]float64{"B = 10": 10}), 7, []string{"b, 10: 1", "a, 10: 10", "a, 100: 100"},
			[]string{"a, 10: 10", "B = 10, 1: 10", "B = 10, 100: 10"}},
		{Occupancy([]float64{1, 3}), 4, []string{"items, 0: 1", "items / B, −0.5000: 2", "items, 1: 3"}, nil},
	} {
		marks := drawtest.ByText(test.fig)
		heights := func(texts []string) (y []float64) {
			has(t, marks, texts...)
			for _, text := range texts {
				y = append(y, -marks[text].Y) // up the page is better
			}
			return y
		}
		filetest.Want(t, count(test.fig, ""), test.marks, "the number of marks in %v", marks)
		y := heights(test.rising)
		filetest.True(t, slices.IsSorted(y) && len(slices.Compact(slices.Clone(y))) == len(y), "%q lie at %v", test.rising, y)
		y = heights(test.level)
		filetest.True(t, len(y) == 0 || slices.Max(y)-slices.Min(y) <= 1e-4, "%q lie at %v", test.level, y)
	}
}

// count returns the number of marks whose texts begin with a prefix.
func count(fig *draw.Figure, prefix string) (n int) {
	for _, m := range fig.Marks(400) {
		if strings.HasPrefix(m.Text, prefix) {
			n++
		}
	}
	return n
}

// has fails a test for each text that no mark has.
func has(t testing.TB, marks map[string]draw.Mark, texts ...string) {
	t.Helper()
	for _, text := range texts {
		_, ok := marks[text]
		filetest.True(t, ok, "no mark %q in %v", text, marks)
	}
}

// Items of a column keep their order. One that comes early and late is early. Pairs are of equal texts.
func TestItems(t *testing.T) {
	got := Items([]column.Categorical{{Name: "c", Values: []string{"d", "b", "c", "a"}}})
	filetest.Want(t, got, []string{"c_d", "c_b", "c_c", "c_a"}, "items")
	early, later := Newcomers([]string{"a", "b", "c", "a", "d", "d"}, func(row int) bool { return row < 2 })
	filetest.Want(t, [2]int{early, later}, [2]int{2, 2}, "early and later items")
	filetest.Want(t, Pairs(6, func(i int) string { return "abaacc"[i : i+1] }), 3+1, "pairs")
	encoder, items := EncoderOf("mushroom-online")
	filetest.Want(t, encoder.Config.NumBuckets, 5, "buckets")
	filetest.Want(t, len(items), 9, "items of the spec")
}
