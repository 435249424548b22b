package picture

import (
	"math"
	"strings"
	"testing"

	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/toy"
)

// named returns the marks of one series, in drawing order.
func named(t *testing.T, fig *draw.Figure, series string) (marks []draw.Mark) {
	t.Helper()
	list := fig.Marks(400)
	for _, m := range list {
		if strings.HasPrefix(m.Text, series+", ") {
			marks = append(marks, m)
		}
	}
	if len(marks) == 0 {
		t.Fatalf("no mark of %q among %v", series, list)
	}
	return marks
}

// has fails a test for each text that no mark has.
func has(t testing.TB, marks map[string]draw.Mark, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, ok := marks[text]; !ok {
			t.Errorf("no mark %q in %v", text, marks)
		}
	}
}

// count returns the number of marks whose texts begin with a prefix.
func count(fig *draw.Figure, prefix string) (n int) {
	for _, m := range fig.Marks(400) {
		if strings.HasPrefix(m.Text, prefix) {
			n++
		}
	}
	return n
}

func TestDeviations(t *testing.T) {
	df := Deviations([]string{"closed form", "library"}, 2, 2.5)
	if got := df.Records()[2]; got[0] != "library" || df.Elem(1, 2).Float() != 0.5 {
		t.Errorf("rows %v", df.Records())
	}
}

func beliefControls() []play.Control {
	return []play.Control{play.Slider("mean of q", -1, 2, 0.05, 0.2), play.Slider("σ of q", 0.05, 1.5, 0.05, 0.6), play.Slider("observations", 1, 20, 1, 4)}
}

// A belief at the posterior touches the evidence, and one far from it does not. The posterior of four targets of 1 with noise variance ¼
// is N(16/17, 1/17).
func TestOneRow(t *testing.T) {
	at := play.NewPosition(beliefControls()...)
	gap := func(fig *draw.Figure) float64 {
		return named(t, fig, "your q")[0].Y - named(t, fig, "log evidence")[0].Y // down the page is worse
	}
	far := gap(OneRow(at))
	near := gap(OneRow(at.With("mean of q", 16.0/17).With("σ of q", math.Sqrt(1.0/17))))
	if !(far > 0.1 && math.Abs(near) < 1e-3) {
		t.Errorf("gaps of %g and %g of the picture's height", far, near)
	}
}

func TestClimb(t *testing.T) {
	fig := Climb([]float64{-9, -3, -2}, -2, -1)
	steps, best := named(t, fig, "the library's ELBO"), named(t, fig, "best ELBO of independent rows")
	if len(steps) != 3 || math.Abs(steps[2].Y-best[0].Y) > 1e-4 || steps[1].Y >= steps[0].Y {
		t.Errorf("steps %v, best %v", steps, best)
	}
}

func TestSecondBound(t *testing.T) {
	fig := SecondBound([]float64{0, 1}, []float64{1, 1.5}, []float64{1, 3}, []float64{1, 3})
	tight, loose := named(t, fig, "KL from the mixture (Eq. 15)"), named(t, fig, "mean KL from each component (Eq. 16)")
	if math.Abs(tight[0].Y-loose[0].Y) > 1e-4 || loose[1].Y >= tight[1].Y {
		t.Errorf("tight %v, loose %v", tight, loose)
	}
}

// Where an E step took place, its belief's ELBO is the evidence.
func TestTouches(t *testing.T) {
	data, prior := toy.SharedRow(6, 1, 0.5), toy.Standard(3)
	fig := Touches(data, prior, []float64{0.9, 0.5})
	for i, dot := range named(t, fig, "E steps") {
		nearest := math.Inf(1)
		for _, m := range named(t, fig, "log evidence") {
			nearest = min(nearest, math.Hypot(m.X-dot.X, m.Y-dot.Y))
		}
		if nearest > 0.02 {
			t.Errorf("E step %d is %g of the page away from the evidence", i+1, nearest)
		}
	}
	if len(named(t, fig, "ELBO of belief 2")) == 0 {
		t.Error("the second belief has no curve")
	}
}

func TestAveraged(t *testing.T) {
	data, prior := toy.SharedRow(6, 1, 0.5), toy.Standard(3)
	q := data.MeanField(prior)
	fig := Averaged(data, prior, q, []float64{1, 10}, []float64{data.ELBO(q, prior), -7.3})
	dots, elbo, evidence := named(t, fig, "authors' objective"), named(t, fig, "ELBO (paper, Eq. 2)"), named(t, fig, "log evidence")
	if math.Abs(dots[0].Y-elbo[0].Y) > 1e-4 || dots[1].Y >= dots[0].Y || evidence[0].Y >= dots[1].Y {
		t.Errorf("dots %v, ELBO %v, evidence %v", dots, elbo, evidence)
	}
}
