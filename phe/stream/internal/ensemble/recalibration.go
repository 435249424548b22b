package ensemble

import (
	"gophe/phe/belief"
	"gophe/phe/stream/novelty"
)

// recalibration maps the log-odds of two classes to the frequency with which the second class came after such forecasts. Each tier of
// novelty has a curve of its own, by knots and straight lines between them. Compressors of data correct their forecasts in this way.
type recalibration struct {
	share   []float64 // [tiers, knots] frequency of the second class
	rows    []float64 // [tiers, knots]
	without Ablation
}

const (
	knots      = 25
	knotStep   = 0.5 // log-odds from one knot to the next; the middle one is at 0
	knotPace   = 1e-3
	knotFirst  = 20  // rows that the first frequency of a knot counts as
	curveShare = 0.5 // share of the frequencies in a forecast
)

func newRecalibration(without Ablation) *recalibration {
	c := &recalibration{make([]float64, novelty.Tiers*knots), make([]float64, novelty.Tiers*knots), without}
	for i := range c.share {
		c.share[i] = sigmoid(knotStep * float64(i%knots-knots/2))
	}
	return c
}

// knot returns the knot below a row's log-odds, and the way from it to the next one, from 0 to 1.
func (c *recalibration) knot(odds float64, seen int64) (at int, part float64) {
	const most = knotStep * (knots / 2) * 0.9999
	x := min(max(odds, -most), most)/knotStep + knots/2
	return novelty.Tier(seen)*knots + int(x), x - float64(int(x))
}

// Forecast goes midway, in log-odds, from the forecast to the curve.
func (c *recalibration) Forecast(r *Row) {
	if c.without.Curve {
		return
	}
	second := sigmoid(c.curved(r.odds, r.Predictions.Seen))
	r.Predictions.Main.Classes[0], r.Predictions.Main.Classes[1] = 1-second, second
}

// curved returns log-odds after the curve, given the number of times that the rarest item was learned.
func (c *recalibration) curved(odds float64, seen int64) float64 {
	at, part := c.knot(odds, seen)
	return (1-curveShare)*odds + curveShare*logit((1-part)*c.share[at]+part*c.share[at+1])
}

// Learn moves the two knots around a forecast towards the class that came.
func (c *recalibration) Learn(r *Row) {
	at, part := c.knot(r.odds, r.Predictions.Seen)
	for k, u := range [2]float64{1 - part, part} {
		rows, share, weight := &c.rows[at+k], &c.share[at+k], r.Weight*r.share
		*rows += u * weight
		*share += min(1, u*weight*max(knotPace, 1/(*rows+knotFirst))) * (r.Y - *share)
	}
}

func (c *recalibration) tables() []belief.Part {
	return []belief.Part{belief.List("curve", c.share), belief.List("curve rows", c.rows)}
}
