package stream

import (
	"cmp"
	"math"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/schema"
)

// Explanation is the reason of a forecast. UsualRow, CameLast, the lines and Others add up to Value, to 1e-9. It is the reason of the
// model, and no cause. A count has no terms that add up: its lines are only what its fields move.
type Explanation struct {
	Of       string  `json:"of"`    // what adds up, such as "log-odds of income=>50K"
	Value    float64 `json:"value"` // of the forecast
	BaseRate float64 `json:"base_rate"`
	UsualRow float64 `json:"usual_row"`       // with each column's usual contribution
	CameLast float64 `json:"what_came_last"`  // contribution of the last rows
	Lines    []Line  `json:"lines"`           // largest first
	Others   float64 `json:"others"`          // contribution of the columns without a line
	Pairs    []Line  `json:"pairs,omitempty"` // of columns, largest first; the line of each column has half already
}

// Line is the contribution of a column with half of each of its pairs, relative to a usual row, or of a pair of columns.
type Line struct {
	Column  string  `json:"column"`
	Field   string  `json:"field"`
	Adds    float64 `json:"adds"`    // of a count, its mean less IfEmpty
	Spread  float64 `json:"spread"`  // standard deviation of Adds; too wide rather than too narrow
	Learned int64   `json:"learned"` // how often the item was learned before; of an item without a name and of a pair at most 255
	// With is the column of a pair that makes a third of the line or more, and WithAdds its contribution. In Pairs, it is the other column.
	With     string  `json:"with,omitempty"`
	WithAdds float64 `json:"with_adds,omitempty"`
	// IfUsual is the forecast with the usual contribution of the column and its pairs: a probability, or a number.
	IfUsual *float64 `json:"if_usual,omitempty"`
	IfEmpty *float64 `json:"if_empty,omitempty"` // mean of a count if the field were empty
}

// Explain forecasts a record and gives the reason, in up to n lines. It explains the log-odds of a class. −1 is the second of two classes,
// and the likeliest of more. It changes nothing.
func (l *Learner) Explain(r schema.Record, n, class int) (f Forecast, x Explanation, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &l.Schema.Target
	if err = l.check(r); err == nil && (n < 0 || class >= max(1, len(t.Classes))) {
		err = errors.Errorf("%d lines of class %d are asked for; give a number of lines, and one of %d classes", n, class, len(t.Classes))
	}
	if err != nil {
		return f, x, err
	}
	row := l.take(r, ensemble.Label{}, ensemble.CallPeek)
	f = l.forecastRead()
	switch {
	case t.Kind == schema.Count:
		x = l.explainCount(r)
	case class < 0 && len(t.Classes) == 2:
		x = l.explain(row, 1)
	case class < 0:
		x = l.explain(row, int(f.Value))
	default:
		x = l.explain(row, class)
	}
	for _, list := range [][]Line{x.Lines, x.Pairs} {
		slices.SortFunc(list, func(a, b Line) int {
			return cmp.Or(cmp.Compare(math.Abs(b.Adds), math.Abs(a.Adds)), cmp.Compare(a.Column, b.Column), cmp.Compare(a.With, b.With))
		})
	}
	for i, line := range x.Lines {
		if i >= n && t.Kind != schema.Count {
			x.Others += line.Adds
		}
	}
	x.Lines, x.Pairs = x.Lines[:min(n, len(x.Lines))], x.Pairs[:min(n, len(x.Pairs))]
	return f, x, nil
}

// explain explains the forecast of the row that was taken last.
func (l *Learner) explain(row *ensemble.Row, class int) Explanation {
	t, of, inputs := &l.Schema.Target, l.model.Explain(row, class, l.eval.Weights), l.model.Inputs()
	x := Explanation{Of: "mean of " + t.Column, Value: of.Value, BaseRate: of.BaseRate, UsualRow: of.Usual, CameLast: of.Recent}
	switch {
	case t.Compare != "": // the second class names the column
		x.Of = "log-odds of " + [...]string{"not ", ""}[class] + t.Classes[1]
	case t.Kind == schema.Classes:
		x.Of = "log-odds of " + t.Column + "=" + t.Classes[class]
	case t.Transform != "":
		x.Of = "mean of " + t.Transform + "(" + t.Column + ")"
	}
	lines, pairs := map[int]*Line{}, map[[2]int]*Line{}
	for i := range inputs {
		place := inputs[i].Place
		lines[place] = &Line{Column: l.Schema.Columns[place].Name, Field: row.Record[place]}
	}
	for _, term := range of.Terms {
		a, b := lines[term.Places[0]], lines[term.Places[1]]
		if a == b {
			a.add(term, 1)
			a.Learned = max(a.Learned, int64(term.Rows))
			continue
		}
		a.add(term, 0.5)
		b.add(term, 0.5)
		if pairs[term.Places] == nil {
			pairs[term.Places] = &Line{Column: a.Column, Field: a.Field, With: b.Column}
		}
		pairs[term.Places].add(term, 1)
		pairs[term.Places].Learned = max(pairs[term.Places].Learned, int64(term.Rows))
	}
	for places, p := range pairs {
		p.Spread = math.Sqrt(p.Spread)
		x.Pairs = append(x.Pairs, *p)
		for i, place := range places {
			line, half := lines[place], p.Adds/2
			if math.Abs(half) >= math.Abs(line.Adds)/3 && math.Abs(half) > math.Abs(line.WithAdds) {
				line.With, line.WithAdds = lines[places[1-i]].Column, half
			}
		}
	}
	seen := map[int]int64{} // by place, of the rarest item
	for _, item := range row.Items {
		place, n := inputs[item.Column].Place, l.observer.Census.Seen(item.Key)
		if before, ok := seen[place]; !ok || n < before {
			seen[place] = n
			lines[place].Learned = n
		}
	}
	for place, line := range lines {
		line.Spread, line.IfUsual = math.Sqrt(line.Spread), new(ForecastOf(t, of.IfUsual(place)))
		x.Lines = append(x.Lines, *line)
	}
	return x
}

// ForecastOf returns the forecast of a sum of lines: the probability of log-odds, or the number itself.
func ForecastOf(t *schema.Target, sum float64) float64 {
	if t.Kind == schema.Classes {
		return 1 / (1 + math.Exp(-sum))
	}
	return sum
}

// add adds a share of a term. Spread is a variance so far.
func (x *Line) add(t ensemble.Term, share float64) {
	x.Adds += share * t.Adds
	x.Spread += share * share * t.Variance
}

// explainCount forecasts a record again, each time with one field empty.
func (l *Learner) explainCount(r schema.Record) Explanation {
	x := Explanation{Of: "mean of " + l.Schema.Target.Column + ", which no terms add up to", Value: l.row.Predictions.Main.Count.Mean()}
	other, done := slices.Clone(r), -1
	for _, in := range l.model.Inputs() {
		if in.Place == done || r[in.Place] == "" {
			continue
		}
		done, other[in.Place] = in.Place, ""
		mean := l.take(other, ensemble.Label{}, ensemble.CallPeek).Predictions.Main.Count.Mean()
		other[in.Place] = r[in.Place]
		x.Lines = append(x.Lines, Line{Column: l.Schema.Columns[in.Place].Name, Field: r[in.Place], Adds: x.Value - mean, IfEmpty: &mean})
	}
	return x
}
