package figures

import (
	"slices"
	"testing"

	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

func TestFigure9Numbers(t *testing.T) {
	fig := filetest.Must(Figure9([]*result.File{twoGroups()}))(t)
	list := fig.Content.(draw.Lists)[0]
	first, second := list.Groups[0], list.Groups[1]
	if list.Title != "Bank (poutcome)" || first.Train != 20 || first.Rows != 10 || second.Train != 2000 {
		t.Errorf("got %+v", list)
	}
	if !slices.Equal(first.Items, []string{"a", "b"}) || len(second.Items) != 0 {
		t.Errorf("items %q and %q", first.Items, second.Items)
	}
}
