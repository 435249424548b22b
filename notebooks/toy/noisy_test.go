package toy_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gophe/notebooks/toy"
)

func TestNoisy(t *testing.T) {
	y := toy.Noisy(0.7, 10_000)
	if mean, variance := stat.MeanVariance(y, nil); math.Abs(mean-0.7) > 0.04 || math.Abs(variance-1) > 0.06 { // four standard errors
		t.Errorf("mean %.3f and variance %.3f, want 0.7 and 1", mean, variance)
	}
	if !slices.Equal(y[:10], toy.Noisy(0.7, 10)) {
		t.Error("a second call returns other numbers")
	}
}
