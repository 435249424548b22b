package show

import (
	"slices"
	"testing"
)

func TestRows(t *testing.T) {
	df := Rows([][]any{{"a", 3, 0.5}, {"b", 4, 2.0}}, "item", "rows", "share")
	if !slices.Equal(df.Names(), []string{"item", "rows", "share"}) || df.Nrow() != 2 {
		t.Fatalf("the table is %v", df)
	}
	if rows, err := df.Col("rows").Int(); err != nil || rows[1] != 4 || df.Elem(1, 2).Float() != 2 || df.Elem(0, 0).String() != "a" {
		t.Errorf("values %v", df.Records())
	}
	if types := df.Types(); types[0] != "string" || types[1] != "int" || types[2] != "float" {
		t.Errorf("types %v", types)
	}
}
