package tables

import (
	"fmt"
	"testing"

	"gophe/data/column"
	"gophe/phe/disk/filetest"
)

func TestToken(t *testing.T) {
	table := Table{Categorical: []column.Categorical{{Name: "sex", Values: []string{"Male"}}, {Name: "marital-status", Values: []string{"", "Married-civ-spouse"}}}}
	for _, c := range []struct {
		column, row int
		want        string
	}{{0, 0, "sex_Male"}, {1, 0, "marital-status_"}, {1, 1, "marital-status_Married-civ-spouse"}} {
		filetest.WantEqual(t, table.Token(c.column, c.row), c.want, "Token(%d, %d)", c.column, c.row)
	}
}

func TestSelect(t *testing.T) {
	table := loaded(t, "bank")
	got := filetest.Must(table.Select([]string{"poutcome", "balance", "job", "age"}))(t)
	var names []string
	for _, c := range got.Categorical {
		names = append(names, c.Name)
	}
	for _, c := range got.Numeric {
		names = append(names, c.Name)
	}
	filetest.WantEqual(t, names, []string{"job", "poutcome", "age", "balance"}, "columns")
	filetest.WantEqual(t, [2]int{got.Incremental, got.NumRows()}, [2]int{1, table.NumRows()}, "incremental column and rows")
	filetest.WantEqual(t, got.Token(1, 0), "poutcome_unknown", "token")
	filetest.Want(t, got.SHA256 == table.SHA256 && got.Verified, "SHA-256 %s, verified %t", got.SHA256, got.Verified)
	filetest.WantEqual(t, sizeOf(table), "9 + 7, poutcome", "columns of the table itself")
}

// A table without columns has the others in their order, and the same rows.
func TestWithout(t *testing.T) {
	table := loaded(t, "bank")
	got := filetest.Must(table.Without([]string{"age", "job"}))(t)
	filetest.WantEqual(t, sizeOf(got), "8 + 6, poutcome", "columns")
	filetest.WantEqual(t, [2]string{got.Categorical[0].Name, got.Numeric[0].Name}, [2]string{"marital", "balance"}, "first columns")
	got = filetest.Must(table.Without([]string{"poutcome"}))(t)
	filetest.WantEqual(t, [3]int{got.Incremental, len(got.Categorical), got.NumRows()}, [3]int{-1, 8, table.NumRows()},
		"incremental column, columns of items and rows")
	filetest.WantEqual(t, sizeOf(table), "9 + 7, poutcome", "columns of the table itself")
	filetest.WantError(t, filetest.Failure(table.Without([]string{"poutcom"})), "no column \"poutcom\"", "choose from job")
	filetest.WantError(t, filetest.Failure(mushroomOdor(t).Without([]string{"odor"})), "no column of \"mushroom\" is left")
}

// sizeOf is a table's numbers of columns of items and of numbers, and the name of its incremental column.
func sizeOf(t *Table) string {
	return fmt.Sprintf("%d + %d, %s", len(t.Categorical), len(t.Numeric), t.Categorical[t.Incremental].Name)
}

func TestSelectRefuses(t *testing.T) {
	table := loaded(t, "adult")
	for _, c := range []struct {
		features []string
		want     []string
	}{
		{nil, []string{`"education"`, "add the incremental column"}},
		{[]string{"age", "sex"}, []string{`"education"`, "add the incremental column"}},
		{[]string{"education", "Sex"}, []string{`no column "Sex"`, "workclass, education, marital-status", "hours-per-week"}},
		{[]string{"education", "income"}, []string{`no column "income"`}}, // the label is no feature
		{[]string{"sex", "education", "sex"}, []string{`"sex" is named twice`}},
	} {
		t.Run(fmt.Sprint(c.features), func(t *testing.T) {
			filetest.WantError(t, filetest.Failure(table.Select(c.features)), c.want...)
		})
	}
}
