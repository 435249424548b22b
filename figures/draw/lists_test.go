package draw

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Items stay in their column, however many and long they are. Every item is shown or counted.
func TestItemLines(t *testing.T) {
	style := textStyle(labelSize, black)
	for _, length := range []int{1, 7, 60, 300} {
		for _, count := range []int{1, 2, 9, 40, 4000} {
			items := make([]string, count)
			for i := range items {
				items[i] = strings.Repeat("m", length)
			}
			lines := itemLines(items)
			if len(lines) > mostLines {
				t.Errorf("%d items of %d letters: %d lines", count, length, len(lines))
			}
			for _, line := range lines {
				if style.Width(line) > itemsColumn {
					t.Errorf("%d items of %d letters: %q is too wide", count, length, line)
				}
			}
			shown, more := strings.Count(strings.Join(lines, " "), "m"), 0
			if at := strings.LastIndex(lines[len(lines)-1], " and "); at >= 0 {
				if _, err := fmt.Sscanf(lines[len(lines)-1][at:], " and %d more", &more); err != nil {
					t.Fatal(err)
				}
				shown -= 1 // the m of more
			}
			if length == 1 && shown+more != count {
				t.Errorf("%d items: %d shown and %d more", count, shown, more)
			}
		}
	}
}

// The longest bar is of training or of test rows, and two short items share a line.
func TestLists(t *testing.T) {
	list := List{Groups: []ListGroup{{Items: []string{"a", "b"}, Train: 20, Test: 10}, {Train: 2000, Test: 40}}}
	if got := list.most(); got != 2000 {
		t.Errorf("the longest bar has %d rows", got)
	}
	if got := itemLines(list.Groups[0].Items); !slices.Equal(got, []string{"a, b"}) {
		t.Errorf("items %q", got)
	}
}
