package figures

import (
	"slices"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/phe/disk/filetest"
)

// Each panel holds the curves of Figure3's left panel, and also frozen PHE.
func TestFigure6EqualsFigure3(t *testing.T) {
	files := onlineFiles(50, 3)
	six := filetest.Must(Figure6(files, 4))(t)
	for i, f := range files {
		three := filetest.Must(Figure3(f, 4))(t)
		got, want := panels(six)[i].Curves, panels(three)[0].Curves
		if len(got) != len(want)+1 || got[6].Label != "PHE frozen" {
			t.Fatalf("%s: %d curves, want %d and PHE frozen", f.Name, len(got), len(want))
		}
		for k := range want {
			if !slices.Equal(got[k].Mean, want[k].Mean) || !slices.Equal(got[k].StdDev, want[k].StdDev) {
				t.Fatalf("%s, %s differs", f.Name, want[k].Label)
			}
			if hasBand := len(got[k].StdDev) > 0; hasBand != (got[k].Label == "PHE") {
				t.Errorf("%s, %s: band %v; where lines crowd, PHE alone has one", f.Name, got[k].Label, hasBand)
			}
		}
	}
	fixture.WantText(t, six.Caption, "mean over 3 seeds", "σ = 4 steps", "Adult 8,500", "Convention: the authors' program", "never updated")
}

// Runs that are not finished are left out and named. Lines that leave their panel are named too.
func TestFigure6Partial(t *testing.T) {
	files := onlineFiles(50, 3)
	phe, fast := files[0].Methods[0].Runs, files[0].Methods[5].Runs
	phe[1].Status = result.Partial
	phe[1].Accuracy[0] = 0 // never looked at
	for i := range fast {
		fast[i].Accuracy[49] = 0.1
	}
	fig := filetest.Must(Figure6(files[:1], 0))(t)
	want := 50 * (phe[0].Accuracy[0] + phe[2].Accuracy[0])
	if got := panels(fig)[0].Curves[0].Mean[0]; !near(got, want) {
		t.Errorf("PHE begins at %v, want the two finished seeds' mean %v", got, want)
	}
	fixture.WantText(t, fig.Caption, "left out: Adult PHE (1 of 3 seeds)", "mean over 2 to 3 seeds", "beyond the panel's edge: Adult (education): FastAda.")
}
