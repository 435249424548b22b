package picture

import (
	"testing"

	"gophe/figures/draw/drawtest"
)

// The distribution has its probabilities, and each quantity has a point.
func TestQuantities(t *testing.T) {
	marks := drawtest.ByText(Quantities([]float64{25, 50, 0.25}, "law", func(y float64) float64 { return y / 100 }))
	has(t, marks, "Online Retail, 2: 50", "Online Retail, 3: 0.2500", "law, 3: 3")
}

// An item that comes early and late is early.
func TestNewcomers(t *testing.T) {
	early, later := Newcomers([]string{"a", "b", "c", "a", "d", "d"}, func(row int) bool { return row < 2 })
	if early != 2 || later != 2 {
		t.Errorf("%d early and %d later, want 2 and 2", early, later)
	}
}
