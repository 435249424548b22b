package task

import (
	"slices"

	"gophe/data/ratings"
	"gophe/experiments/spec"
)

// Exported holds a task's part of an export: arrays, and facts for meta.json.
type Exported struct {
	Items  []string
	Arrays map[string]Array
	Meta   map[string]any
}

// Array is a flat slice of int32, uint32 or float32 with its shape.
type Array struct {
	Values any
	Shape  []int
}

// Export returns the items, labels and numbers of all rows.
func (t *classification) Export() Exported {
	rows, columns, numbers := t.Table.NumRows(), len(t.Table.Categorical), len(t.Table.Numeric)
	return Exported{t.Items.Items, map[string]Array{
		"column": {t.Items.ItemColumns, []int{len(t.Items.Items)}},
		"index":  {t.Items.Index, []int{rows, columns}},
		"values": {t.Items.Numbers, []int{rows, numbers}},
		"labels": {t.Items.Labels, []int{rows}},
	}, map[string]any{"columns": columns, "numbers": numbers, "classes": len(t.Table.Classes), "incremental": t.Table.Incremental}}
}

// Export returns the events of all windows, with their items and counts.
func (t *forecasting) Export() Exported {
	e, sales := t.events, t.stream.Sales
	events, length := len(e.Counts), t.stream.Windows.Length
	columns := len(sales.Categorical)
	return Exported{e.Items, map[string]Array{
		"index":   {e.Index, []int{events, columns}},
		"values":  {e.Numbers, []int{events, 1}},
		"counts":  {e.Counts, []int{events}},
		"minutes": {e.Times, []int{events}},
		"windows": {e.Windows, []int{len(e.Windows) / length, length}},
	}, map[string]any{"columns": columns, "numbers": 1, "incremental": sales.Incremental, "length": length, "maxima": spec.Config{}.FilterModel().Maxima}}
}

// Export returns all ratings with their users, films and genres.
func (t *recommending) Export() Exported {
	d := t.ratings
	n, users := len(d.Ratings), int32(len(d.Users))
	index, genres := make([]int32, 0, 2*n), make([]uint32, 0, n)
	for i, film := range d.Item {
		index = append(index, d.User[i], users+film)
		genres = append(genres, d.ItemLabels[film])
	}
	return Exported{slices.Concat(d.Users, d.Items), map[string]Array{
		"index":   {index, []int{n, 2}},
		"genres":  {genres, []int{n}},
		"ratings": {d.Ratings, []int{n}},
	}, map[string]any{"users": len(d.Users), "films": len(d.Items), "genres": len(ratings.Genres())}}
}
