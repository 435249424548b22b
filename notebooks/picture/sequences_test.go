package picture

import (
	"fmt"
	"testing"

	"gophe/experiments/result/fixture"
	"gophe/experiments/spec"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/show"
)

// The distribution has its probabilities, and each quantity has a point.
func TestQuantities(t *testing.T) {
	marks := drawtest.ByText(t, Quantities([]float64{25, 50, 0.25}, "law", func(y float64) float64 { return y / 100 }))
	drawtest.Has(t, marks, "Online Retail, 2: 50", "Online Retail, 3: 0.2500", "law, 3: 3")
}

// An item that comes early and late is early.
func TestNewcomers(t *testing.T) {
	early, later := Newcomers([]string{"a", "b", "c", "a", "d", "d"}, func(row int) bool { return row < 2 })
	if early != 2 || later != 2 {
		t.Errorf("%d early and %d later, want 2 and 2", early, later)
	}
}

// Two specs are columns, and each choice is a row.
func TestFilterChoices(t *testing.T) {
	online, forecast := show.Must(spec.Load("retail-online")), show.Must(spec.Load("retail-forecast"))
	df := FilterChoices(online, forecast)
	if names := df.Names(); names[len(names)-1] != "retail-forecast" {
		t.Errorf("columns %v", names)
	}
	page := fmt.Sprint(df.Records())
	fixture.WantText(t, page, "reconstruction", "pack-sizes", "all-columns", "1009", "109")
}
