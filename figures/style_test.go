package figures

import (
	"reflect"
	"testing"
)

// A method looks the same in every figure. The committed figures draw these names together, which are not the paper's.
func TestLooksAreTheSameInEveryFigure(t *testing.T) {
	for _, together := range [][]string{
		{"PHE", "PHE 15 steps", "P-EE", "Majority", "ItemMajority"},
		{"PHE", "PHE replay", "P-EE replay", "Majority", "ItemMajority"},
		{"PHE", "PHE B=109", "Ada", "Ada B=109", "Median of nine", "Counting rule"},
	} {
		var figure palette
		for i, name := range together {
			var alone palette
			got, _ := figure.look(name, false)
			if want, _ := alone.look(name, false); !reflect.DeepEqual(got, want) {
				t.Errorf("%s looks otherwise beside %q than alone", name, together[:i])
			}
			for _, other := range together[:i] {
				if its, _ := figure.look(other, false); its.color == got.color && reflect.DeepEqual(its.dashes, got.dashes) {
					t.Errorf("%s and %s look alike", name, other)
				}
			}
		}
	}
}

// No axis shows an accuracy above 100 % or an error below 0, even for a band.
func TestAxesEndWhereValuesDo(t *testing.T) {
	accuracies := panel{isShare: true, maxSpan: 60, curves: []curve{{mean: []float64{80, 99}, stdDev: []float64{30, 5}}}}
	if low, high := accuracies.yRange(); high < 100 || high > 101 || low > 80 {
		t.Errorf("accuracies from %v to %v", low, high)
	}
	errors := panel{bestBelow: true, curves: []curve{{mean: []float64{1, 20}, stdDev: []float64{3, 3}}}}
	if low, high := errors.yRange(); low != 0 || high < 20 {
		t.Errorf("errors from %v to %v", low, high)
	}
}
