package draw

import (
	"slices"
	"testing"

	"gophe/experiments/result"
)

// The longest bar is of training or of test rows, and two short items share a line.
func TestLists(t *testing.T) {
	list := List{Groups: []result.Test{{Items: []string{"a", "b"}, Train: 20, Rows: 10}, {Train: 2000, Rows: 40}}}
	if got := list.most(); got != 2000 {
		t.Errorf("the longest bar has %d rows", got)
	}
	if got := itemLines(list.Groups[0].Items); !slices.Equal(got, []string{"a, b"}) {
		t.Errorf("items %q", got)
	}
}
