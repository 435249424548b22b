package tables

import (
	"slices"
	"testing"
)

func TestAdult(t *testing.T) {
	table := loadAdult(t)
	if !table.Verified || table.NumRows() != 45222 || table.Categorical[table.Incremental].Name != "education" {
		t.Errorf("verified %v, %d rows, incremental column %d", table.Verified, table.NumRows(), table.Incremental)
	}
	var names []string
	tokens := make(map[string]bool)
	for c, column := range table.Categorical {
		names = append(names, column.Name)
		for row := range column.Values {
			tokens[table.Token(c, row)] = true
		}
	}
	want := []string{"workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country"}
	if !slices.Equal(names, want) {
		t.Errorf("categorical columns %q, want %q", names, want)
	}
	if len(tokens) != 98 || !tokens["education_HS-grad"] || !tokens["workclass_Private"] {
		t.Errorf("%d distinct tokens, want 98 with education_HS-grad and workclass_Private", len(tokens))
	}
	for i, want := range []struct {
		name           string
		first, largest float64 // of row 1 and of the file, before division
	}{
		{"age", 39, 90}, {"fnlwgt", 77516, 1490400}, {"education-num", 13, 16},
		{"capital-gain", 2174, 99999}, {"capital-loss", 0, 4356}, {"hours-per-week", 40, 99},
	} {
		c := table.Numeric[i]
		if c.Name != want.name || c.Values[0] != want.first/want.largest || slices.Max(c.Values) != 1 {
			t.Errorf("column %q: first %v, largest %v", c.Name, c.Values[0], slices.Max(c.Values))
		}
	}
	rich := 0
	for _, l := range table.Labels {
		rich += int(l)
	}
	if rich != 11208 {
		t.Errorf("%d rows are >50K, want 11208", rich)
	}
}
