package figures

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
)

var update = flag.Bool("update", false, "rewrite the golden images in testdata; then look at them")

// TestGolden compares with images drawn from synthetic data (see synthetic), as the names of the goldens say. It compares
// pixels and not bytes: a compiler that fuses multiply and add may move an edge by a shade.
func TestGolden(t *testing.T) {
	demo := synthetic(120, 1)
	diverged := pick(synthetic(120, 3), 0, 3, 5)
	for i := range diverged.Methods[2].Runs {
		diverged.Methods[2].Runs[i].Status, diverged.Methods[2].Runs[i].DivergedAt = result.Diverged, 60
	}
	diverged.Methods[1].Name = "MyHash"
	for _, test := range []struct {
		name string
		file *result.File
	}{
		{"synthetic-paper", synthetic(317, 5)},
		{"synthetic-demo", pick(demo, 0, 3, 4, 5, 6, 7)},
		{"synthetic-diverged", diverged},
	} {
		fig := filetest.Must(Figure3(test.file, 5))(t)
		golden := filepath.Join("testdata", test.name+".golden.png")
		got := filetest.Must(fig.PNG(220 / 2))(t) // small, and sharp enough to see every mark
		if *update {
			filetest.Check(t, os.WriteFile(golden, got, 0o644))
		}
		if share := differing(t, got, filetest.Must(os.ReadFile(golden))(t)); share > 0.001 {
			t.Errorf("%s: %.2g of the pixels differ from the golden; if meant, run go test ./figures -update and look", test.name, share)
		}
	}
}

// differing returns the share of pixels with a channel that differs by more than 8 of 255, or 1 if the sizes differ.
func differing(t *testing.T, a, b []byte) float64 {
	t.Helper()
	x, y := decode(t, a), decode(t, b)
	if x.Bounds() != y.Bounds() {
		return 1
	}
	apart := func(p, q uint32) bool { return max(p, q)-min(p, q) > 8*257 }
	count := 0
	for v := x.Bounds().Min.Y; v < x.Bounds().Max.Y; v++ {
		for u := x.Bounds().Min.X; u < x.Bounds().Max.X; u++ {
			r, g, b, _ := x.At(u, v).RGBA()
			r2, g2, b2, _ := y.At(u, v).RGBA()
			if apart(r, r2) || apart(g, g2) || apart(b, b2) {
				count++
			}
		}
	}
	return float64(count) / float64(x.Bounds().Dx()*x.Bounds().Dy())
}

func decode(t *testing.T, content []byte) image.Image {
	t.Helper()
	return filetest.Must(png.Decode(bytes.NewReader(content)))(t)
}

// labelled joins the labels of ticks.
func labelled(ticks []plot.Tick, by string) string {
	var labels []string
	for _, mark := range ticks {
		labels = append(labels, mark.Label)
	}
	return strings.Join(labels, by)
}
