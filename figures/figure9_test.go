package figures

import (
	"fmt"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/phe/filetest"
)

func TestFigure9Numbers(t *testing.T) {
	fig := filetest.Must(Figure9([]*result.File{twoGroups()}))(t)
	list := fig.Content.(groupLists)[0]
	first, second := list.groups[0], list.groups[1]
	if list.title != "Bank (poutcome)" || list.most != 2000 || first.train != 20 || first.test != 10 || second.train != 2000 {
		t.Errorf("got %+v", list)
	}
	if len(first.lines) != 1 || first.lines[0] != "a, b" || len(second.lines) != 0 {
		t.Errorf("items %q and %q", first.lines, second.lines)
	}
}

// Items stay in their column, however many and long they are. Every item is shown or counted.
func TestItemLines(t *testing.T) {
	style := draw.TextStyle(draw.LabelSize, draw.Black)
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
