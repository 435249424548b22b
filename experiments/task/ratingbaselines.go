package task

import (
	"gophe/experiments/baseline"
	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"slices"
)

// Baselines of the recommender learn in the order of time.
func (t *Recommending) Baselines(s spec.Spec, p *protocol.Plan) ([]result.Method, error) {
	d := t.Ratings
	columns := baseline.Ratings{Users: len(d.Users), Items: len(d.Films), User: d.User, Item: d.Film, Values: d.Ratings}
	var methods []result.Method
	for _, name := range baseline.RatingNames() {
		a := baseline.NewAverages(name, columns, s.Recommender.StdDev)
		a.Learn(slices.Sorted(slices.Values(p.Initial)))
		run := result.Run{Status: result.Complete, Rows: []int{}}
		for _, rows := range p.Steps {
			score := newRatingScore()
			for _, row := range rows {
				score.add(a.Predict(row), t.Ratings.Ratings[row], t.Cold[row])
			}
			WriteDown(&run, len(rows), score.score(), false)
			a.Learn(rows)
		}
		methods = append(methods, entry(s, name, 0, run))
	}
	return methods, nil
}
