package figures

import (
	"slices"
	"testing"

	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
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
