package picture

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"

	"gophe/figures"
	"gophe/figures/draw"
	"gophe/notebooks/play"
	"gophe/notebooks/show"
	"gophe/notebooks/toy"
	"gophe/phe/onepass"
)

// knobs is a small stream that one pass learns anew whenever the reader moves σ, η or γ. One item of its only column is watched.
type knobs struct {
	stream  toy.Hashed
	config  onepass.Config
	item    string
	watched int32 // a row with the item
	usual   path
	rule    []float64 // accuracy of each item's majority along the stream
}

// path is what one learner does along the stream.
type path struct {
	accuracy     []float64 // share of each step's rows
	logit, sigma []float64 // belief about the watched item before each step
	logLoss      float64   // mean over the rows
}

// Knobs returns the picture of a stream of two classes under the reader's σ, η and γ, which are the controls. The left panel has the
// accuracy, next to the default setting and to the rule that forecasts each item's majority. The right panel has the belief about one
// item. Knobs also returns a function for the accuracy along the stream in percent, and the mean log-loss.
func Knobs(s toy.Hashed, c onepass.Config, item string, rule []float64) (
	picture func(at play.Position) *draw.Figure, score func(sigma, eta, gamma float64) (accuracy, logLoss float64)) {
	k := newKnobs(s, c, item, rule)
	return k.draw, k.score
}

// newKnobs learns the stream in the default setting, which stays in the picture.
func newKnobs(s toy.Hashed, c onepass.Config, item string, rule []float64) *knobs {
	k := &knobs{stream: s, config: c, item: item, rule: rule, watched: int32(slices.Index(s.Table.Categorical[0].Values, item))}
	if k.watched < 0 {
		show.Check(fmt.Errorf("no row has the item %q", item))
	}
	k.usual = k.along(c)
	return k
}

// along takes a new learner along the stream: it predicts each step, and then learns its rows.
func (k *knobs) along(c onepass.Config) path {
	learner, s := show.Must(onepass.New(c)), k.stream
	s.Learn(learner, s.Initial)
	var p path
	rows := 0
	for _, step := range s.Steps {
		belief := learner.Predict(&s.Rows[k.watched])
		p.logit, p.sigma = append(p.logit, belief.Logit), append(p.sigma, belief.Spread)
		right := 0.0
		for _, r := range step {
			mean := learner.Predict(&s.Rows[r]).Mean
			if (mean > 0.5) == (s.Labels[r] == 1) {
				right++
			}
			p.logLoss -= math.Log(max(1-math.Abs(s.Labels[r]-mean), 1e-16)) // a forecast of 1 may round to it
			rows++
		}
		p.accuracy = append(p.accuracy, right/float64(len(step)))
		s.Learn(learner, step)
	}
	p.logLoss /= float64(rows)
	return p
}

// set returns the configuration with the three numbers.
func (k *knobs) set(sigma, eta, gamma float64) onepass.Config {
	c := k.config
	c.Prior.E, c.Prior.W, c.Prior.Theta = sigma*sigma, sigma*sigma, sigma*sigma
	c.Tempering, c.Gamma = eta, gamma
	return c
}

func (k *knobs) score(sigma, eta, gamma float64) (accuracy, logLoss float64) {
	own := k.along(k.set(sigma, eta, gamma))
	return 100 * stat.Mean(own.accuracy, nil), own.logLoss
}

func (k *knobs) draw(at play.Position) *draw.Figure {
	own := k.along(k.set(at.Number("σ"), at.Number("η"), at.Number("γ")))
	percent := func(accuracy []float64) string { return draw.Number(100*stat.Mean(accuracy, nil)) + " %" }
	left := draw.New("Chunk", "Accuracy (%)").Size(8.7*vg.Centimeter, 7*vg.Centimeter).
		Line("each item's majority", nil, k.smooth(k.rule), draw.Faint()).
		Line("yours", nil, k.smooth(own.accuracy), draw.Method("One pass")).
		Line("default", nil, k.smooth(k.usual.accuracy), draw.Method("P-EE"), draw.Dashed(), draw.Thin())
	right := draw.New("Chunk", fmt.Sprintf("P(%s | %s)", k.stream.Table.Classes[1], k.item)).Size(8.7*vg.Centimeter, 7*vg.Centimeter).Y(0, 1)
	drawBelief(right, "yours", own, draw.Method("One pass"))
	drawBelief(right, "default", k.usual, draw.Method("P-EE"), draw.Dashed(), draw.Thin())
	for _, change := range k.stream.Changes {
		left.At(float64(change.Step), "swap")
		right.At(float64(change.Step), "swap")
	}
	return draw.Row(fmt.Sprintf("Right along the stream: yours %s, default %s, each item's majority so far %s. Log-loss: yours %s, default %s. Bands: one "+
		"standard deviation of the logit.", percent(own.accuracy), percent(k.usual.accuracy), percent(k.rule), draw.Number(own.logLoss),
		draw.Number(k.usual.logLoss)), left, right)
}

// drawBelief draws the logistic function of a logit and of its interval of ±1 standard deviation.
func drawBelief(c *draw.Chart, name string, p path, options ...draw.Option) {
	logistic := func(eta float64) float64 { return 1 / (1 + math.Exp(-eta)) }
	middle, low, high := make([]float64, len(p.logit)), make([]float64, len(p.logit)), make([]float64, len(p.logit))
	for i, mean := range p.logit {
		middle[i], low[i], high[i] = logistic(mean), logistic(mean-p.sigma[i]), logistic(mean+p.sigma[i])
	}
	c.Band("", nil, low, high, options...).Line(name, nil, middle, options...)
}

// alongSmoothing is the standard deviation of the smoothing in chunks.
const alongSmoothing = 2.5

// smooth returns smoothed accuracies in percent.
func (k *knobs) smooth(accuracy []float64) []float64 {
	out := show.Must(figures.GaussianFilter(accuracy, alongSmoothing))
	for i := range out {
		out[i] *= 100
	}
	return out
}
