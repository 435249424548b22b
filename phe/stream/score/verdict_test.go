package score

import (
	"math"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// course returns the score of a model whose loss in each block of ten rows is given by its number.
func course(name string, blocks int, loss func(block int) float64) (s Score) {
	s.Name, s.Course.Size = name, 10
	for i := range blocks {
		o := Outcome{LogLoss: loss(i), Brier: loss(i)}
		for range 10 {
			s.Course.add(&o, 1)
			s.All.add(&o, 1)
		}
	}
	for _, t := range s.Course.Late() {
		s.Late.merge(t)
	}
	return s
}

// TestLead: the gain is 3 in four blocks and −1 in the next four. The 32 batches of four have the largest variance: their sums of ten
// rows are 120 and −40, which makes 80² · 32/31. The 16 batches of eight are all equal, and single blocks would show a lead of 5.6.
func TestLead(t *testing.T) {
	loss := func(t Tally) float64 { return t.Sum.LogLoss }
	runs := course("runs", 128, func(i int) float64 { return 5 + []float64{3, -1}[i/4%2] })
	level := course("level", 128, func(int) float64 { return 5 })
	want := 1280 / math.Sqrt(80*80*32./31*32)
	filetest.Near(t, Lead(level.Course.Tally, runs.Course.Tally, loss), want, 1e-9, "the lead")
	filetest.Near(t, Lead(runs.Course.Tally, level.Course.Tally, loss), -want, 1e-9, "the lead of the other")
	filetest.Want(t, Lead(level.Course.Tally, level.Course.Tally, loss), 0, "the lead over an equal")
	filetest.True(t, math.IsNaN(Lead(level.Course.Tally[:99], runs.Course.Tally[:99], loss)), "99 blocks show a lead")
}

// TestVerdict: a model that is ahead by more than three standard errors is named, also the base rate, and no other. A rival's losses are
// a noise of ±1, moved so that it leads by a number of errors in the 360 blocks that count.
func TestVerdict(t *testing.T) {
	blocks := 400
	noise := func(i int) float64 { return float64(1 - 2*((i*i*i+i/7*i)%11%2)) }
	mean, one, late := 0.0, 1.0, blocks/10
	for i := late; i < blocks; i++ {
		mean += noise(i) / float64(blocks-late)
	}
	at := func(name string, leads float64) Score {
		return course(name, blocks, func(i int) float64 { return 9 + noise(i) - mean - leads*one })
	}
	unit, level := at("", 1), course("", blocks, func(int) float64 { return 9 })
	one /= Lead(unit.Course.Late(), level.Course.Late(), func(t Tally) float64 { return t.Sum.LogLoss }) // one standard error
	verdict := func(base, part, last float64) []string {
		r := Report{Target: schema.Target{Kind: schema.Classes, Classes: []string{"a", "b"}}, Models: []Score{
			course("this model", blocks, func(int) float64 { return 9 }), at("part", part), at("base rate", base)},
			rivals: []Score{at("last", last)}}
		return r.verdict()
	}
	filetest.Want(t, len(verdict(-2.9, 2.9, 2.9)), 1, "sentences where all is chance")
	filetest.WantWords(t, verdict(-2.9, 2.9, 2.9)[0], "not better than the base rate by more than chance: log-loss 9.0000 against 9.")
	got := verdict(-3.1, 3.1, 2.9)
	filetest.Want(t, len(got), 2, "sentences where one is ahead: %q", got)
	filetest.WantWords(t, got[0], "better than the base rate: log-loss 9.0000 in place of 9.", " % less.")
	filetest.WantWords(t, got[1], "Ahead of this model, by more than chance: part (log-loss 8.")
	got = verdict(3.1, -9, 3.1)
	filetest.Want(t, len(got), 1, "sentences where the base rate is ahead: %q", got)
	filetest.WantWords(t, got[0], ": base rate (log-loss 8.", ", last (Brier 8.")
}
