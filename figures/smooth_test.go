package figures

import (
	"encoding/json"
	"fmt"
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

// These properties have closed forms. A constant and the total stay the same. Mirrored input gives mirrored output. An impulse
// far from the ends becomes the truncated normal density.
func TestGaussianFilterClosedForms(t *testing.T) {
	for _, sigma := range []float64{0, 0.1, 0.7, 2, 5.5, 40} {
		constant, x := make([]float64, 31), make([]float64, 31)
		for i := range x {
			constant[i], x[i] = 0.843, math.Sin(float64(i*i))
		}
		smooth := gaussianFilter(constant, sigma)
		if !floats.EqualApprox(smooth, constant, 1e-14) {
			t.Errorf("σ = %v: a constant became %v", sigma, smooth)
		}
		smooth = gaussianFilter(x, sigma)
		if math.Abs(floats.Sum(smooth)-floats.Sum(x)) > 1e-12 {
			t.Errorf("σ = %v: the total went from %v to %v", sigma, floats.Sum(x), floats.Sum(smooth))
		}
		slices.Reverse(x)
		slices.Reverse(smooth)
		if !floats.EqualApprox(gaussianFilter(x, sigma), smooth, 1e-13) {
			t.Errorf("σ = %v: not symmetric", sigma)
		}
	}
	impulse := make([]float64, 41)
	impulse[20] = 1
	smooth := gaussianFilter(impulse, 2) // radius 8
	for _, k := range []int{1, 5, 8} {
		if ratio, want := smooth[20+k]/smooth[20], math.Exp(-float64(k*k)/8); math.Abs(ratio-want) > 1e-15 {
			t.Errorf("impulse at distance %d: %v of the peak, want %v", k, ratio, want)
		}
	}
	if smooth[20+9] != 0 {
		t.Errorf("beyond the radius: %v, want 0", smooth[29])
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

func Example_gaussianFilter() {
	fmt.Printf("%.3f\n", gaussianFilter([]float64{0, 0, 1, 0, 0}, 1))
	// Output: [0.058 0.242 0.399 0.242 0.058]
}
