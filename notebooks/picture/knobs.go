package picture

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"

	"gophe/figures"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
	"gophe/notebooks/toy"
	"gophe/phe/onepass"
)

// Knobs returns the picture of the accuracy along a stream of two classes under the reader's σ, η and γ, which are the controls. Next to it
// are the default setting and the rule that forecasts each item's majority. Knobs also returns a function for the accuracy in percent.
func Knobs(s toy.Hashed, c onepass.Config, rule []float64) (
	picture func(at play.Position) *draw.Figure, score func(sigma, eta, gamma float64) float64) {
	usual := withKnobs(s, c, 1, 1, 1)
	percent := func(accuracy []float64) float64 { return 100 * stat.Mean(accuracy, nil) }
	picture = func(at play.Position) *draw.Figure {
		own := withKnobs(s, c, at.Number("σ"), at.Number("η"), at.Number("γ"))
		chart := draw.New("Chunk", "Accuracy (%)").Size(15*vg.Centimeter, 7*vg.Centimeter).
			Line("each item's majority", nil, smoothPercent(rule), draw.Faint()).
			Line("yours", nil, smoothPercent(own), draw.Method("One pass")).
			Line("default", nil, smoothPercent(usual), draw.Method("P-EE"), draw.Dashed(), draw.Thin())
		for _, change := range s.Changes {
			chart.At(float64(change.Step), "swap")
		}
		return chart.Figure(fmt.Sprintf("Right along the stream: yours %s %%, default %s %%, each item's majority so far %s %%.",
			draw.Number(percent(own)), draw.Number(percent(usual)), draw.Number(percent(rule))))
	}
	return picture, func(sigma, eta, gamma float64) float64 { return percent(withKnobs(s, c, sigma, eta, gamma)) }
}

// withKnobs takes a new learner with the three numbers along the stream. It returns the share of each step's rows that it forecast right
// before it learned them.
func withKnobs(s toy.Hashed, c onepass.Config, sigma, eta, gamma float64) (accuracy []float64) {
	c.Prior.E, c.Prior.W, c.Prior.Theta = sigma*sigma, sigma*sigma, sigma*sigma
	c.Tempering, c.Gamma = eta, gamma
	learner := show.Must(onepass.New(c))
	s.Learn(learner, s.Initial)
	for _, step := range s.Steps {
		accuracy = append(accuracy, s.Right(learner, step))
		s.Learn(learner, step)
	}
	return accuracy
}

// smoothPercent returns accuracies in percent, smoothed over 2.5 steps.
func smoothPercent(accuracy []float64) []float64 {
	out := show.Must(figures.GaussianFilter(accuracy, 2.5))
	floats.Scale(100, out)
	return out
}
