package picture

import (
	"math"
	"strings"
	"testing"

	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
	"gophe/phe/disk/filetest"
)

// frontierControls are the controls of the notebook.
var frontierControls = []play.Control{play.Choice("data set", "adult", "bank"), play.Slider("log₂ of the parameters", 6.5, 12, 0.25, 8.5)}

// With 362 numbers the frontier has PHE with 7 buckets, as in Table 4, and P-EE with 1 number for each item. With a quarter of it the
// only PHE that fits has none.
func TestFrontier(t *testing.T) {
	draw := Frontier(committed(t, "adult-frontier"), committed(t, "bank-frontier"))
	at := play.NewPosition(frontierControls...)
	small := drawtest.ByText(t, draw(at), "frontier-362")
	drawtest.Has(t, small, "PHE, 346: 84.44", "84.44: PHE B=7, 346", "84.80: P-EE d=1, 196", "81.89: SlowAda B=13, 293")
	large := draw(at.With("log₂ of the parameters", 12))
	if marks := drawtest.ByText(t, large, "frontier-4096"); marks["84.56: PHE B=97, 3946"].Text == "" || marks["84.44: PHE B=7, 346"].Text != "" {
		t.Errorf("with 4096 numbers the largest PHE has 97 buckets: %v", marks)
	}
	if !strings.Contains(large.Caption, "PHE B=97 84.56 ± ") {
		t.Errorf("caption %q", large.Caption)
	}
	if bank := draw(at.With("data set", "bank").With("log₂ of the parameters", 6.5)); !strings.HasPrefix(bank.Caption, "bank with at most 91 parameters: P-EE d=1 89.66 ± ") || strings.Contains(bank.Caption, "PHE") {
		t.Errorf("caption %q", bank.Caption)
	}
}

// The best size comes first, and a method without a size that fits is left out.
func TestFitting(t *testing.T) {
	f := frontier{"a": {{"PHE", "PHE B=3", 10, 80, 1}, {"P-EE", "P-EE d=1", 20, 90, 1}, {"PHE", "PHE B=5", 30, 85, 1}, {"FastAda", "FastAda B=9", 40, 99, 1}}}
	got := f.fitting("a", 39)
	if len(got) != 2 || got[0].Name != "P-EE d=1" || got[1].Name != "PHE B=5" {
		t.Errorf("%v", got)
	}
	if low, high := f.room("a"); !(low > 92 && low < 93) || !(high > 99 && high < 100) {
		t.Errorf("the axis goes from %g to %g", low, high)
	}
}

// The ablations have a point for each size of the paper.
func TestAblations(t *testing.T) {
	folder := result.OpenFolder("../../experiments/out")
	buckets := filetest.Must(report.TableCells("buckets", folder))(t)
	hashes := filetest.Must(report.TableCells("hash-functions", folder))(t)
	marks, published := drawtest.ByText(t, Ablations(buckets, hashes), "ablations"), 0
	for text := range marks {
		if strings.HasPrefix(text, "paper, ") {
			published++
		}
	}
	if want := numbered(buckets) + numbered(hashes); published != want || want < 8 {
		t.Errorf("%d points of the paper, want %d: %v", published, want, marks)
	}
}

// numbered counts the paper's cells whose method has a number.
func numbered(cells []report.Cell) (n int) {
	for _, c := range cells {
		if strings.Contains(c.Method, "=") && !strings.Contains(c.Method, "frozen") && c.Paper != nil && c.PaperSD != nil && !math.IsNaN(*c.Paper) {
			n++
		}
	}
	return n
}
