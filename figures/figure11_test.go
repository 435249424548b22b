package figures

import (
	"slices"
	"testing"

	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/phe/filetest"
)

func TestFigure11Averages(t *testing.T) {
	fig := filetest.Must(Figure11([]*result.File{twoGroups()}))(t)
	curves := panels(fig)[0].Curves
	// PHE: after one group 80 and 80; after two (70+90)/2 and (60+90)/2. Frozen: 80, 90; (80+30)/2, (90+50)/2.
	for i, want := range [][]float64{{80, 77.5}, {85, 62.5}} {
		if c := curves[i]; len(c.Mean) != 2 || !near(c.Mean[0], want[0]) || !near(c.Mean[1], want[1]) {
			t.Errorf("%s: %v, want %v", c.Label, c.Mean, want)
		}
		if !slices.Equal(curves[i].X, []float64{1, 2}) {
			t.Errorf("at %v, want 1 and 2 groups", curves[i].X)
		}
	}
}

// Five panels leave a place for the legend; four have it above.
func TestLegendFillsHole(t *testing.T) {
	files := append(groupFiles(1), productsFile(1))
	for n, hole := range map[int]bool{4: false, 5: true} {
		fig := filetest.Must(Figure11(files[:n]))(t)
		g := fig.Content.(*draw.Grid)
		isEmpty := g.Rows[len(g.Rows)-1][1] == nil
		if isEmpty != hole || len(g.Legend) == 0 {
			t.Errorf("%d panels: hole %v, legend of %d names", n, isEmpty, len(g.Legend))
		}
		if _, err := fig.SVG(); err != nil {
			t.Error(err)
		}
	}
}
