package tables

import (
	"math"
	"slices"
	"testing"

	"gophe/data/datatest"
	"gophe/phe/disk/filetest"
)

// The generated table is always the same, and its labels follow their probabilities.
func TestDrawn(t *testing.T) {
	a, b := Drawn(), Drawn()
	if a.SHA256 != b.SHA256 || a.SHA256 != "a2be2a23909e9c88b2d1ecd64ede12319833a9edcd493a1fb3d9e0cff591c9a0" {
		t.Errorf("SHA-256 %s, and %s the second time", a.SHA256, b.SHA256)
	}
	filetest.Want(t, slices.Equal(a.Labels, b.Labels) && a.NumRows() == drawnRows, "two tables of one seed differ")
	sum, ones := 0.0, 0
	for row, p := range a.Truth {
		sum += p
		ones += int(a.Labels[row])
	}
	if deviation := (float64(ones) - sum) / math.Sqrt(drawnRows/4); math.Abs(deviation) > 4 {
		t.Errorf("%d labels of the second class, expected %.0f", ones, sum)
	}
	for i, want := range []int{3350, 9440, 24, 5} {
		if got := len(datatest.Counts(a.Categorical[i].Values)); got != want {
			t.Errorf("%s has %d items, want %d", a.Categorical[i].Name, got, want)
		}
	}
}
