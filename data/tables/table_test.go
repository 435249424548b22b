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
	if got.Incremental != 1 || got.NumRows() != table.NumRows() || got.Token(1, 0) != "poutcome_unknown" || got.SHA256 != table.SHA256 || !got.Verified {
		t.Errorf("incremental column %d of %d rows", got.Incremental, got.NumRows())
	}
	if len(table.Categorical) != 9 || len(table.Numeric) != 7 || table.Categorical[table.Incremental].Name != "poutcome" {
		t.Error("the table itself was altered")
	}
}

// A table without columns has the others in their order, and the same rows.
func TestWithout(t *testing.T) {
	table := loaded(t, "bank")
	got := filetest.Must(table.Without([]string{"age", "job"}))(t)
	if len(got.Categorical) != 8 || len(got.Numeric) != 6 || got.Categorical[got.Incremental].Name != "poutcome" || got.Categorical[0].Name != "marital" || got.Numeric[0].Name != "balance" {
		t.Errorf("%d + %d columns, incremental %d", len(got.Categorical), len(got.Numeric), got.Incremental)
	}
	got = filetest.Must(table.Without([]string{"poutcome"}))(t)
	if got.Incremental != -1 || len(got.Categorical) != 8 || got.NumRows() != table.NumRows() || table.Categorical[table.Incremental].Name != "poutcome" {
		t.Errorf("incremental %d of %d columns", got.Incremental, len(got.Categorical))
	}
	filetest.WantError(t, filetest.Failure(table.Without([]string{"poutcom"})), "no column \"poutcom\"", "choose from job")
	filetest.WantError(t, filetest.Failure(mushroomOdor(t).Without([]string{"odor"})), "no column of \"mushroom\" is left")
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
