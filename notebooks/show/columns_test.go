package show

import (
	"reflect"
	"testing"
)

func TestColumns(t *testing.T) {
	df := Columns("item", []string{"a", "b"}, "rows", []int{3, 4}, "share", []float64{0.5, 0.25})
	if got := df.Names(); !reflect.DeepEqual(got, []string{"item", "rows", "share"}) {
		t.Errorf("columns %v", got)
	}
	if rows, err := df.Col("rows").Int(); err != nil || rows[1] != 4 || df.Elem(1, 2).Float() != 0.25 || df.Elem(0, 0).String() != "a" {
		t.Errorf("values %v", df.Records())
	}
}
