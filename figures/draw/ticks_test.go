package draw

import (
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
