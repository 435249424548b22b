package sales

import (
	"slices"
	"testing"

	"gophe/data/cuts"
	"gophe/data/datatest"
	"gophe/phe/disk/filetest"
)

func TestByProduct(t *testing.T) {
	s := loadedSales(t)
	for _, c := range []struct {
		overlapping                  bool
		windows, initial, testsFirst int
	}{{true, 531285 - 2*10*9, 33966, 16792}, {false, 53119, 3397, 1680}} { // each of 2·10 parts has 9 starts without a window
		stream := filetest.Must(s.ByProduct(10, 10, c.overlapping))(t)
		filetest.Want(t, [2]int{len(stream.Tests), len(stream.Steps)}, [2]int{10, 9}, "groups and steps")
		filetest.Want(t, stream.Days, nil, "days")
		for g, test := range stream.Tests {
			filetest.Want(t, len(test.Items), 394+g/9, "products of %s", test.Name)
		}
		checkByProduct(t, stream, c.overlapping)
		sizes := [3]int{stream.Windows.Len(), len(stream.Initial), len(stream.Tests[0].Rows)}
		filetest.Want(t, sizes, [3]int{c.windows, c.initial, c.testsFirst}, "windows in all, initial ones and in the first test")
		again := filetest.Must(s.ByProduct(10, 10, c.overlapping))(t)
		filetest.True(t, slices.Equal(stream.Windows.Rows, again.Windows.Rows), "two calls differ")
	}
}

// checkByProduct checks that no sale both trains and tests, that each group has its own products' sales, the
// earlier sales to learn, and that the stream lacks only the sales left over.
func checkByProduct(t *testing.T, s *Stream, overlapping bool) {
	t.Helper()
	const unseen, learned, tested = 0, 1, 2
	use := make([]int, s.Sales.NumRows())
	mark := func(windows []int32, as int, items []string) {
		wanted := datatest.Counts(items)
		for _, i := range windows {
			for _, row := range s.Windows.Rows[int(i)*s.Windows.Length : (int(i)+1)*s.Windows.Length] {
				if use[row] != unseen && (use[row] != as || !overlapping) {
					t.Fatalf("row %d is used as %d and %d", row, use[row], as)
				}
				use[row] = as
				if code := s.Sales.Categorical[0].Values[row]; wanted[code] != 1 {
					t.Fatalf("product %q is not of the group", code)
				}
			}
		}
	}
	for g, test := range s.Tests {
		train := s.Initial
		if g > 0 {
			train = s.Steps[g-1]
		}
		filetest.Want(t, test.Train, len(train), "%s: windows that are taught", test.Name)
		filetest.True(t, len(test.Rows) > 0, "%s: no window is tested", test.Name)
		mark(train, learned, test.Items)
		mark(test.Rows, tested, test.Items)
	}
	left := 0
	for _, product := range s.Sales.products() {
		last := unseen
		for row := product.First; row < product.End; row++ {
			if use[row] == unseen {
				left++
			} else if last == tested && use[row] == learned {
				t.Fatalf("row %d is learned, an earlier one of its product tested", row)
			} else {
				last = use[row]
			}
		}
	}
	if most := 2 * len(s.Tests) * (s.Windows.Length - 1); overlapping && left > 0 || left > most {
		t.Errorf("%d sales are in no window, want at most %d", left, most)
	}
}

// TestByProductStraddles works out a small stream, in which windows continue past the end of a product.
func TestByProductStraddles(t *testing.T) {
	s := toySales("aaaabbbbbbcde") // rows 0–3, 4–9, 10, 11, 12
	filetest.Want(t, cuts.Shuffled(cuts.NewRandomState(), []int{0, 1, 2, 3, 4}), []int{4, 0, 1, 2, 3}, "permutation")
	stream := filetest.Must(s.ByProduct(2, 1, false))(t) // group 1 is e and a, group 2 is b, c and d
	filetest.Want(t, stream.Windows.Rows, []int32{12, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 8, 9}, "rows")
	filetest.Want(t, stream.Initial, []int32{0, 1, 2, 3}, "initial windows")
	filetest.Want(t, stream.Steps, [][]int32{{5, 6, 7, 8, 9, 10}}, "steps")
	filetest.Want(t, [][]int32{stream.Tests[0].Rows, stream.Tests[1].Rows}, [][]int32{{4}, {11, 12}}, "tests")
	filetest.Want(t, stream.Tests[0].Items, []string{"e", "a"}, "products of the first group")
	filetest.Want(t, stream.Tests[1].Name, "group 2", "name of the second group")
	s = toySales("aaaabbbbbb") // rows 0–2 and 4–7 to learn, 3 and 8–9 to test
	for _, c := range []struct {
		overlapping bool
		want        []int32
	}{{true, []int32{0, 1, 2, 1, 2, 4, 2, 4, 5, 4, 5, 6, 5, 6, 7}}, {false, []int32{0, 1, 2, 4, 5, 6}}} {
		w := newWindows(3)
		train, test := cutProducts(s.products())
		w.addRuns(train, c.overlapping)
		filetest.Want(t, w.Rows, c.want, "overlapping %v: rows", c.overlapping)
		filetest.Want(t, test, []int32{3, 8, 9}, "overlapping %v: tests", c.overlapping)
	}
	for _, c := range []struct {
		groups, length int
		want           string
	}{{1, 1, "1 groups of 2 products"}, {3, 1, "3 groups of 2 products"}, {2, 0, "windows of 0 sales"}, {2, 2, "group 1 has 3 training and 1 test sales"}} {
		filetest.WantError(t, filetest.Failure(s.ByProduct(c.groups, c.length, true)), c.want)
	}
}
