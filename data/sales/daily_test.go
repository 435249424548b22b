package sales

import (
	"math"
	"slices"
	"testing"

	"gophe/data/cuts"
	"gophe/phe/disk/filetest"
)

// naive holds the errors of the simplest forecasts, averaged over a stream's days. PROTOCOL.md has the figures from the
// authors' own code.
type naive struct {
	last, mean, median float64 // of the nine sales before
	quantity           float64 // what is to be forecast
	windows, padded    int
	single             int // padded windows of a product with a single sale
}

// naiveErrors scores the steps' windows, or only those that are not padded.
func naiveErrors(s *Stream, withPadded bool) naive {
	var total naive
	for _, step := range s.Steps {
		var day naive
		for _, i := range step {
			if !withPadded && s.Windows.IsPadded(int(i)) {
				continue
			}
			day.add(s, int(i))
		}
		n := float64(day.windows)
		total.last += day.last / n
		total.mean += day.mean / n
		total.median += day.median / n
		total.quantity += day.quantity / n
		total.windows += day.windows
		total.padded += day.padded
		total.single += day.single
	}
	n := float64(len(s.Steps))
	total.last, total.mean, total.median, total.quantity = total.last/n, total.mean/n, total.median/n, total.quantity/n
	return total
}

func (n *naive) add(s *Stream, i int) {
	length := s.Windows.Length
	before := make([]float64, length)
	sum := 0.0
	for j, row := range s.Windows.Rows[i*length : (i+1)*length] {
		before[j] = float64(s.Sales.Quantities[row])
		sum += before[j]
	}
	y, before := before[length-1], before[:length-1]
	last, mean := before[length-2], (sum-y)/float64(length-1)
	slices.Sort(before)
	n.last += math.Abs(last - y)
	n.mean += math.Abs(mean - y)
	n.median += math.Abs(before[len(before)/2] - y)
	n.quantity += y
	n.windows++
	if s.Windows.IsPadded(i) {
		n.padded++
	}
	if int(s.Windows.Padding[i]) == length-1 {
		n.single++
	}
}

// TestDailyProtocol compares the stream with figures measured with the authors' code. Another order of draws, or of windows
// before a draw, gives other figures (12.546 and 11.001 with the windows of a day in the order of products).
func TestDailyProtocol(t *testing.T) {
	s := loadedSales(t)
	stream := filetest.Must(s.Daily(s.OverlappingWindows(10), 62))(t)
	if len(stream.Initial) != 44480 || len(stream.Steps) != 261 || len(stream.Days) != 261 || stream.Days[0] != 62 || len(stream.Steps[0]) != 1152 || stream.Days[260] != 373 {
		t.Errorf("%d initial windows, %d steps, days %v", len(stream.Initial), len(stream.Steps), stream.Days)
	}
	got := naiveErrors(stream, true)
	if got.windows != 355579 || got.padded != 473 || got.single != 73 {
		t.Errorf("%d windows, %d of them padded, %d of a single sale, want 355579, 473 and 73", got.windows, got.padded, got.single)
	}
	whole := naiveErrors(stream, false)
	filetest.Want(t, whole.windows == 355106 && whole.padded == 0, "%d windows are not padded, want 355106", whole.windows)
	for _, c := range []struct {
		what      string
		got, want float64
		digits    int // after the point; all that the protocol gives
	}{
		{"last value", got.last, 12.523, 3}, {"mean of nine", got.mean, 10.997, 3}, {"mean y", got.quantity, 11.130, 3}, {"median of nine", got.median, 8.28, 2},
		{"last value, not padded", whole.last, 12.53, 2}, {"mean of nine, not padded", whole.mean, 11.00, 2}, {"median of nine, not padded", whole.median, 8.28, 2},
		{"zero, not padded", whole.quantity, 10.89, 2},
	} {
		scale := math.Pow10(c.digits)
		filetest.Want(t, math.Round(c.got*scale) == math.Round(c.want*scale), "%s: %.5f, want %v", c.what, c.got, c.want)
	}
	checkDaily(t, stream, 62)
}

func TestDailySeparate(t *testing.T) {
	s := loadedSales(t)
	stream := filetest.Must(s.Daily(s.SeparateWindows(10), 90))(t)
	if len(stream.Initial) != 7248 || len(stream.Steps) != 237 || len(slices.Concat(stream.Steps...)) != 33801 {
		t.Errorf("%d initial windows, then %d in %d steps", len(stream.Initial), len(slices.Concat(stream.Steps...)), len(stream.Steps))
	}
	checkDaily(t, stream, 90)
	if again, _ := s.Daily(stream.Windows, 90); !slices.Equal(stream.Initial, again.Initial) || !slices.EqualFunc(stream.Steps, again.Steps, slices.Equal) {
		t.Error("two calls differ")
	}
}

// checkDaily checks that no block has a sale of a later day, that a step's windows end on its day, and that no window
// comes twice.
func checkDaily(t *testing.T, s *Stream, firstDay int) {
	t.Helper()
	seen := make([]bool, s.Windows.Len())
	check := func(windows []int32, from, to int) {
		filetest.Want(t, len(windows) != 0, "days %d to %d: no windows", from, to)
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
		if s.Days[i] < firstDay || i > 0 && s.Days[i] <= s.Days[i-1] {
			t.Errorf("step %d is of day %d", i, s.Days[i])
		}
		check(step, s.Days[i], s.Days[i])
	}
	filetest.Want(t, s.Tests == nil, "tests")
}

// TestDaily works out a small stream: windows of one sale, the n-th of each product on day n.
func TestDaily(t *testing.T) {
	s := toySales("aaaabbbbccccdde")  // days 0 and 1 have four and five sales, 2 and 3 three each
	s.Minutes[14] = 9 * minutesPerDay // e's only sale: alone on its day, it is no step
	stream := filetest.Must(s.Daily(s.OverlappingWindows(1), 2))(t)
	initial, random := []int32{0, 4, 8, 12, 1, 5, 9, 13}, cuts.NewRandomState() // by day, then by product
	filetest.WantEqual(t, stream.Initial, cuts.Shuffled(random, initial)[:6], "initial")
	for i, day := range [][]int32{{2, 6, 10}, {3, 7, 11}} {
		if want := cuts.Shuffled(random, day)[:2]; !slices.Equal(stream.Steps[i], want) || stream.Days[i] != 2+i {
			t.Errorf("step %d: %v, want %v", i, stream.Steps[i], want)
		}
	}
	filetest.Want(t, len(stream.Steps) == 2, "steps %v", stream.Steps)
	for _, c := range []struct {
		firstDay int
		want     string
	}{{0, "0 of 15 windows are initial"}, {4, "0 days follow"}, {1000, "0 days follow"}} {
		filetest.WantError(t, filetest.Failure(s.Daily(s.OverlappingWindows(1), c.firstDay)), c.want, "choose another first day")
	}
	filetest.WantError(t, filetest.Failure(s.Daily(s.SeparateWindows(9), 2)), "0 of 0 windows")
}
