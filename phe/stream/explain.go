package stream

import (
	"cmp"
	"math"
	"slices"

	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/schema"
)

// Explanation says why a forecast is what it is. UsualRow, CameLast, the lines and Others add up to Value, to 1e-9. It is the reason of the
// model, and no cause. A count has no terms that add up: its lines are only what its fields move.
type Explanation struct {
	Of       string  `json:"of"`    // what adds up, such as "log-odds of income=>50K"
	Value    float64 `json:"value"` // of the forecast
	BaseRate float64 `json:"base_rate"`
	UsualRow float64 `json:"usual_row"`       // in which each column adds what it adds on average
	CameLast float64 `json:"what_came_last"`  // what the last rows add
	Lines    []Line  `json:"lines"`           // largest first
	Others   float64 `json:"others"`          // what the columns without a line add
	Pairs    []Line  `json:"pairs,omitempty"` // of columns, largest first. They are in the lines already: half of each in that of each column
}

// Line is what a column adds with half of each of its pairs, relative to a usual row; or what a pair of columns adds.
type Line struct {
	Column  string  `json:"column"`
	Field   string  `json:"field"`
	Adds    float64 `json:"adds"`    // of a count, its mean less IfEmpty
	Spread  float64 `json:"spread"`  // standard deviation of Adds; wider than it need be
	Learned int64   `json:"learned"` // how often the item was learned before; of an item without a name and of a pair at most 255
	// With is the column that makes a third of the line or more by a pair, and WithAdds is what it makes. Of a pair, With is its other column.
	With     string  `json:"with,omitempty"`
	WithAdds float64 `json:"with_adds,omitempty"`
	// IfUsual is the forecast if the column and its pairs added what they add in a usual row: a probability, or a number.
	IfUsual *float64 `json:"if_usual,omitempty"`
	IfEmpty *float64 `json:"if_empty,omitempty"` // mean of a count if the field were empty
}

// Explain forecasts a record and says why, in up to n lines. Of several classes, it explains the log-odds of one; −1 is the likeliest. It
// changes nothing.
func (l *Learner) Explain(r schema.Record, n, class int) (f Forecast, x Explanation, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err = l.check(r); err != nil {
		return f, x, err
	}
	row, t := l.take(r, ensemble.Label{}, ensemble.CallPeek), &l.Schema.Target
	f = l.forecastRead()
	switch {
	case t.Kind == schema.Count:
		x = l.explainCount(r)
	case len(t.Classes) == 2:
		x = l.explain(row, 1)
	case class < 0:
		x = l.explain(row, int(f.Value))
	default:
		x = l.explain(row, class)
	}
	slices.SortStableFunc(x.Lines, func(a, b Line) int { return cmp.Compare(math.Abs(b.Adds), math.Abs(a.Adds)) })
	for _, line := range x.Lines[min(n, len(x.Lines)):] {
		x.Others += line.Adds
	}
	x.Lines, x.Pairs = x.Lines[:min(n, len(x.Lines))], x.Pairs[:min(n, len(x.Pairs))]
	return f, x, nil
}

// explain explains the forecast of the row that was taken last.
func (l *Learner) explain(row *ensemble.Row, class int) Explanation {
	t, of := &l.Schema.Target, l.model.Explain(row, class, l.eval.Weights)
	x := Explanation{Of: "mean of " + t.Column, Value: of.Value, BaseRate: of.BaseRate, UsualRow: of.Usual, CameLast: of.Recent}
	if t.Kind == schema.Classes {
		if x.Of = "log-odds of " + t.Classes[class]; t.Compare == "" { // the class of a comparison names the column
			x.Of = "log-odds of " + t.Column + "=" + t.Classes[class]
		}
	}
	seen := map[int]int64{} // by place, of the rarest item
	for _, item := range row.Items {
		place, n := l.model.Inputs()[item.Column].Place, l.observer.Census.Seen(item.Key)
		if before, ok := seen[place]; !ok || n < before {
			seen[place] = n
		}
	}
	line := func(at *ensemble.Line) Line {
		a := at.Columns[0]
		return Line{Column: l.Schema.Columns[a].Name, Field: row.Record[a], Adds: at.Adds, Spread: math.Sqrt(at.Variance), Learned: int64(at.Rows)}
	}
	for i := range of.Pairs {
		x.Pairs = append(x.Pairs, line(&of.Pairs[i]))
		x.Pairs[i].With = l.Schema.Columns[of.Pairs[i].Columns[1]].Name
	}
	for i := range of.Columns {
		c := &of.Columns[i]
		if !slices.ContainsFunc(l.model.Inputs(), func(in schema.Input) bool { return in.Place == i }) {
			continue
		}
		one := line(c)
		if n, ok := seen[i]; ok {
			one.Learned = n
		}
		p := slices.IndexFunc(of.Pairs, func(p ensemble.Line) bool { return slices.Contains(p.Columns[:], i) })
		if p >= 0 && math.Abs(of.Pairs[p].Adds)/2 >= math.Abs(c.Adds)/3 {
			other := of.Pairs[p].Columns[0] + of.Pairs[p].Columns[1] - i
			one.With, one.WithAdds = l.Schema.Columns[other].Name, of.Pairs[p].Adds/2
		}
		if one.IfUsual = &c.IfUsual; t.Kind == schema.Classes {
			*one.IfUsual = 1 / (1 + math.Exp(-c.IfUsual))
		}
		x.Lines = append(x.Lines, one)
	}
	return x
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
