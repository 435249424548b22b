package draw

import "testing"

func TestSigned(t *testing.T) {
	for _, test := range []struct {
		x        float64
		decimals int
		want     string
	}{{0, 1, "0.0"}, {0.216, 2, "+0.22"}, {-0.001, 2, "0.00"}, {-2.92, 1, "−2.9"}, {39.21, 1, "+39.2"}} {
		if got := signed(test.x, test.decimals); got != test.want {
			t.Errorf("%v is written %s, want %s", test.x, got, test.want)
		}
	}
}
