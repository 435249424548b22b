package stream

import (
	"math"

	"gophe/phe/belief"
)

// curve is what came of the forecasts of two classes so far. For each tier of novelty it maps log-odds to the frequency with which the
// second class came, by knots and straight lines between them. Compressors of data correct their forecasts in this way.
type curve struct {
	share []float64 // [tiers, knots] frequency of the second class
	rows  []float64 // [tiers, knots]
}

const (
	knots      = 25
	knotStep   = 0.5 // log-odds from one knot to the next; the middle one is at 0
	knotPace   = 1e-3
	knotFirst  = 20  // rows that the first frequency of a knot counts as
	curveShare = 0.5 // share of the curve in a forecast
)

func newCurve() *curve {
	c := &curve{make([]float64, noveltyTiers*knots), make([]float64, noveltyTiers*knots)}
	for i := range c.share {
		c.share[i] = sigmoid(knotStep * float64(i%knots-knots/2))
	}
	return c
}

// knot returns the knot below log-odds, and the way from it to the next one, from 0 to 1.
func (c *curve) knot(tier int, odds float64) (at int, part float64) {
	const most = knotStep * (knots / 2) * 0.9999
	x := min(max(odds, -most), most)/knotStep + knots/2
	return tier*knots + int(x), x - float64(int(x))
}

// forecast returns the probability of the second class: midway, in log-odds, between the forecast and what came of such forecasts.
func (c *curve) forecast(tier int, odds float64) float64 {
	at, part := c.knot(tier, odds)
	return sigmoid((1-curveShare)*odds + curveShare*logit((1-part)*c.share[at]+part*c.share[at+1]))
}

// learn moves the two knots around a forecast towards the class that came.
func (c *curve) learn(tier int, odds, y, weight float64) {
	at, part := c.knot(tier, odds)
	for k, u := range [2]float64{1 - part, part} {
		rows, share := &c.rows[at+k], &c.share[at+k]
		*rows += u * weight
		*share += min(1, u*weight*max(knotPace, 1/(*rows+knotFirst))) * (y - *share)
	}
}

func (c *curve) parts() []belief.Part {
	return []belief.Part{belief.List("curve", c.share), belief.List("curve rows", c.rows)}
}

func sigmoid(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

// minProbability keeps log-odds finite.
const minProbability = 1e-7

func logit(p float64) float64 {
	p = min(max(p, minProbability), 1-minProbability)
	return math.Log(p / (1 - p))
}
