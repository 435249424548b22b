package picture

import (
	"cmp"
	"slices"

	"github.com/go-gota/gota/dataframe"

	"gophe/data/column"
	"gophe/data/files"
	"gophe/data/sales"
	"gophe/data/tables"
	"gophe/experiments/protocol"
	"gophe/experiments/spec"
	"gophe/notebooks/show"
	"gophe/phe"
)

// InTime returns the categorical columns of sales in the order of time.
func InTime(s *sales.Sales) []column.Categorical {
	order := make([]int32, s.NumRows())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.Minutes[a], s.Minutes[b]), cmp.Compare(s.Places[a], s.Places[b]))
	})
	columns := slices.Clone(s.Categorical)
	for i := range columns {
		columns[i].Values = Take(columns[i].Values, order)
	}
	return columns
}

// Take returns the values of some rows.
func Take[T any](values []T, rows []int32) []T {
	taken := make([]T, len(rows))
	for i, row := range rows {
		taken[i] = values[row]
	}
	return taken
}

// Items returns the different items of columns: column_value.
func Items(columns []column.Categorical) (items []string) {
	for _, c := range columns {
		_, tokens := c.Itemise()
		items = append(items, tokens...)
	}
	return items
}

// Kinds collects streams and finds the type of each stream among the five of Table 2.
type Kinds struct {
	streams, timestamps, tasks, kinds []string
	fresh                             []int
}

// Add adds a stream: the number of items that it brings after its beginning, whether its rows have timestamps, and whether each item of
// a column is a task of its own.
func (k *Kinds) Add(stream string, fresh int, timestamped, multiTask bool) {
	kind := "D0"
	switch {
	case fresh > 0 && timestamped && multiTask:
		kind = "D4"
	case fresh > 0 && timestamped:
		kind = "D3"
	case fresh > 0:
		kind = "D2"
	case timestamped:
		kind = "D1"
	}
	yes := map[bool]string{true: "yes", false: "no"}
	k.streams, k.fresh, k.kinds = append(k.streams, stream), append(k.fresh, fresh), append(k.kinds, kind)
	k.timestamps, k.tasks = append(k.timestamps, yes[timestamped]), append(k.tasks, yes[multiTask])
}

// Frame returns the streams as a DataFrame, with a row for each.
func (k *Kinds) Frame() dataframe.DataFrame {
	return show.Columns("stream", k.streams, "new items after the beginning", k.fresh, "timestamps", k.timestamps, "tasks", k.tasks, "type", k.kinds)
}

// TableOf returns the table of a spec, with the columns that it uses, and the plan of its protocol.
func TableOf(s spec.Spec) (*tables.Table, *protocol.Plan) {
	t := show.Must(tables.Load(s.Dataset, files.Options{}))
	if len(s.Features) > 0 {
		t = show.Must(t.Select(s.Features))
	}
	return t, show.Must(protocol.NewPlan(s.Protocol, t))
}

// StreamOf returns the items of the initial rows and the items of the stream, in the column that a spec goes on learning.
func StreamOf(name string) (first, later []string) {
	t, plan := TableOf(show.Must(spec.Load(name)))
	values := t.Categorical[t.Incremental].Values
	return Take(values, plan.Initial), Take(values, slices.Concat(plan.Steps...))
}

// RetailFrom returns the products of all sales before a day, written as 2011-02-01, and from the day on.
func RetailFrom(day string) (first, later []string) {
	start := show.Must(protocol.Spec{FirstDay: day}.StartDay())
	retail := show.Must(sales.Load(files.Options{}))
	products := retail.Categorical[retail.Incremental].Values
	for row, product := range products {
		if retail.Day(row) < start {
			first = append(first, product)
		} else {
			later = append(later, product)
		}
	}
	return first, later
}

// EncoderOf returns the hash encoder of a spec of a table, and the items of the table.
func EncoderOf(name string) (*phe.Encoder, []string) {
	s := show.Must(spec.Load(name))
	var columns []column.Categorical
	if s.Dataset == spec.Retail {
		columns = show.Must(sales.Load(files.Options{})).Categorical
	} else {
		t, _ := TableOf(s)
		columns = t.Categorical
	}
	return show.Must(phe.NewEncoder(s.Model.Encoder)), Items(columns)
}
