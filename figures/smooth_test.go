package figures

import (
	"encoding/json"
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
