package lesson

import (
	"slices"

	"github.com/go-gota/gota/dataframe"

	"gophe/data/column"
	"gophe/data/files"
	"gophe/data/labelled"
	"gophe/data/sales"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/task"
	"gophe/notebooks/cell"
	"gophe/phe"
)

// Items returns the different items of columns: column_value.
func Items(columns []column.Categorical) (items []string) {
	for _, c := range columns {
		_, tokens := c.Itemise()
		items = append(items, tokens...)
	}
	return items
}

// Kinds returns a table of streams: the number of items that each brings after its beginning, in the column that keeps learning,
// whether its rows have timestamps, whether each item is a task of its own, and its type among the five of Table 2.
func Kinds() dataframe.DataFrame {
	table := cell.NewRows("stream", "new items after the beginning", "timestamps", "tasks", "type")
	for _, name := range []string{"adult-online", "mushroom-online", "adult-by-group"} {
		t, plan := TableOf(cell.Must(spec.Load(name)))
		rows := slices.Concat(plan.Initial, slices.Concat(plan.Steps...))
		items := column.InOrder(t.Categorical[t.Incremental].Values, rows)
		_, fresh := Newcomers(items, func(at int) bool { return at < len(plan.Initial) })
		table.Add(name, fresh, "no", "no", map[bool]string{false: "D0", true: "D2"}[fresh > 0])
	}
	users := cell.Read("movielens-small").Stream.Users // seen by the end of each day
	fresh := users[len(users)-1] - users[0]
	table.Add("movielens-small, users", fresh, "yes", "no", map[bool]string{false: "D1", true: "D3"}[fresh > 0])
	retail := cell.Must(sales.Load(files.Options{}))
	start := cell.Must(protocol.Spec{FirstDay: "2011-02-01"}.StartDay())
	_, fresh = Newcomers(retail.Categorical[retail.Incremental].Values, func(row int) bool { return retail.Day(row) < start })
	table.Add("retail, products", fresh, "yes", "yes", "D4")
	return table.Frame()
}

// Newcomers counts a column's items that occur early, and those that occur only later.
func Newcomers(items []string, isEarly func(row int) bool) (early, later int) {
	seen := map[string]bool{}
	for row, item := range items {
		seen[item] = seen[item] || isEarly(row)
	}
	for _, wasEarly := range seen {
		if wasEarly {
			early++
		} else {
			later++
		}
	}
	return early, later
}

// TableOf returns the table of a spec, with the columns that it uses, and the plan of its protocol.
func TableOf(s spec.Spec) (*labelled.Table, *protocol.Plan) {
	_, plan, err := task.Load(s, files.Options{})
	cell.Check(err)
	return plan.Table, plan
}

// EncoderOf returns the hash encoder of a spec of a table, and the items of the table.
func EncoderOf(name string) (*phe.Encoder, []string) {
	s := cell.Must(spec.Load(name))
	var columns []column.Categorical
	if s.Dataset == spec.Retail {
		columns = cell.Must(sales.Load(files.Options{})).Categorical
	} else {
		t, _ := TableOf(s)
		columns = t.Categorical
	}
	return cell.Must(phe.NewEncoder(s.Model.Encoder)), Items(columns)
}
