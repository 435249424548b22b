package picture

import (
	"fmt"
	"math"

	"github.com/go-gota/gota/dataframe"

	"gophe/data/tables"
	"gophe/figures"
	"gophe/notebooks/race"
	"gophe/notebooks/show"
)

// Ahead draws the number of rows that each rival got right beyond the frozen model, from the beginning of the stream to each step.
// All rivals score the same rows, so their common noise is not in the difference.
func Ahead(r *race.Race) *figures.Figure {
	c := alongSteps(r, "Rows right beyond the frozen model")
	frozen := r.Rivals[1]
	for _, m := range r.Rivals {
		var x, y []float64
		ahead := 0.0
		for step := range r.Done() {
			ahead += float64(len(r.Plan.Steps[step])) * (m.Accuracy[step] - frozen.Accuracy[step])
			x, y = append(x, float64(step+1)), append(y, math.Round(1e6*ahead)/1e6)
		}
		c.Line(m.Label(), x, y, look(m)...)
	}
	return c.Figure(fmt.Sprintf("%d of %d steps, %s.%s", r.Done(), len(r.Plan.Steps), counted(len(r.Spec.Seeds), "seed"), changes(r)))
}

// ColumnItems returns a table of a data set's categorical columns: the number of items, the most frequent one, and its rows.
func ColumnItems(t *tables.Table) dataframe.DataFrame {
	list := show.NewRows("column", "items", "most frequent", "its rows")
	for _, column := range t.Categorical {
		count := map[string]int{}
		for _, item := range column.Values {
			count[item]++
		}
		frequent, rows := "", 0
		for item, n := range count {
			if n > rows || n == rows && item < frequent {
				frequent, rows = item, n
			}
		}
		list.Add(column.Name, len(count), frequent, rows)
	}
	return list.Frame()
}
