// Package evaluation scores the forecasts of a model along its stream.
package evaluation

import (
	"cmp"
	"math"
	"slices"

	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/novelty"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
)

// Evaluation scores forecasts along the stream. It learns how wide intervals must be.
type Evaluation struct {
	Scores
	target     schema.Target
	plain      int       // place of the expert without interactions; 0 unless another one has them
	Weights    []float64 // of the classes, which shift the forecasts that people see; nil without them
	Unlabelled int64     // rows of the stream without a target
}

// Scores are the part of an evaluation that a file has.
type Scores struct {
	Intervals Intervals     `json:"intervals"`
	Alarms    int           `json:"alarms"` // that were told
	Boards    *score.Boards `json:"boards"`
	Keeps     bool          `json:"keeps,omitempty"` // a number that waits keeps the width of its interval
}

// New returns an evaluation of the models of a design that has scored nothing.
func New(t schema.Target, d ensemble.Design) *Evaluation {
	e := &Evaluation{target: t, Scores: Scores{Keeps: t.Kind == schema.Amount}}
	if len(d.Experts) > 1 && !d.Experts[0].Plain() {
		e.plain = 1
	}
	const least, most = 1e-9, 1e9
	for i := 0; len(t.Weights) > 0 && i < len(t.Classes); i++ {
		e.Weights = append(e.Weights, max(least, min(most, cmp.Or(t.Weights[t.Classes[i]], 1))))
	}
	e.begin()
	return e
}

// shown returns a forecast as people see it: a class of weight 10 as if it came ten times as often.
func (e *Evaluation) shown(p *ensemble.Prediction) *ensemble.Prediction {
	if e.Weights == nil {
		return p
	}
	shown, sum := *p, 0.0
	shown.Classes = slices.Clone(p.Classes)
	for k, w := range e.Weights {
		shown.Classes[k] *= w
		sum += shown.Classes[k]
	}
	for k := range shown.Classes {
		shown.Classes[k] /= sum
	}
	return &shown
}

func (e *Evaluation) begin() {
	e.Scores = Scores{newIntervals(), e.Alarms, score.NewBoards(len(e.target.Classes)), e.Keeps}
}

// Told returns the main prediction in the form that people read: the classes' probabilities, a value and the ends of its interval.
func (e *Evaluation) Told(p *ensemble.Predictions) (classes []float64, value, low, high float64) {
	m := e.shown(&p.Main)
	switch e.target.Kind {
	case schema.Classes:
		return m.Classes, float64(score.Likeliest(m.Classes)), 0, 0
	case schema.Amount:
		half := e.Width(p) * math.Sqrt(m.Variance)
		return nil, m.Mean, m.Mean - half, m.Mean + half
	}
	return nil, m.Median, m.Low, m.High
}

// Width returns half the width of a number's interval, in deviations. The interval of a forecast that waited stays as it was told.
func (e *Evaluation) Width(p *ensemble.Predictions) float64 {
	return cmp.Or(p.Width, e.Intervals.width(p.Seen))
}

// Add scores the forecasts of a record whose target is now known. The intervals learn from the scores.
func (e *Evaluation) Add(p *ensemble.Predictions, y, weight float64) {
	if p.Restart {
		e.begin()
		return
	}
	b, kind, main := e.Boards, e.target.Kind, e.shown(&p.Main)
	if e.Weights != nil {
		weight *= e.Weights[int(y)]
	}
	o := scoreOf(kind, main, e.Width(p), y)
	b.Main.Add(o, p.Seen, weight)
	b.Main.Blocks.Count(novelty.Tier(p.Seen))
	b.BaseRate.Add(scoreOf(kind, e.shown(&p.BaseRate), normalQuantile, y), p.Seen, weight)
	if e.plain > 0 {
		add(&b.Plain, scoreOf(kind, e.shown(&p.Experts[e.plain]), normalQuantile, y), p.Seen, weight)
	}
	last := score.OfNumber(p.Last, p.Last, p.Last, y)
	last.Brier = (1 - last.Covered) * float64(min(len(e.target.Classes)-1, 2))
	add(&b.Last, last, p.Seen, weight)
	if p.Exact != nil {
		add(&b.Exact, scoreOf(kind, e.shown(p.Exact), normalQuantile, y), p.Seen, weight)
	}
	addShape(b, kind, main, o, y, weight)
	if kind == schema.Amount {
		if p.Width > 0 { // the forecast waited, and may have another width today
			o = scoreOf(kind, main, e.Intervals.width(p.Seen), y)
		}
		e.Intervals.learn(p.Seen, o.Covered > 0)
	}
}

func add(b **score.Board, o score.Outcome, seen int64, weight float64) {
	if *b == nil {
		*b = &score.Board{}
	}
	(*b).Add(o, seen, weight)
}

// addShape updates the scores that only the learner itself has: the classes, the ROC curve and the calibration.
func addShape(b *score.Boards, kind schema.TargetKind, p *ensemble.Prediction, o score.Outcome, y, weight float64) {
	switch kind {
	case schema.Classes:
		b.AddClasses(p.Classes, int(y), o.LogLoss, weight)
	case schema.Amount:
		q := 0.5 * math.Erfc(-(y-p.Mean)/math.Sqrt(2*p.Variance))
		b.Calibration.AddTransform(q, q, weight)
	case schema.Count:
		if p.Count == nil {
			return
		}
		b.Calibration.AddTransform(p.Count.CDF(int(y)-1), p.Count.CDF(int(y)), weight)
	}
}

// scoreOf scores a forecast. The interval of a number reaches factor standard deviations to each side of the mean.
func scoreOf(kind schema.TargetKind, p *ensemble.Prediction, factor, y float64) score.Outcome {
	switch kind {
	case schema.Amount:
		half := factor * math.Sqrt(p.Variance)
		return score.OfNumber(p.Mean, p.Mean-half, p.Mean+half, y)
	case schema.Count:
		logProbability := p.Log // of a forecast that waited
		if p.Count != nil {
			logProbability = p.Count.LogProbability(int(y))
		} else if p.Log == 0 {
			logProbability = math.NaN()
		}
		return score.OfCount(logProbability, p.Median, p.Low, p.High, y)
	}
	return score.OfClasses(p.Classes, int(y))
}

// Intervals learns the width of 90 % intervals, in standard deviations, for each tier of novelty. A miss widens the interval, and a hit
// narrows it. In the long run it then holds nine in ten numbers for any distribution of the errors (Gibbs and Candès, 2021).
type Intervals struct {
	Factor [novelty.Tiers]float64 `json:"factor"`
	Rows   [novelty.Tiers]int64   `json:"rows"`
}

func newIntervals() (v Intervals) {
	for i := range v.Factor {
		v.Factor[i] = normalQuantile
	}
	return v
}

func (v *Intervals) width(seen int64) float64 { return v.Factor[novelty.Tier(seen)] }

func (v *Intervals) learn(seen int64, held bool) {
	const (
		first, last      = 0.05, 0.005 // steps, in units of the factor
		settled          = 100         // rows of the first steps
		smallest, widest = 0.2, 20.
	)
	tier := novelty.Tier(seen)
	v.Rows[tier]++
	step := max(last, first/math.Sqrt(1+float64(v.Rows[tier])/settled))
	missed := 1.0
	if held {
		missed = 0
	}
	v.Factor[tier] = min(max(v.Factor[tier]*(1+step*(missed-(1-(ensemble.HighQuantile-ensemble.LowQuantile)))), smallest), widest)
}

// normalQuantile is the end of a 90 % interval of N(0, 1).
const normalQuantile = 1.6448536269514722

// Fit reports whether scores from a file are for a number of classes.
func (s *Scores) Fit(classes int) bool {
	return s.Boards.Fit(classes) && ensemble.Positive(s.Intervals.Factor[:]...)
}
