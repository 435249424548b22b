package tabular_test

import (
	"math"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/models/tabular"
)

// shirts are records with two categorical columns and one number.
func shirts() []tabular.Record {
	return []tabular.Record{
		{Items: []string{"red", "small"}, Numbers: []float64{0.5}, Class: 1},
		{Items: []string{"blue", "small"}, Numbers: []float64{-1}, Class: 0},
		{Items: []string{"red", "large"}, Numbers: []float64{0.25}, Class: 2},
		{Items: []string{"blue", "red"}, Numbers: []float64{0}, Class: 1}, // the item of another column
	}
}

func shirtModel(t testing.TB) *tabular.Model {
	c := methods[0].config(1, 3)
	c.Columns = []string{"colour", "size"}
	return newModel(t, c)
}

// Records give the batch that the same table gives in columns.
func TestEncodeEqualsBatch(t *testing.T) {
	m := shirtModel(t)
	got := filetest.Must(m.Encode(shirts()))(t)
	want := newBatch(t, m, tabular.Data{
		Items:       []string{"colour_red", "colour_blue", "size_small", "size_large", "size_red"},
		ItemColumns: []int32{0, 0, 1, 1, 1},
		Index:       []int32{0, 2, 1, 2, 0, 3, 1, 4},
		Numbers:     []float32{0.5, -1, 0.25, 0},
		Labels:      []int32{1, 0, 2, 1},
	})
	filetest.Want(t, got, want, "the batch of records, and of columns")
}

// A record that does not fit is an error that names it.
func TestEncodeRefusesRecords(t *testing.T) {
	m := shirtModel(t)
	for _, damage := range map[string]func(*tabular.Record){
		"an item too few":     func(r *tabular.Record) { r.Items = r.Items[1:] },
		"an item too many":    func(r *tabular.Record) { r.Items = append(r.Items, "round") },
		"no number":           func(r *tabular.Record) { r.Numbers = nil },
		"a number too many":   func(r *tabular.Record) { r.Numbers = append(r.Numbers, 1) },
		"a class too large":   func(r *tabular.Record) { r.Class = 3 },
		"a class below -1":    func(r *tabular.Record) { r.Class = -2 },
		"not a number":        func(r *tabular.Record) { r.Numbers[0] = math.NaN() },
		"infinite":            func(r *tabular.Record) { r.Numbers[0] = math.Inf(-1) },
		"infinite in 32 bits": func(r *tabular.Record) { r.Numbers[0] = 1e39 },
	} {
		records := shirts()
		damage(&records[2])
		filetest.WantError(t, filetest.Failure(m.Encode(records)), "record 2")
	}
}

// Records of unknown class make a batch without targets. The contract says that nothing is learned from such a batch.
func TestEncodeUnknownClass(t *testing.T) {
	records := shirts()
	records[1].Class = -1
	filetest.Want(t, len(filetest.Must(shirtModel(t).Encode(records))(t).Targets), 0, "targets, where a class is not known")
}
