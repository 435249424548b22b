package count

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/klauspost/compress/zstd"
	"gonum.org/v1/gonum/floats/scalar"
)

func TestPackSizes(t *testing.T) {
	c := PackSizes()
	if c.Len() != 95 {
		t.Fatalf("%d cells", c.Len())
	}
	for y, want := range map[int]int{1: 0, 2: 1, 50: 49, 51: 50, 59: 50, 60: 51, 61: 52, 71: 56, 599: 92, 600: 93, 601: 94, 80995: 94, 1 << 60: 94} {
		if got := c.Of(y); got != want {
			t.Errorf("cell of %d is %d, want %d", y, got, want)
		}
	}
	for y := 1; y < 1000; y++ { // each cell begins where the one before ends
		if step := c.Of(y+1) - c.Of(y); step != 0 && step != 1 {
			t.Errorf("from %d on, %d cells further", y, step)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("0 has a cell")
		}
	}()
	c.Of(0)
}

// TestLogWithin sums each cell's law to 1. The open cell is summed to 10⁶, and P(Y > 10⁶ | cell) is (601/(10⁶+1))^α.
func TestLogWithin(t *testing.T) {
	c, sums, means := PackSizes(), make([]float64, 95), make([]float64, 95)
	const end = 1000000
	for y := 1; y <= end; y++ {
		p := math.Exp(c.LogWithin(y))
		sums[c.Of(y)] += p
		means[c.Of(y)] += p * float64(y)
		if cdf := c.CDFWithin(c.Of(y), y); !(math.Abs(cdf-sums[c.Of(y)]) <= 1e-10) {
			t.Fatalf("P(Y ≤ %d) is %g, the sum %g", y, cdf, sums[c.Of(y)])
		}
	}
	beyond := math.Pow(601.0/(end+1), tailExponent)
	sums[94] += beyond
	means[94] += beyond * (end + 1) * tailExponent / (tailExponent - 1) // Pareto's mean beyond the end
	for k := range sums {
		if !(math.Abs(sums[k]-1) <= 1e-10) || !scalar.EqualWithinRel(means[k], c.means[k], 1e-6) {
			t.Errorf("cell %d: probabilities sum to %v, mean %v, said %v", k, sums[k], means[k], c.means[k])
		}
	}
	if c.LogWithin(12) != 0 || c.LogWithin(600) != 0 || c.LogWithin(75) != 0 {
		t.Error("a single cell leaves something open")
	}
	if got := c.LogWithin(math.MaxInt64); math.IsNaN(got) || math.IsInf(got, 0) {
		t.Errorf("the largest int has %v", got)
	}
}

// TestRecount finds packs and tailExponent again in the sales before 2011-02-01.
func TestRecount(t *testing.T) {
	sold := soldBefore(t, "2011-02-01")
	var common []int
	logs, large := 0.0, 0
	for y, n := range sold {
		if y > singles && n >= 7 {
			common = append(common, y)
		}
		if y > packs[len(packs)-1] {
			logs += float64(n) * math.Log(float64(y)/(float64(packs[len(packs)-1])+0.5)) // Hill's estimate, of rounded values
			large += n
		}
	}
	slices.Sort(common)
	if !slices.Equal(common, packs) {
		t.Errorf("sold at least 7 times: %v, declared %v", common, packs)
	}
	if sold[300] != 6 || sold[408] != 6 || sold[720] != 6 || large != 38 {
		t.Errorf("300, 408, 720 sold %d, %d, %d times, above 600 %d", sold[300], sold[408], sold[720], large)
	}
	if exponent := float64(large) / logs; !(math.Abs(exponent-tailExponent) <= 0.05) {
		t.Errorf("the likeliest tail exponent is %v", exponent)
	}
}

// soldBefore counts how often each positive quantity was sold before a day, in the file of the checkout.
func soldBefore(t *testing.T, day string) map[int]int {
	f, err := os.Open(filepath.Join("..", "..", "data", "uci", "retail.csv.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := csv.NewReader(unzipped)
	lines.ReuseRecord = true
	const quantity, date = 3, 4
	sold := make(map[int]int)
	for header := true; ; header = false {
		line, err := lines.Read()
		if err != nil {
			t.Fatal(err)
		}
		if header {
			continue
		}
		if line[date] >= day { // dates never decrease
			return sold
		}
		y, err := strconv.Atoi(line[quantity])
		if err != nil {
			t.Fatal(err)
		}
		if y > 0 {
			sold[y]++
		}
	}
}
