package figures

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"gophe/phe/disk/filetest"
)

func TestGaussianFilterEqualsScipy(t *testing.T) {
	content, err := os.ReadFile("testdata/gaussian_filter1d.json") // made by the .py beside it
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Cases []struct {
			Sigma float64
			X, Y  []float64
		}
	}
	filetest.Check(t, json.Unmarshal(content, &vectors))
	if len(vectors.Cases) != 7 {
		t.Fatalf("%d cases, want 7", len(vectors.Cases))
	}
	for _, c := range vectors.Cases {
		before := slices.Clone(c.X)
		got := gaussianFilter(c.X, c.Sigma)
		if !floats.EqualApprox(got, c.Y, 1e-13) { // sums of at most 65 terms near 1, in another order
			t.Errorf("σ = %v, n = %d: got %v, scipy %v", c.Sigma, len(c.X), got, c.Y)
		}
		if !slices.Equal(before, c.X) {
			t.Errorf("σ = %v: the input changed", c.Sigma)
		}
	}
}

// No figure takes a width that is impossible.
func TestFiguresRefuseSigma(t *testing.T) {
	for _, sigma := range []float64{-1, math.NaN(), math.Inf(1)} {
		filetest.WantError(t, filetest.Failure(Figure3(synthetic(3, 1), sigma)), "choose a finite σ of 0 or more")
	}
	if got := gaussianFilter(nil, 3); len(got) != 0 {
		t.Errorf("nothing became %v", got)
	}
}
