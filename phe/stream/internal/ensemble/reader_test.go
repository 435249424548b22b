package ensemble

import "testing"

// An edge belongs to the bin above it.
func TestBinOf(t *testing.T) {
	edges := []float64{1990, 1995, 2005}
	for x, want := range map[float64]int{1990: 1, 1990 - 1e-9: 0, 2000: 2, 2005: 3, 1e9: 3} {
		if got := binOf(edges, x); got != want {
			t.Errorf("%g is in bin %d, want %d", x, got, want)
		}
	}
}
