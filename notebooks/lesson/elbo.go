package lesson

import (
	"fmt"
	"slices"

	"github.com/go-gota/gota/dataframe"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/vg"

	"gophe/figures/draw"
	"gophe/notebooks/cell"
)

// Deviations returns a table of one quantity, computed in several ways: each value, and its difference from the first.
func Deviations(names []string, values ...float64) dataframe.DataFrame {
	table := cell.NewRows("computed by", "value", "deviation")
	for i, name := range names {
		table.Add(name, values[i], values[i]-values[0])
	}
	return table.Frame()
}

// oneRowNoise is the deviation of the noise in OneRow.
const oneRowNoise = 0.5

// OneRow draws a belief about a single row with the prior and the posterior (left), and the ELBO of all beliefs of its width (right). The
// controls are "mean of q", "σ of q" and "observations".
func OneRow(at cell.Position) *draw.Figure {
	mean, stdDev, data := at.Number("mean of q"), at.Number("σ of q"), Conjugate{NoiseStdDev: oneRowNoise}
	for range at.Count("observations") { // of an item with one row of its own, all of target 1
		data.X, data.Y = append(data.X, []float64{1}), append(data.Y, 1)
	}
	prior := Standard(1)
	posterior, evidence := data.Posterior(prior), data.Evidence(prior)
	elbo := func(mean float64) float64 {
		return data.ELBO(Independent([]float64{mean}, []float64{stdDev}), prior)
	}
	density := func(q *distmv.Normal) func(float64) float64 {
		mean, stdDev := Output(q, []float64{1})
		return distuv.Normal{Mu: mean, Sigma: stdDev}.Prob
	}
	const low, high = -1.5, 2.5
	across := floats.Span(make([]float64, 80), low, high)
	own := Independent([]float64{mean}, []float64{stdDev})
	left := draw.New("Row of E", "Density").Title("Beliefs").
		Line("prior", across, mapped(across, density(prior)), draw.Faint()).
		Line("posterior", across, mapped(across, density(posterior)), draw.Method("P-EE"), draw.Dashed()).
		Line("belief q", across, mapped(across, density(own)), draw.Method("PHE")).Size(8*vg.Centimeter, 7*vg.Centimeter)
	right := draw.New("Mean of q", "Nats").Title("Gap to the evidence: "+draw.Number(evidence-elbo(mean))+" nats").
		Level("log evidence", evidence, low, high, draw.Method("P-EE"), draw.Dashed()).
		Line("ELBO with this σ", across, mapped(across, elbo), draw.Method("PHE")).
		Dots("your q", []float64{mean}, []float64{elbo(mean)}, draw.Method("PHE")).
		Y(min(evidence-8, elbo(mean)-1), evidence+1).Size(8*vg.Centimeter, 7*vg.Centimeter)
	return draw.Row(fmt.Sprintf("One row, prior N(0, 1), %d targets of 1 with noise σ = %g.", len(data.X), oneRowNoise), left, right)
}

// Climb draws the ELBO along the steps of an optimiser, below its ceilings: the best ELBO of independent rows, and the evidence.
func Climb(elbo []float64, best, evidence float64) *draw.Figure {
	end := float64(len(elbo) - 1)
	return draw.New("Steps of Adam", "Nats").
		Level("log evidence", evidence, 0, end, draw.Method("P-EE"), draw.Dashed()).
		Level("best ELBO of independent rows", best, 0, end, draw.Faint(), draw.Dashed()).
		Line("the library's ELBO", nil, elbo, draw.Method("PHE")).
		Y(evidence-12, evidence+1).
		Figure("What stays between the two dashed lines is the price of independent rows.")
}

// SecondBound draws the two sides of Eq. 17 against the spread of the belief about z_{i−1}.
func SecondBound(spread, tight, loose, drawn []float64) *draw.Figure {
	return draw.New("σ of the belief about the last state", "KL (nats)").
		Line("KL from the mixture (Eq. 15)", spread, tight, draw.Method("P-EE")).
		Line("mean KL from each component (Eq. 16)", spread, loose, draw.Method("PHE")).
		Dots("the same by samples", spread, drawn, draw.Method("PHE")).Y(0, 1.05*slices.Max(loose)).
		Figure("The distance between the lines is what the second bound gives away.")
}

// Touches draws the log evidence as a function of the noise's deviation, and the ELBO of each E step's belief, which touches the
// evidence where the E step took place.
func Touches(data Conjugate, prior *distmv.Normal, path []float64) *draw.Figure {
	const low, high = 0.2, 1.6
	under := func(stdDev float64) Conjugate { data.NoiseStdDev = stdDev; return data }
	across := floats.Span(make([]float64, 80), low, high)
	c := draw.New("Noise σ that the model assumes", "Nats").
		Line("log evidence", across, mapped(across, func(s float64) float64 { return under(s).Evidence(prior) }), draw.Method("P-EE"))
	var at, value []float64
	for step, stdDev := range path {
		q := under(stdDev).Posterior(prior)
		if step < 3 {
			bound := mapped(across, func(s float64) float64 { return under(s).ELBO(q, prior) })
			c.Line(fmt.Sprint("ELBO of belief ", step+1), across, bound, draw.Colour(step), draw.Dashed())
		}
		at, value = append(at, stdDev), append(value, under(stdDev).ELBO(q, prior))
	}
	best := value[len(value)-1]
	return c.Dots("E steps", at, value, draw.Method("P-EE")).Y(best-8, best+1).
		Figure("Each belief is the posterior at one dot. Elsewhere its ELBO lies below the evidence. " +
			"The σ of its maximum is the next dot's.")
}

// Averaged draws an objective with the logarithm of averaged likelihoods against the number of samples, with the ELBO and the evidence of
// the same belief.
func Averaged(data Conjugate, prior, q *distmv.Normal, samples, values []float64) *draw.Figure {
	first, last := samples[0], samples[len(samples)-1]
	return draw.New("Samples S of a step", "Nats").LogX().
		Level("log evidence", data.Evidence(prior), first, last, draw.Method("P-EE"), draw.Dashed()).
		Level("limit of the authors' objective", data.Predictive(q)-KL(q, prior), first, last, draw.Faint(), draw.Dashed()).
		Level("ELBO (paper, Eq. 2)", data.ELBO(q, prior), first, last, draw.Method("PHE")).
		Dots("authors' objective", samples, values, draw.Method("MediumAda")).
		Figure("All at the best belief of independent rows.")
}
