package figures

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"

	"gophe/experiments/result"
	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

var update = flag.Bool("update", false, "rewrite the golden images in testdata; then look at them")

// TestGolden compares with pictures drawn from synthetic data (see synthetic), as the names of the goldens say: many seeds, a single one,
// and diverged ones.
func TestGolden(t *testing.T) {
	diverged := pick(synthetic(120, 3), 0, 3, 5)
	diverge(&diverged.Methods[2], 60)
	diverged.Methods[1].Name = "MyHash"
	for name, file := range map[string]*result.File{
		"synthetic-paper": synthetic(317, 5), "synthetic-demo": pick(synthetic(120, 1), 0, 3, 4, 5, 6, 7), "synthetic-diverged": diverged,
	} {
		golden := filepath.Join("testdata", name+".golden.svg")
		got := filetest.Must(filetest.Must(Figure3(file, 5))(t).SVG())(t)
		if *update {
			filetest.Check(t, os.WriteFile(golden, got, 0o644))
		}
		same := bytes.Equal(got, filetest.Must(os.ReadFile(golden))(t))
		filetest.True(t, same, "%s is drawn otherwise; if meant, run go test ./figures -update and look", golden)
	}
}

// labels joins the labels of a panel's curves.
func labels(p *draw.Chart) string {
	var all []string
	for _, c := range p.Curves {
		all = append(all, c.Label)
	}
	return strings.Join(all, ", ")
}

// labelsOf joins the labels of ticks.
func labelsOf(ticks []plot.Tick, by string) string {
	var labels []string
	for _, mark := range ticks {
		labels = append(labels, mark.Label)
	}
	return strings.Join(labels, by)
}

func TestGaussianFilterEqualsScipy(t *testing.T) {
	content := filetest.Must(os.ReadFile("testdata/gaussian_filter1d.json"))(t) // made by the .py beside it
	var vectors struct {
		Cases []struct {
			Sigma float64
			X, Y  []float64
		}
	}
	filetest.Check(t, json.Unmarshal(content, &vectors))
	filetest.Want(t, len(vectors.Cases), 7, "cases")
	for _, c := range vectors.Cases {
		before := slices.Clone(c.X)
		got := gaussianFilter(c.X, c.Sigma)
		// sums of at most 65 terms near 1, in another order
		filetest.True(t, floats.EqualApprox(got, c.Y, 1e-13), "σ = %v, n = %d: got %v, scipy %v", c.Sigma, len(c.X), got, c.Y)
		filetest.Want(t, c.X, before, "σ = %v: the input afterwards", c.Sigma)
	}
}
