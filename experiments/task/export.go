package task

import (
	"bytes"
	"encoding/binary"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"path/filepath"
	"reflect"

	"github.com/pkg/errors"
)

// exported holds a task's part of an export: arrays, and facts for meta.json.
type exported struct {
	Items  []string
	arrays []array
	Meta   map[string]any
}

// array is a flat slice of int32, uint32 or float32, as a file of raw little-endian numbers holds it.
type array struct {
	name   string
	values any
	shape  []int
}

// Add adds an array to an export.
func (e *exported) Add(name string, values any, shape ...int) {
	e.arrays = append(e.arrays, array{name, values, shape})
}

// Write writes the arrays into a folder, and returns numpy's name of each one's type with its shape.
func (e *exported) Write(folder string) (shapes map[string]any, err error) {
	shapes = map[string]any{}
	for _, a := range e.arrays {
		var content bytes.Buffer
		if err := binary.Write(&content, binary.LittleEndian, a.values); err != nil {
			return nil, errors.Wrapf(err, "encoding array %s", a.name)
		}
		if err := result.WriteWhole(filepath.Join(folder, a.name+".bin"), content.Bytes()); err != nil {
			return nil, err
		}
		shapes[a.name] = map[string]any{"dtype": reflect.TypeOf(a.values).Elem().String(), "shape": a.shape} // int32, uint32 or float32
	}
	return shapes, nil
}

// Export returns the items, labels and numbers of all rows.
func (t *classification) Export() exported {
	rows, columns, numbers := t.Table.NumRows(), len(t.Table.Categorical), len(t.Table.Numeric)
	return exported{t.Items.Items, []array{
		{"column", t.Items.ItemColumns, []int{len(t.Items.Items)}},
		{"index", t.Items.Index, []int{rows, columns}},
		{"values", t.Items.Numbers, []int{rows, numbers}},
		{"labels", t.Items.Labels, []int{rows}},
	}, map[string]any{"columns": columns, "numbers": numbers, "classes": len(t.Table.Classes), "incremental": t.Table.Incremental}}
}

// Export returns the events of all windows, with their items and counts.
func (t *forecasting) Export() exported {
	e, sales := t.events, t.stream.Sales
	events, length := len(e.Counts), t.stream.Windows.Length
	columns := len(sales.Categorical)
	return exported{e.Items, []array{
		{"index", e.Index, []int{events, columns}},
		{"values", e.Numbers, []int{events, 1}},
		{"counts", e.Counts, []int{events}},
		{"minutes", e.Times, []int{events}},
		{"windows", e.Windows, []int{len(e.Windows) / length, length}},
	}, map[string]any{"columns": columns, "numbers": 1, "incremental": sales.Incremental, "length": length, "maxima": spec.Config{}.FilterModel().Maxima}}
}

// Export returns all ratings with their users, films and genres.
func (t *recommending) Export() exported {
	d := t.ratings
	n, users := len(d.Ratings), int32(len(d.Users))
	index, genres := make([]int32, 0, 2*n), make([]uint32, 0, n)
	for i, film := range d.Film {
		index = append(index, d.User[i], users+film)
		genres = append(genres, d.FilmGenres[film])
	}
	items := append(append([]string{}, d.Users...), d.Films...)
	return exported{items, []array{
		{"index", index, []int{n, 2}},
		{"genres", genres, []int{n}},
		{"ratings", d.Ratings, []int{n}},
	}, map[string]any{"users": len(d.Users), "films": len(d.Films), "genres": len(d.Genres)}}
}
