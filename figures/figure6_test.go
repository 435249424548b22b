package figures

import (
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/phe/disk/filetest"
)

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
