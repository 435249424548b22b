package picture

import (
	"testing"

	"gophe/data/files"
	"gophe/data/tables"
	"gophe/phe/filetest"
)

func TestColumnItems(t *testing.T) {
	adult := filetest.Must(tables.Load("adult", files.Options{}))(t)
	df := ColumnItems(adult)
	if df.Error() != nil || df.Nrow() != len(adult.Categorical) {
		t.Fatalf("the table is %v", df)
	}
	for row := range df.Nrow() {
		if df.Elem(row, 0).String() == "education" && (df.Elem(row, 1).String() != "16" || df.Elem(row, 2).String() != "HS-grad") {
			t.Errorf("education is said to have %v items, most of them %v", df.Elem(row, 1), df.Elem(row, 2))
		}
	}
}
