package figures

import (
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/phe/disk/filetest"
)

// A line that soars out of its panel is interrupted, and a triangle marks the place.
func TestSoaring(t *testing.T) {
	f := productsFile(2)
	for r := range f.Methods[5].Runs {
		for i := range f.Methods[5].Runs[r].Tests {
			if f.Methods[5].Runs[r].Tests[i].After > 0 {
				f.Methods[5].Runs[r].Tests[i].AbsoluteError *= 1e9
			}
		}
	}
	fig := filetest.Must(Figure11([]*result.File{f}))(t)
	fixture.WantText(t, fig.Caption, "Triangle at the upper edge: from here the line goes on far above the panel.")
	if _, high := panels(fig)[0].YRange(); high > 100 {
		t.Errorf("the axis goes up to %v", high)
	}
}
