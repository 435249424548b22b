package stream

import (
	"math"
	"slices"

	"gophe/phe/stream/internal/drift"
	"gophe/phe/stream/schema"
)

// evaluation scores the forecasts of a model along the stream. It learns from the scores how wide the intervals of numbers are, and when
// the model has become worse.
type evaluation struct {
	scores
	target     schema.Target
	plain      int       // the expert without interactions beside one with them; 0 if there is none
	weights    []float64 // of the classes, which shift the forecasts that people see; nil without them
	unlabelled int64     // rows of the stream without a target
}

// scores are the part of an evaluation that a file has.
type scores struct {
	Intervals intervals    `json:"intervals"`
	Alarm     *drift.Alarm `json:"alarm"`
	Boards    *boards      `json:"boards"`
}

// boards are the scores of a learner and of the models that it is compared with.
type boards struct {
	Main        board       `json:"main"`
	Plain       *board      `json:"plain,omitempty"`
	Exact       *board      `json:"exact,omitempty"`
	BaseRate    board       `json:"usual"`
	Confusion   *confusion  `json:"confusion,omitempty"`
	Curve       *roc        `json:"curve,omitempty"`
	Calibration Calibration `json:"calibration"`
}

func newEvaluation(t schema.Target, d design) *evaluation {
	e := &evaluation{target: t}
	if len(d.Experts) > 1 && !d.Experts[0].plain() {
		e.plain = 1
	}
	for _, class := range t.Classes {
		if d.Course && len(t.Weights) > 0 {
			const least, most = 1e-9, 1e9
			w, ok := t.Weights[class]
			if !ok {
				w = 1
			}
			e.weights = append(e.weights, max(least, min(most, w)))
		}
	}
	e.begin()
	return e
}

// shown returns a forecast as people see it: a class of weight 10 as if it came ten times as often.
func (e *evaluation) shown(p prediction) prediction {
	if e.weights == nil {
		return p
	}
	all, sum := slices.Clone(p.Classes), 0.0
	for k, w := range e.weights {
		all[k] *= w
		sum += all[k]
	}
	for k := range all {
		all[k] /= sum
	}
	p.Classes = all
	return p
}

// begin forgets all scores.
func (e *evaluation) begin() {
	e.scores = scores{newIntervals(), drift.New(), &boards{}}
	if n := len(e.target.Classes); n > 0 {
		e.Boards.Confusion = newConfusion(n)
		if n == 2 {
			e.Boards.Curve = &roc{}
		}
	}
}

// forecast returns the main prediction in the form that people read.
func (e *evaluation) forecast(p *predictions) Forecast {
	m := e.shown(p.Main)
	f := Forecast{Novelty: p.seen, Spread: m.Spread, Rows: p.rows, Alarms: e.Alarm.Alarms}
	if p.seen == unknownNovelty {
		f.Novelty = -1
	}
	switch e.target.Kind {
	case schema.Classes:
		if len(m.Classes) == 2 {
			f.Probability = m.Classes[1]
		} else {
			f.Classes = append([]float64(nil), m.Classes...)
		}
		f.Value = float64(likeliest(m.Classes))
	case schema.Amount:
		half := e.Intervals.factor(p.seen) * math.Sqrt(m.Variance)
		f.Value, f.Low, f.High = m.Mean, m.Mean-half, m.Mean+half
	case schema.Count:
		f.Value, f.Low, f.High = m.Median, m.Low, m.High
	}
	return f
}

// add scores the forecasts of a record whose target is now known. The intervals and the alarm learn from the scores.
func (e *evaluation) add(p *predictions, y, weight float64) {
	if p.restart {
		e.begin()
		return
	}
	b, kind, main := e.Boards, e.target.Kind, e.shown(p.Main)
	if e.weights != nil {
		weight *= e.weights[int(y)]
	}
	o := scoreOf(kind, main, e.Intervals.factor(p.seen), y)
	b.Main.add(o, p.seen, weight)
	b.BaseRate.add(scoreOf(kind, e.shown(p.BaseRate), normalQuantile, y), p.seen, weight)
	if e.plain > 0 {
		add(&b.Plain, scoreOf(kind, e.shown(p.Experts[e.plain]), normalQuantile, y), p.seen, weight)
	}
	if p.Exact != nil {
		add(&b.Exact, scoreOf(kind, e.shown(*p.Exact), normalQuantile, y), p.seen, weight)
	}
	b.addShape(kind, main, o, y, weight)
	if kind == schema.Amount {
		e.Intervals.learn(p.seen, o.Covered > 0)
		e.Alarm.Add(o.Square)
	} else if o.Unknown == 0 {
		e.Alarm.Add(o.LogLoss)
	}
}

func add(b **board, o Outcome, seen int64, weight float64) {
	if *b == nil {
		*b = &board{}
	}
	(*b).add(o, seen, weight)
}

// addShape updates the scores that only the learner itself has: the classes, the ROC curve and the calibration.
func (b *boards) addShape(kind schema.TargetKind, p prediction, o Outcome, y, weight float64) {
	switch kind {
	case schema.Classes:
		class := int(y)
		b.Confusion.add(p.Classes, class, o.LogLoss, weight)
		if b.Curve != nil {
			b.Curve.add(p.Classes[1], class, weight)
			b.Calibration.addProbability(p.Classes[1], class == 1, weight)
			return
		}
		best := likeliest(p.Classes)
		b.Calibration.addProbability(p.Classes[best], best == class, weight)
	case schema.Amount:
		q := 0.5 * math.Erfc(-(y-p.Mean)/math.Sqrt(2*p.Variance))
		b.Calibration.addTransform(q, q, weight)
	case schema.Count:
		if p.count == nil {
			return
		}
		b.Calibration.addTransform(p.count.CDF(int(y)-1), p.count.CDF(int(y)), weight)
	}
}

// scoreOf scores a forecast. The interval of a number reaches factor standard deviations to each side of the mean.
func scoreOf(kind schema.TargetKind, p prediction, factor, y float64) Outcome {
	switch kind {
	case schema.Amount:
		half := factor * math.Sqrt(p.Variance)
		return ofNumber(p.Mean, p.Mean-half, p.Mean+half, y)
	case schema.Count:
		logProbability := math.NaN() // a forecast that waited for its label has only median and interval left
		if p.count != nil {
			logProbability = p.count.LogProbability(int(y))
		}
		return ofCount(logProbability, p.Median, p.Low, p.High, y)
	}
	return ofClasses(p.Classes, int(y))
}

// intervals learns the width of 90 % intervals, in standard deviations, for each tier of novelty. It widens the interval after a miss
// and narrows it after a hit. In the long run the intervals then hold nine in ten numbers for any distribution of the errors (Gibbs
// and Candès, 2021).
type intervals struct {
	Factor [noveltyTiers]float64 `json:"factor"`
	Rows   [noveltyTiers]int64   `json:"rows"`
}

func newIntervals() (v intervals) {
	for i := range v.Factor {
		v.Factor[i] = normalQuantile
	}
	return v
}

func (v *intervals) factor(seen int64) float64 { return v.Factor[NoveltyTier(seen)] }

// learn adapts the factor to a hit or a miss of an interval.
func (v *intervals) learn(seen int64, held bool) {
	const (
		first, last      = 0.05, 0.005 // steps, in units of the factor
		settled          = 100         // rows of the first steps
		smallest, widest = 0.2, 20.
	)
	tier := NoveltyTier(seen)
	v.Rows[tier]++
	step := max(last, first/math.Sqrt(1+float64(v.Rows[tier])/settled))
	missed := 1.0
	if held {
		missed = 0
	}
	v.Factor[tier] = min(max(v.Factor[tier]*(1+step*(missed-(1-(highQuantile-lowQuantile)))), smallest), widest)
}

// Ends of a 90 % interval.
const (
	lowQuantile, highQuantile = 0.05, 0.95
	normalQuantile            = 1.6448536269514722 // of N(0, 1) at highQuantile
)
