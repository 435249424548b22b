package stream

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"gophe/phe/disk/filetest"
)

// Groups that pass one after another, with labels as late as a group is long, teach nothing of the next group. A learner is then about as
// good as the base rate, for each kind of target. With labels at once it hedges nothing.
func TestLateGroups(t *testing.T) {
	const groups, size = 60, 100
	for _, target := range targets {
		rng, m := rand.New(rand.NewPCG(5, 28)), makeStream(0, target)
		values := map[string][]string{"two": {"yes", "no"}, "several": {"low", "middle", "high"}, "number": {"1.5", "2.5", "4.5", "8.5"},
			"count": {"1", "2", "7", "20"}}[target]
		for g := range groups {
			y := values[rng.IntN(len(values))]
			for range size {
				m.records = append(m.records, []string{"g" + strconv.Itoa(g), "i" + strconv.Itoa(rng.IntN(30)), "1", "2026-03-01", "t", y})
			}
		}
		for _, delay := range []int{0, size + 1} {
			l := learnerOf(t, m, target, Options{})
			m.next = 0
			filetest.Check(t, Progressive(context.Background(), l, m, delay, nil))
			models := l.Report().Models
			main, base := models[0].Late.Means(), models[len(models)-1].Late.Means()
			worse := main.LogLoss - base.LogLoss
			if target == "number" {
				worse = main.RMSE/base.RMSE - 1
			}
			filetest.True(t, worse < 0.05 && (worse < -0.2) == (delay == 0), "%s, %d late: worse than the base rate by %g",
				target, delay, worse)
			h := l.model.State().Hedge
			filetest.True(t, h.Late == (delay > 0) && h.Gap > 0, "%s, %d late: the learner hedges: %+v", target, delay, h)
		}
	}
}
