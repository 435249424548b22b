package schema

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// A number of few digits has the bits that strconv gives it.
func TestParseDigits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	check := func(s string) {
		want, err := strconv.ParseFloat(s, 64)
		got, ok := Verbatim.number(s, false)
		if ok && (err != nil || math.Float64bits(got) != math.Float64bits(want)) || !ok && err == nil && len(s) < 15 {
			t.Fatalf("%q is %g, %t; strconv says %g, %v", s, got, ok, want, err)
		}
	}
	for range 200_000 {
		s := fmt.Sprint(random.Int64N(int64(math.Pow(10, float64(random.IntN(18)))) + 1))
		if n := random.IntN(len(s) + 1); random.IntN(2) == 0 {
			s = s[:n] + "." + s[n:]
		}
		if random.IntN(3) == 0 {
			s = "-" + s
		}
		check(s)
	}
	for _, s := range []string{"", "-", ".", "-.", "0", "-0", "00012", "1.", ".5", "--1", "1-", "1.2.3", "1_000", "٣", "999999999999999", "9999999999999999"} {
		if got, ok := Verbatim.number(s, false); ok {
			check(s)
			_ = got
		}
	}
}
