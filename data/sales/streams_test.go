package sales

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gophe/data/datatest"
	"gophe/data/splits"
	"gophe/phe/disk/filetest"
)

// naiveErrors returns the errors of the simplest forecasts, averaged over the windows of a day and then over days, with the mean of what is
// to be forecast, and how many windows there are: padded, of a product with a single sale, and in all. PROTOCOL.md has the figures from the
// authors' own code.
func naiveErrors(s *Stream, withPadded bool) (errors map[string]float64, padded, single, windows int) {
	errors = map[string]float64{}
	length := s.Windows.Length
	for _, step := range s.Steps {
		day, n := map[string]float64{}, 0.0
		for _, window := range step {
			i := int(window)
			if s.Windows.IsPadded(i) {
				if !withPadded {
					continue
				}
				padded++
			}
			if int(s.Windows.Padding[i]) == length-1 {
				single++
			}
			var before []float64
			for _, row := range s.Windows.Rows[i*length : (i+1)*length] {
				before = append(before, float64(s.Sales.Quantities[row]))
			}
			y, before := before[length-1], before[:length-1]
			last, mean := before[length-2], stat.Mean(before, nil)
			slices.Sort(before)
			day["last"] += math.Abs(last - y)
			day["mean"] += math.Abs(mean - y)
			day["median"] += math.Abs(before[len(before)/2] - y)
			day["y"] += y
			n++
		}
		for name, sum := range day {
			errors[name] += sum / n / float64(len(s.Steps))
		}
		windows += int(n)
	}
	return errors, padded, single, windows
}

// TestDailyProtocol compares the stream with figures measured with the authors' code. Another order of draws, or of windows
// before a draw, gives other figures (12.546 and 11.001 with the windows of a day in the order of products).
func TestDailyProtocol(t *testing.T) {
	s := loadedSales(t)
	stream := filetest.Must(s.Daily(s.OverlappingWindows(10), 62))(t)
	filetest.Want(t, len(stream.Initial), 44480, "initial windows")
	filetest.Want(t, len(stream.Steps), 261, "steps")
	filetest.Want(t, len(stream.Steps[0]), 1152, "windows of the first step")
	filetest.Want(t, [2]int{stream.Days[0], stream.Days[260]}, [2]int{62, 373}, "the first and the last day")
	got, padded, single, windows := naiveErrors(stream, true)
	filetest.Want(t, [3]int{windows, padded, single}, [3]int{355579, 473, 73}, "windows, padded ones and ones of a single sale")
	whole, _, _, windows := naiveErrors(stream, false)
	filetest.Want(t, windows, 355106, "windows that are not padded")
	for _, c := range []struct {
		what      string
		got, want float64
		digits    int // after the point; all that the protocol gives
	}{
		{"last value", got["last"], 12.523, 3}, {"mean of nine", got["mean"], 10.997, 3}, {"mean y", got["y"], 11.130, 3},
		{"median of nine", got["median"], 8.28, 2}, {"last value, not padded", whole["last"], 12.53, 2},
		{"mean of nine, not padded", whole["mean"], 11.00, 2}, {"median of nine, not padded", whole["median"], 8.28, 2},
		{"zero, not padded", whole["y"], 10.89, 2},
	} {
		scale := math.Pow10(c.digits)
		filetest.Want(t, math.Round(c.got*scale), math.Round(c.want*scale), "%s, %d digits", c.what, c.digits)
	}
	checkDaily(t, stream, 62)
}

func TestDailySeparate(t *testing.T) {
	s := loadedSales(t)
	stream := filetest.Must(s.Daily(s.SeparateWindows(10), 90))(t)
	sizes := [3]int{len(stream.Initial), len(stream.Steps), len(slices.Concat(stream.Steps...))}
	filetest.Want(t, sizes, [3]int{7248, 237, 33801}, "initial windows, steps and windows in them")
	checkDaily(t, stream, 90)
	again := filetest.Must(s.Daily(stream.Windows, 90))(t)
	filetest.True(t, reflect.DeepEqual(stream, again), "two calls differ")
}

// checkDaily checks that no block has a sale of a later day, that a step's windows end on its day, and that no window
// comes twice.
func checkDaily(t *testing.T, s *Stream, firstDay int) {
	t.Helper()
	seen := make([]bool, s.Windows.Len())
	check := func(windows []int32, from, to int) {
		filetest.True(t, len(windows) != 0, "days %d to %d: no windows", from, to)
		for _, i := range windows {
			if day := s.Sales.Day(int(s.Windows.Last(int(i)))); seen[i] || day < from {
				t.Fatalf("days %d to %d: window %d of day %d, seen before: %v", from, to, i, day, seen[i])
			}
			seen[i] = true
			for _, row := range s.Windows.Rows[int(i)*s.Windows.Length : (int(i)+1)*s.Windows.Length] {
				if day := s.Sales.Day(int(row)); day > to {
					t.Fatalf("days %d to %d: window %d has a sale of day %d", from, to, i, day)
				}
			}
		}
	}
	check(s.Initial, 0, firstDay-1)
	for i, step := range s.Steps {
		filetest.True(t, s.Days[i] >= firstDay && (i == 0 || s.Days[i] > s.Days[i-1]), "step %d is of day %d", i, s.Days[i])
		check(step, s.Days[i], s.Days[i])
	}
	filetest.True(t, s.Tests == nil, "tests")
}

// TestDaily works out a small stream: windows of one sale, the n-th of each product on day n.
func TestDaily(t *testing.T) {
	s := toySales("aaaabbbbccccdde")  // days 0 and 1 have four and five sales, 2 and 3 three each
	s.Minutes[14] = 9 * minutesPerDay // e's only sale: alone on its day, it is no step
	stream := filetest.Must(s.Daily(s.OverlappingWindows(1), 2))(t)
	initial, random := []int32{0, 4, 8, 12, 1, 5, 9, 13}, splits.NewRandomState() // by day, then by product
	filetest.Want(t, stream.Initial, splits.Shuffled(random, initial)[:6], "initial")
	steps := [][]int32{splits.Shuffled(random, []int32{2, 6, 10})[:2], splits.Shuffled(random, []int32{3, 7, 11})[:2]}
	filetest.Want(t, stream.Steps, steps, "steps")
	filetest.Want(t, stream.Days, []int{2, 3}, "days")
	for _, c := range []struct {
		firstDay int
		want     string
	}{{0, "0 of 15 windows are initial"}, {4, "0 days follow"}, {1000, "0 days follow"}} {
		filetest.WantError(t, filetest.Failure(s.Daily(s.OverlappingWindows(1), c.firstDay)), c.want, "choose another first day")
	}
	filetest.WantError(t, filetest.Failure(s.Daily(s.SeparateWindows(9), 2)), "0 of 0 windows")
}

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
	filetest.Want(t, splits.Shuffled(splits.NewRandomState(), []int{0, 1, 2, 3, 4}), []int{4, 0, 1, 2, 3}, "permutation")
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
	}{{1, 1, "1 groups of 2 products"}, {3, 1, "3 groups of 2 products"}, {2, 0, "windows of 0 sales"}, {2, 2,
		"group 1 has 3 training and 1 test sales"}} {
		filetest.WantError(t, filetest.Failure(s.ByProduct(c.groups, c.length, true)), c.want)
	}
}
