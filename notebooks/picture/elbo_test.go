package picture

import (
	"math"
	"strings"
	"testing"

	"gophe/figures/draw"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
	"gophe/notebooks/toy"
	"gophe/phe/disk/filetest"
)

// count returns the number of marks whose texts begin with a prefix.
func count(fig *draw.Figure, prefix string) (n int) {
	for _, m := range fig.Marks(400) {
		if strings.HasPrefix(m.Text, prefix) {
			n++
		}
	}
	return n
}

// A belief at the posterior touches the evidence, and one far from it does not. The posterior of four targets of 1 with noise variance ¼
// is N(16/17, 1/17).
func TestOneRow(t *testing.T) {
	at := play.NewPosition(play.Slider("mean of q", -1, 2, 0.05, 0.2), play.Slider("σ of q", 0.05, 1.5, 0.05, 0.6),
		play.Slider("observations", 1, 20, 1, 4))
	gap := func(fig *draw.Figure) float64 {
		by := drawtest.BySeries(fig)
		return by["your q"][0].Y - by["log evidence"][0].Y // down the page is worse
	}
	far := gap(OneRow(at))
	near := gap(OneRow(at.With("mean of q", 16.0/17).With("σ of q", math.Sqrt(1.0/17))))
	filetest.True(t, far > 0.1, "a gap of %g of the picture's height", far)
	filetest.Near(t, near, 0, 1e-3, "the gap at the posterior, of the picture's height")
}

// Where an E step took place, its belief's ELBO is the evidence.
func TestTouches(t *testing.T) {
	data, prior := toy.SharedRow(6, 1, 0.5), toy.Standard(3)
	by := drawtest.BySeries(Touches(data, prior, []float64{0.9, 0.5}))
	for i, dot := range by["E steps"] {
		nearest := math.Inf(1)
		for _, m := range by["log evidence"] {
			nearest = min(nearest, math.Hypot(m.X-dot.X, m.Y-dot.Y))
		}
		filetest.True(t, nearest <= 0.02, "E step %d is %g of the page away from the evidence", i+1, nearest)
	}
	filetest.Want(t, len(by["E steps"]), 2, "E steps")
	filetest.True(t, len(by["ELBO of belief 2"]) > 0, "the second belief has no points")
}
