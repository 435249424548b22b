package show

import (
	"math"
	"testing"

	"gophe/experiments/fixture"
)

// A table has the types of its cells.
func TestRows(t *testing.T) {
	l := NewRows("pull", "rows", "mean")
	l.Add("mackay", 3, 0.5)
	l.Add("plug-in", 1200, math.NaN())
	page := table(l.Frame())
	fixture.WantText(t, page, "<th>pull</th><th>rows</th><th>mean</th>", `left">mackay<`, `right">3<`, `right">0.5000<`, `right">1200<`, `right">–<`)
}
