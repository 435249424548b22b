package draw

import (
	"reflect"
	"strings"
	"testing"
)

// A method looks the same in every figure. The committed figures draw these names together, which are not the paper's.
func TestLooksAreTheSameInEveryFigure(t *testing.T) {
	for _, together := range [][]string{
		{"PHE", "PHE 15 steps", "P-EE", "Majority", "ItemMajority"},
		{"PHE", "PHE replay", "P-EE replay", "Majority", "ItemMajority"},
		{"PHE", "PHE B=109", "Ada", "Ada B=109", "Median of nine", "Counting rule"},
		{"One pass Paper", "One pass Paper d=5", "One pass Stream", "AdPredictor", "FTRL", "Adagrad", "PHE", "Ada", "PHE d=5",
			"without the items", "phe stream"},
	} {
		var figure Palette
		for i, name := range together {
			var alone Palette
			got := figure.Style(name, false)
			if want := alone.Style(name, false); !reflect.DeepEqual(got, want) {
				t.Errorf("%s looks otherwise beside %q than alone", name, together[:i])
			}
			for _, method := range []string{"PHE", "Ada", "One pass"} { // a variant is seen to be one
				own := alone.Style(method, false).Color
				if isVariant := strings.HasPrefix(name+" ", method+" ") && name != "One pass Stream"; isVariant != (own == got.Color) {
					t.Errorf("%s has the colour %v, and %s %v", name, got.Color, method, own)
				}
			}
			for _, other := range together[:i] {
				if its := figure.Style(other, false); its.Color == got.Color && reflect.DeepEqual(its.Dashes, got.Dashes) {
					t.Errorf("%s and %s look alike", name, other)
				}
			}
		}
	}
}

// No axis shows an accuracy above 100 % or an error below 0, even for a band.
func TestAxesEndWhereValuesDo(t *testing.T) {
	accuracies := Chart{Range: Limits{Share: true, MaxSpan: 60}, Curves: []Curve{{Mean: []float64{80, 99}, StdDev: []float64{30, 5}}}}
	if low, high := accuracies.YRange(); high < 100 || high > 101 || low > 80 {
		t.Errorf("accuracies from %v to %v", low, high)
	}
	errors := Chart{Range: Limits{BestBelow: true}, Curves: []Curve{{Mean: []float64{1, 20}, StdDev: []float64{3, 3}}}}
	if low, high := errors.YRange(); low != 0 || high < 20 {
		t.Errorf("errors from %v to %v", low, high)
	}
}
