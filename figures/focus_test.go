package figures

import (
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
)

// One pass joins the panel of its stream. It and PHE are heavy and have bands, and the other lines do not.
func TestPaysFocus(t *testing.T) {
	pairs := onePassFiles(20, 2)
	fig := filetest.Must(Pays([]*result.File{pairs[1], pairs[0]}, "P-EE replay", 1))(t)
	if len(panels(fig)) != 1 {
		t.Fatalf("%d panels, want the two results in one", len(panels(fig)))
	}
	found := 0
	for _, c := range panels(fig)[0].Curves {
		heavy := c.Label == "PHE" || c.Label == "One pass"
		if heavy {
			found++
		}
		if heavy != (c.Style.Width > 1.5) || heavy != (len(c.StdDev) > 0) {
			t.Errorf("%s is %v wide and has %d deviations", c.Label, c.Style.Width, len(c.StdDev))
		}
	}
	if found != 2 || !strings.Contains(fig.Caption, "Heavy lines with a band: One pass and PHE;") {
		t.Errorf("%d heavy lines, caption %q", found, fig.Caption)
	}
	pairs[1].Stream.Steps++
	filetest.WantError(t, filetest.Failure(Pays(pairs[:2], "P-EE replay", 1)), "are of different streams")
}

// A result of one pass without its published result stays a result of its own.
func TestWithOnePassAlone(t *testing.T) {
	kept := withOnePass(readSources(onePassFiles(4, 1)[1:2], 0))
	if len(kept) != 1 || kept[0].find(onePassName, false) == nil {
		t.Errorf("%d results", len(kept))
	}
}

// Bands stay where no method is in focus, however many lines cross.
func TestCrowdWithoutFocus(t *testing.T) {
	f := synthetic(20, 3)
	for i := range f.Methods {
		f.Methods[i].Name = "Mine " + f.Methods[i].Name
	}
	fig := filetest.Must(Figure3(f, 2))(t)
	for _, c := range panels(fig)[0].Curves {
		if len(c.StdDev) != 20 || c.Style.Width != panels(fig)[0].Curves[0].Style.Width {
			t.Errorf("%s has %d deviations", c.Label, len(c.StdDev))
		}
	}
	if strings.Contains(fig.Caption, "Heavy") {
		t.Errorf("caption %q", fig.Caption)
	}
}
