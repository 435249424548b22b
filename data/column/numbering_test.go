package column

import (
	"slices"
	"testing"
)

func TestRenumber(t *testing.T) {
	for _, small := range []int{0, 3, 100} { // IDs on both sides of the array's end have the same numbers
		column := []int32{5, 2, 5, 90, 0, 2}
		ids := NewNumbering(small).Renumber(column)
		if !slices.Equal(column, []int32{0, 1, 0, 2, 3, 1}) || !slices.Equal(ids, []int32{5, 2, 90, 0}) {
			t.Errorf("array of %d: numbers %v of IDs %v", small, column, ids)
		}
	}
}

func TestNumberValues(t *testing.T) {
	numbers, distinct := Number([]string{"b", "a", "b", ""})
	if !slices.Equal(numbers, []int32{0, 1, 0, 2}) || !slices.Equal(distinct, []string{"b", "a", ""}) {
		t.Errorf("numbers %v of values %q", numbers, distinct)
	}
}
