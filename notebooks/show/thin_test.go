package show

import (
	"fmt"
	"testing"

	"gophe/figures"
)

// Long series lose marks at equal distances; a series of one mark keeps it.
func TestThin(t *testing.T) {
	marks := []figures.Mark{{Text: "alone, 1: 2"}}
	for i := range 300 {
		marks = append(marks, figures.Mark{X: float64(i), Text: fmt.Sprintf("long, %d: 0", i)}, figures.Mark{X: float64(i), Text: fmt.Sprintf("other, %d: 0", i)})
	}
	left := thin(marks, 101)
	if len(left) != 101 || left[0].Text != "alone, 1: 2" {
		t.Fatalf("%d marks are left, the first is %v", len(left), left[0])
	}
	for i, m := range left[1:] {
		if want := float64(i / 2 * 6); m.X != want {
			t.Errorf("mark %d is at %g, want %g", i, m.X, want)
		}
	}
	if few := thin(marks[:10], 101); len(few) != 10 {
		t.Errorf("%d of 10 marks are left", len(few))
	}
}
