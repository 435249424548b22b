package data

import "testing"

func TestToken(t *testing.T) {
	table := Table{Categorical: []CategoricalColumn{{"sex", []string{"Male"}}, {"marital-status", []string{"", "Married-civ-spouse"}}}}
	for _, c := range []struct {
		column, row int
		want        string
	}{{0, 0, "sex_Male"}, {1, 0, "marital-status_"}, {1, 1, "marital-status_Married-civ-spouse"}} {
		if got := table.Token(c.column, c.row); got != c.want {
			t.Errorf("Token(%d, %d) = %q, want %q", c.column, c.row, got, c.want)
		}
	}
}
