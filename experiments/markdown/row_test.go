package markdown_test

import (
	"fmt"
	"slices"
	"testing"

	"gophe/experiments/markdown"
)

func ExampleCells() {
	fmt.Printf("%q\n", markdown.Cells(`| Ada a\|b | 9.5 |  |`))
	// Output: ["Ada a|b" "9.5" ""]
}

// A row that is written and read again has the same cells.
func TestRow(t *testing.T) {
	for _, cells := range [][]string{{"PHE", "84.46 ± 0.16<br>(84.1)"}, {"a|b", "", "|"}, {""}} {
		if got := markdown.Cells(markdown.Row(cells)); !slices.Equal(got, cells) {
			t.Errorf("%q becomes %q by %s", cells, got, markdown.Row(cells))
		}
	}
}
