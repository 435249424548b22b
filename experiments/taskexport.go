package experiments

import (
	"bytes"
	"encoding/binary"
	"gophe/experiments/result"
	"path/filepath"

	"github.com/pkg/errors"
)

// array is a flat slice of int32, uint32 or float32, as a file of raw little-endian numbers holds it.
type array struct {
	name   string
	values any
	shape  []int
}

// exported is what the task adds to an export: arrays, and facts for meta.json.
type exported struct {
	items  []string
	arrays []array
	meta   map[string]any
}

func (t *classification) export() exported {
	rows, columns, numbers := t.table.NumRows(), len(t.table.Categorical), len(t.table.Numeric)
	return exported{t.items.Items, []array{
		{"column", t.items.ItemColumns, []int{len(t.items.Items)}},
		{"index", t.items.Index, []int{rows, columns}},
		{"values", t.items.Numbers, []int{rows, numbers}},
		{"labels", t.items.Labels, []int{rows}},
	}, map[string]any{"columns": columns, "numbers": numbers, "classes": len(t.table.Classes), "incremental": t.table.Incremental}}
}

func (t *forecasting) export() exported {
	e, sales := t.events, t.stream.Sales
	events, length := len(e.Counts), t.stream.Windows.Length
	columns := len(sales.Categorical)
	return exported{e.Items, []array{
		{"index", e.Index, []int{events, columns}},
		{"values", e.Numbers, []int{events, 1}},
		{"counts", e.Counts, []int{events}},
		{"minutes", e.Times, []int{events}},
		{"windows", e.Windows, []int{len(e.Windows) / length, length}},
	}, map[string]any{"columns": columns, "numbers": 1, "incremental": sales.Incremental, "length": length, "maxima": []float32{authorsMaxPrice}}}
}

func (t *recommending) export() exported {
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

// write writes the array into a folder and returns numpy's name of its type.
func (a array) write(folder string) (dtype string, err error) {
	switch a.values.(type) {
	case []int32:
		dtype = "int32"
	case []uint32:
		dtype = "uint32"
	case []float32:
		dtype = "float32"
	}
	var content bytes.Buffer
	if err := binary.Write(&content, binary.LittleEndian, a.values); err != nil {
		return "", errors.Wrapf(err, "encoding array %s", a.name)
	}
	return dtype, result.WriteWhole(filepath.Join(folder, a.name+".bin"), content.Bytes())
}
