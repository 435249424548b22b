package stream

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
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
			filetest.True(t, worse < 0.05 && (worse < -0.2) == (delay == 0), "%s, %d late: worse than the base rate by %g", target, delay, worse)
			h := l.model.State().Hedge
			filetest.True(t, h.Late == (delay > 0) && h.Gap > 0, "%s, %d late: the learner hedges: %+v", target, delay, h)
		}
	}
}

// A learner that has met a late label gives the same bits on threads, and after stops.
func TestHedgeBits(t *testing.T) {
	for _, target := range targets[:3] {
		m := makeStream(900, target)
		single, threads := learnerOf(t, m, target, Options{}), learnerOf(t, m, target, Options{})
		for i, r := range m.records[:200] {
			for _, l := range []*Learner{single, threads} {
				filetest.Must(l.StepLate(int64(i), schema.Record(r), 9))(t)
			}
		}
		threads = reread(t, threads)
		p := threads.Pipeline()
		for at := 200; at < len(m.records); at += 20 {
			batch := make([]*Prepared, 20)
			for i := range batch {
				batch[i] = &Prepared{}
				filetest.True(t, p.Prepare(m.records[at+i], batch[i]), "the record is not prepared")
				step(t, single, m.records[at+i])
			}
			p.Step(batch)
		}
		p.Step(nil)
		filetest.True(t, bytes.Equal(bytesOf(t, single), bytesOf(t, threads)), "%s: other bits on threads", target)
	}
}
