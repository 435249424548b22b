package experiments

import (
	"gophe/experiments/baseline"
	"gophe/experiments/result"
	"slices"
)

// rivals of the recommender learn in the order of time.
func (t *recommending) rivals(s Spec, p *plan) ([]result.Method, error) {
	d := t.ratings
	columns := baseline.Ratings{Users: len(d.Users), Items: len(d.Films), User: d.User, Item: d.Film, Values: d.Ratings}
	var methods []result.Method
	for _, name := range baseline.RatingNames() {
		a := baseline.NewAverages(name, columns, s.Recommender.StdDev)
		a.Learn(slices.Sorted(slices.Values(p.Initial)))
		run := result.Run{Status: result.Complete, Rows: []int{}}
		for _, rows := range p.Steps {
			score := newRatingScore()
			for _, row := range rows {
				score.add(a.Predict(row), t.ratings.Ratings[row], t.cold[row])
			}
			writeDown(&run, len(rows), score.score())
			a.Learn(rows)
		}
		methods = append(methods, rival(s, name, 0, run))
	}
	return methods, nil
}
