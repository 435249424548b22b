package run

import (
	"testing"

	"gophe/data/ratings"
	"gophe/experiments/rivals/baseline"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/ncf"
)

// slowRival predicts each day's ratings anew from all blocks learned before it, in the words of the rivals' names:
// deviations refer to the other parts' predictions when the block had been learned, and each has ten more ratings of 0.
func slowRival(name string, r *ratings.Ratings, p *protocol.Plan) [][]float64 {
	y := func(row int32) float64 { return float64(r.HalfStars[row]) / 10 }
	blocks := append([][]int32{p.Initial}, p.Steps...)
	mean := func(last int) float64 { // of all ratings of the blocks up to and with one
		sum, n := 0.0, 0.0
		for _, block := range blocks[:last+1] {
			for _, row := range block {
				sum, n = sum+y(row), n+1
			}
		}
		return sum / n
	}
	means := make([]float64, len(blocks))
	for b := range blocks {
		means[b] = mean(b)
	}
	drawn := func(last int, mine func(row int32) bool, base func(block int, row int32) float64) float64 {
		sum, n := 0.0, 10.0
		for b, block := range blocks[:last+1] {
			for _, row := range block {
				if mine(row) {
					sum, n = sum+y(row)-base(b, row), n+1
				}
			}
		}
		return sum / n
	}
	film := func(last int, f int32) float64 {
		return drawn(last, func(row int32) bool { return r.Movies[row] == f }, func(b int, _ int32) float64 { return means[b] })
	}
	user := func(last int, u int32, base func(block int, row int32) float64) float64 {
		return drawn(last, func(row int32) bool { return r.Users[row] == u }, base)
	}
	days := make([][]float64, len(p.Steps))
	for day, rows := range p.Steps {
		for _, row := range rows {
			says := means[day] // the initial block is number 0
			switch name {
			case "User mean":
				says += user(day, r.Users[row], func(b int, _ int32) float64 { return means[b] })
			case "Film mean":
				says += film(day, r.Movies[row])
			case baseline.Biases:
				says += film(day, r.Movies[row]) + user(day, r.Users[row], func(b int, row int32) float64 { return means[b] + film(b, r.Movies[row]) })
			}
			days[day] = append(days[day], says)
		}
	}
	return days
}

// The rivals predict as a slow implementation does, on all days. It knows no rating of the day and of later days.
func TestRatingRivals(t *testing.T) {
	changeRatings(t, fromHalfToFive)
	spec := tinyRatings(t)
	spec.Protocol.MaxChunks, spec.Recommender.StdDev = 0, 0.2
	made, p := loaded(t, spec)
	r := ratingsOf(t, spec)
	methods := filetest.Must(made.Baselines(spec, p))(t)
	filetest.WantEqual(t, len(methods), 4, "number of rivals")
	cold := coldCells(r, p)
	for i, name := range []string{"Global mean", "User mean", "Film mean", baseline.Biases} {
		m := methods[i]
		filetest.WantEqual(t, m.Name, name, "rival %d", i)
		filetest.Want(t, baseline.Has(name) && !m.Frozen && m.Hash == "" && m.Parameters == 0, "rival %+v", m)
		says, h := slowRival(name, r, p), newHandScore()
		for day, rows := range p.Steps {
			for i, row := range rows {
				h.rating(r.HalfStars[row], cold[row], ncf.Predictive{Means: says[day][i : i+1], StdDev: 0.2})
			}
			h.endStep()
		}
		filetest.WantEqual(t, len(m.Runs), 2, "%s: number of runs", name)
		for _, run := range m.Runs {
			filetest.WantEqual(t, len(run.Rows), len(p.Steps), "%s: number of days", name)
			h.check(t, name, run)
		}
	}
}
