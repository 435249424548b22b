package tabular_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
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
	if !reflect.DeepEqual(got, want) {
		t.Errorf("records give %+v, and columns %+v", got, want)
	}
}

// A learner reads the toy data from records as it does from columns, with numeric columns and without. The order of the items
// differs, and must not matter.
func TestEncodeToyData(t *testing.T) {
	for _, numbers := range []int{0, 2} {
		c := methods[0].config(numbers, 2)
		m, d := newModel(t, c), toyData(numbers, 2)
		columns, records := newBatch(t, m, d), make([]tabular.Record, toyRows)
		for i := range records {
			r := tabular.Record{Class: int(d.Labels[i])}
			for column, name := range toyNames {
				r.Items = append(r.Items, strings.TrimPrefix(d.Items[d.Index[i*toyColumns+column]], name+"_"))
			}
			for _, x := range d.Numbers[i*numbers : (i+1)*numbers] {
				r.Numbers = append(r.Numbers, float64(x))
			}
			records[i] = r
		}
		encoded := filetest.Must(m.Encode(records))(t)
		if slices.Equal(encoded.Items, columns.Items) || !slices.Equal(slices.Sorted(slices.Values(encoded.Items)), slices.Sorted(slices.Values(columns.Items))) {
			t.Errorf("records have the items %q, and columns %q", encoded.Items, columns.Items)
		}
		l := newLearner(t, c, learn.Options{})
		a := filetest.Must(l.Predict(encoded))(t)
		b := filetest.Must(l.Predict(columns))(t)
		if !slices.Equal(a.Values, b.Values) {
			t.Errorf("%d numeric columns: records predict otherwise than columns", numbers)
		}
	}
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
		_, err := m.Encode(records)
		filetest.WantError(t, err, "record 2")
	}
}

// Records of unknown class are predicted as others are, and cannot be learned from.
func TestEncodeUnknownClass(t *testing.T) {
	m := shirtModel(t)
	known := filetest.Must(m.Encode(shirts()))(t)
	records := shirts()
	records[1].Class = -1
	unknown := filetest.Must(m.Encode(records))(t)
	if len(unknown.Targets) != 0 {
		t.Errorf("targets are %v where a class is not known", unknown.Targets)
	}
	l := newLearner(t, m.Config, learn.Options{})
	a := filetest.Must(l.Predict(known))(t)
	b := filetest.Must(l.Predict(unknown))(t)
	if len(b.Values) != len(records)*m.Classes || !slices.Equal(a.Values, b.Values) {
		t.Errorf("records predict %v, and %v where a class is not known", a.Values, b.Values)
	}
	if l.Update(unknown, 1) == nil || l.Fit(unknown, 1) == nil {
		t.Error("a class that is not known was learned")
	}
}
