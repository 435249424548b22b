package stream

import (
	"math"

	"gophe/phe/score"
	"gophe/phe/stream/schema"
)

// boards are the scores of a learner and of the models that it is compared with.
type boards struct {
	Main        score.Board       `json:"main"`
	Plain       *score.Board      `json:"plain,omitempty"`
	Exact       *score.Board      `json:"exact,omitempty"`
	Usual       score.Board       `json:"usual"`
	Confusion   *score.Confusion  `json:"confusion,omitempty"`
	Curve       *score.Curve      `json:"curve,omitempty"`
	Calibration score.Calibration `json:"calibration"`
}

func newBoards(t schema.Target) *boards {
	b := &boards{}
	if t.Kind == schema.Classes {
		b.Confusion = score.NewConfusion(len(t.Classes))
		if len(t.Classes) == 2 {
			b.Curve = &score.Curve{}
		}
	}
	return b
}

// score scores the forecasts of a record whose target is now known. asked is the number of rows that were learned when they were made. The
// last step, the weights, the intervals and the alarm then learn the target.
func (l *Learner) score(all *laws, seen int64, y, weight float64, asked int64) {
	b, kind := l.boards, l.schema.Target.Kind
	factor := l.limits.factor(seen)
	o := outcome(kind, all.Main, factor, y)
	b.Main.Add(o, seen, weight)
	b.Usual.Add(outcome(kind, all.Usual, normalQuantile, y), seen, weight)
	for i, x := range all.Experts {
		if l.main.plain(i) {
			add(&b.Plain, outcome(kind, x, normalQuantile, y), seen, weight)
		}
	}
	if all.Exact != nil {
		add(&b.Exact, outcome(kind, *all.Exact, normalQuantile, y), seen, weight)
	}
	l.scoreShape(all.Main, o, y, weight)
	l.main.weigh(kind, all, seen, y, weight, float64(asked+1)/float64(l.rows+1))
	if kind == schema.Amount {
		l.limits.learn(seen, o.Covered > 0)
		l.alarm.Add(o.Square)
	} else if o.Unknown == 0 {
		l.alarm.Add(o.LogLoss)
	}
}

func add(b **score.Board, o score.Outcome, seen int64, weight float64) {
	if *b == nil {
		*b = &score.Board{}
	}
	(*b).Add(o, seen, weight)
}

// scoreShape updates the scores that only the learner itself has: the classes, the ROC curve and the calibration.
func (l *Learner) scoreShape(m law, o score.Outcome, y, weight float64) {
	b := l.boards
	switch l.schema.Target.Kind {
	case schema.Classes:
		class := int(y)
		b.Confusion.Add(m.Classes, class, o.LogLoss, weight)
		if b.Curve != nil {
			b.Curve.Add(m.Classes[1], class, weight)
			b.Calibration.AddProbability(m.Classes[1], class == 1, weight)
			return
		}
		best := score.Likeliest(m.Classes)
		b.Calibration.AddProbability(m.Classes[best], best == class, weight)
	case schema.Amount:
		p := 0.5 * math.Erfc(-(y-m.Mean)/math.Sqrt(2*m.Variance))
		b.Calibration.AddTransform(p, p, weight)
	case schema.Count:
		if m.count == nil {
			return
		}
		b.Calibration.AddTransform(m.count.CDF(int(y)-1), m.count.CDF(int(y)), weight)
	}
}

// outcome scores a forecast. The interval of a number reaches factor standard deviations to each side of the mean.
func outcome(kind schema.TargetKind, m law, factor, y float64) score.Outcome {
	switch kind {
	case schema.Amount:
		half := factor * math.Sqrt(m.Variance)
		return score.OfNumber(m.Mean, m.Mean-half, m.Mean+half, y)
	case schema.Count:
		logProbability := math.NaN() // a forecast that waited for its label has only median and interval left
		if m.count != nil {
			logProbability = m.count.LogProbability(int(y))
		}
		return score.OfCount(logProbability, m.Median, m.Low, m.High, y)
	}
	return score.OfClasses(m.Classes, int(y))
}
