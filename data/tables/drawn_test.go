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
	filetest.Want(t, a.SHA256 == b.SHA256 && a.SHA256 == "a2be2a23909e9c88b2d1ecd64ede12319833a9edcd493a1fb3d9e0cff591c9a0",
		"SHA-256 %s, and %s the second time", a.SHA256, b.SHA256)
	filetest.Want(t, slices.Equal(a.Labels, b.Labels) && a.NumRows() == drawnRows, "two tables of one seed differ")
	sum, ones := 0.0, 0
	for row, p := range a.Truth {
		sum += p
		ones += int(a.Labels[row])
	}
	filetest.WantNear(t, float64(ones), sum, 4*math.Sqrt(drawnRows/4), "labels of the second class")
	for i, want := range []int{3350, 9440, 24, 5} {
		filetest.WantEqual(t, len(datatest.Counts(a.Categorical[i].Values)), want, "items of %s", a.Categorical[i].Name)
	}
}
