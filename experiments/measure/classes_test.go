package measure_test

import (
	"fmt"
	"gophe/experiments/measure"
	"math"
	"testing"
)

var inf = float32(math.Inf(1))

func Example() {
	half, quarter := float32(math.Log(0.5)), float32(math.Log(0.25))
	logProbabilities := []float32{ // three rows of three classes
		half, quarter, quarter,
		quarter, half, quarter,
		quarter, quarter, half,
	}
	labels := []int32{0, 1, 0}
	fmt.Printf("%.4f\n", measure.ClassAccuracy(logProbabilities, labels, 3))
	fmt.Printf("%.4f\n", measure.ClassLogLikelihood(logProbabilities, labels, 3)) // (2·ln ½ + ln ¼)/3 = −4/3·ln 2
	// Output:
	// 0.6667
	// -0.9242
}

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		name    string
		score   func(logProbabilities []float32, labels []int32, classes int) float64
		p       []float32
		labels  []int32
		classes int
		want    float64
	}{
		{"all right", measure.ClassAccuracy, []float32{-1, -2, -2, -1}, []int32{0, 1}, 2, 1},
		{"all wrong", measure.ClassAccuracy, []float32{-1, -2, -2, -1}, []int32{1, 0}, 2, 0},
		{"one of three, five classes", measure.ClassAccuracy, []float32{
			-5, -4, -3, -2, -1,
			-1, -2, -3, -4, -5,
			-3, -1, -3, -3, -3,
		}, []int32{4, 1, 0}, 5, 1. / 3},
		{"a tie goes to the lower class", measure.ClassAccuracy, []float32{-1, -1, -1, -1, -2, -1}, []int32{0, 0, 1}, 2, 1},
		{"a sure prediction", measure.ClassAccuracy, []float32{0, -inf, -inf, 0}, []int32{0, 1}, 2, 1},
		{"one row", measure.ClassLogLikelihood, []float32{-0.25, -4}, []int32{0}, 2, -0.25},
		{"mean of three rows", measure.ClassLogLikelihood, []float32{-1, -9, -9, -2, -9, -6}, []int32{0, 1, 1}, 2, -3},
		{"a sure mistake", measure.ClassLogLikelihood, []float32{0, -inf}, []int32{1}, 2, math.Inf(-1)},
	} {
		if got := c.score(c.p, c.labels, c.classes); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestIsFinite(t *testing.T) {
	for _, c := range []struct {
		name string
		p    []float32
		want bool
	}{
		{"nothing", nil, true},
		{"numbers", []float32{0, -1, -1e38}, true},
		{"a rounded probability of 0", []float32{0, -inf}, true},
		{"NaN", []float32{0, float32(math.NaN())}, false},
		{"+∞", []float32{inf, 0}, false},
	} {
		if got := measure.AllFinite(c.p); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
