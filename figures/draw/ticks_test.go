package draw

import (
	"math"
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      string
	}{
		{62.8, 87.9, "65 70 75 80 85"},
		{0, 316, "0 50 100 150 200 250 300"},
		{-0.42, 0.81, "−0.4 −0.2 0.0 0.2 0.4 0.6 0.8"},
		{0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
	} {
		var labels []string
		for _, mark := range ticks(test.low, test.high) {
			labels = append(labels, mark.Label)
		}
		if got := strings.Join(labels, " "); got != test.want {
			t.Errorf("ticks from %v to %v: %s, want %s", test.low, test.high, got, test.want)
		}
	}
}

func TestWholeTicks(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      int
	}{{1, 4, 4}, {0.9, 5.1, 5}, {1, 40, 10}} {
		marks := WholeTicks(test.low, test.high)
		if len(marks) != test.want {
			t.Errorf("from %v to %v: %d ticks, want %d", test.low, test.high, len(marks), test.want)
		}
	}
}

func TestPowerTicks(t *testing.T) {
	labels := func(low, high float64) (got string) {
		for _, mark := range PowerTicks(math.Log10(low), math.Log10(high)) {
			if !mark.IsMinor() {
				got += mark.Label + " "
			}
		}
		return got
	}
	for _, test := range []struct {
		low, high float64
		want      string
	}{{8, 12000, "10 100 1,000 10,000 "}, {150, 6000, "200 500 1,000 2,000 5,000 "}} {
		if got := labels(test.low, test.high); got != test.want {
			t.Errorf("from %v to %v: %s, want %s", test.low, test.high, got, test.want)
		}
	}
}
