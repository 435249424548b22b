package shared_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"gophe/phe/belief"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/shared"
)

// beginSeveral returns a new belief that several learners share.
func beginSeveral(t *testing.T, s schema.Schema, bound belief.Bound, forget float64) *belief.State {
	t.Helper()
	l, err := stream.New(s, stream.Options{Alone: true, Forget: forget})
	if err != nil {
		t.Fatal(err)
	}
	state, err := shared.Start(l, shared.Options{Bound: bound, Rows: 50})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

var unbounded = belief.Bound{Share: math.MaxFloat64}

// inRounds lets learners share chunks. All learners of a round learn from one belief. each gets every contribution after its fold.
func inRounds(t *testing.T, state *belief.State, chunks [][]byte, learners int, each func(belief.Contribution)) (stale int) {
	t.Helper()
	for next := 0; next < len(chunks); {
		var round []belief.Contribution
		for k := next; k < min(next+learners, len(chunks)); k++ {
			round = append(round, learnFrom(t, state, k+1, chunks[k]))
		}
		next += len(round)
		for _, c := range round {
			v := state.Fold(c)
			each(c)
			for ; v == belief.Stale; v = state.Fold(c) {
				stale++
				c = learnFrom(t, state, int(c.Chunk), chunks[c.Chunk-1])
				defer each(c)
			}
			if v != belief.Counted {
				t.Fatalf("chunk %d is %s", c.Chunk, v)
			}
		}
	}
	return stale
}

func report(t *testing.T, s *belief.State) stream.Report {
	t.Helper()
	l, err := s.Belief.(*shared.Belief).Learner()
	if err != nil {
		t.Fatal(err)
	}
	return l.Report()
}

// Terms of several learners count each row, each score and each item once, for every kind of target. A follower that starts again from a
// checkpoint has the same bits, and learning in vain changes nothing.
func TestTermsCountOnce(t *testing.T) {
	for _, kind := range []schema.TargetKind{schema.Classes, schema.Amount, schema.Count} {
		t.Run(string(kind), func(t *testing.T) {
			s, records := shop(kind, 1500)
			all := chunks(t, records, 50)
			state, follower := beginSeveral(t, s, unbounded, 0), beginSeveral(t, s, unbounded, 0)
			for next := int(state.Ledger.Low); next < len(all); next += 2 {
				var round []belief.Contribution
				for k := next; k < min(next+2, len(all)); k++ {
					round = append(round, learnFrom(t, state, k+1, all[k]))
				}
				before := written(t, state)
				learnFrom(t, state, 1000, all[0])
				if !bytes.Equal(before, written(t, state)) {
					t.Fatalf("learning chunk %d in vain changed the belief", next)
				}
				for _, c := range append(round, round[0]) { // the first one comes twice
					a, b := state.Fold(c), follower.Fold(c)
					if a != b {
						t.Fatalf("chunk %d is %s and %s", c.Chunk, a, b)
					}
					if a == belief.Stale { // the scale of a number was not known yet
						c = learnFrom(t, state, int(c.Chunk), all[c.Chunk-1])
						if a, b := state.Fold(c), follower.Fold(c); a != belief.Counted || b != belief.Counted {
							t.Fatalf("chunk %d is %s and %s", c.Chunk, a, b)
						}
					}
				}
				if next%10 == 0 {
					var err error
					if follower, err = belief.LoadState(written(t, follower), shared.Open); err != nil {
						t.Fatal(err)
					}
				}
			}
			if !bytes.Equal(written(t, state), written(t, follower)) {
				t.Error("the follower differs")
			}
			if state.Rows != 1500 || state.Ledger.Low != uint64(len(all)) || state.Verdicts[belief.Refused] > 0 {
				t.Errorf("%d rows, %d chunks, verdicts %v; want 1500 rows and %d chunks", state.Rows, state.Ledger.Low, state.Verdicts, len(all))
			}
			r, want := report(t, state), alone(t, s, records)
			if r.Rows != want.Rows || r.Items != want.Items {
				t.Errorf("%d rows and %d items; want %d and %d", r.Rows, r.Items, want.Rows, want.Items)
			}
			if got, want := r.Models[len(r.Models)-1].All, want.Models[len(want.Models)-1].All; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("the base rate scores %v; want %v", got, want)
			}
		})
	}
}

func alone(t *testing.T, s schema.Schema, records []schema.Record) stream.Report {
	t.Helper()
	l, err := stream.New(s, stream.Options{Alone: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := l.Learn(r); err != nil {
			t.Fatal(err)
		}
	}
	return l.Report()
}

// One learner that publishes terms forecasts as well as one machine that forgets row by row. Without the forgetting of the fold it would
// not: then the score is another one.
func TestTermsForgetOnce(t *testing.T) {
	s, records := shop(schema.Classes, 3000)
	for i := range records[1500:] { // a change in the middle of the stream
		r := records[1500+i]
		r[3] = fmt.Sprint(1 - int(r[3][0]-'0'))
	}
	all := chunks(t, records, 50)
	score := func(forget float64) float64 {
		state := beginSeveral(t, s, unbounded, forget)
		inRounds(t, state, all, 1, func(belief.Contribution) {})
		return report(t, state).Models[0].All.LogLoss()
	}
	l, err := stream.New(s, stream.Options{Alone: true, Forget: 0.02})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := l.Learn(r); err != nil {
			t.Fatal(err)
		}
	}
	want, forgets, keeps := l.Report().Models[0].All.LogLoss(), score(0.02), score(1e-9)
	if math.Abs(forgets-want) > 0.01 || math.Abs(keeps-want) < 2*math.Abs(forgets-want) {
		t.Errorf("log-loss %.4f with forgetting in the fold and %.4f without; one machine has %.4f", forgets, keeps, want)
	}
}

// Eight learners without a bound ruin the belief, and with it they do not.
func TestBoundKeepsTermsStable(t *testing.T) {
	s, records := shop(schema.Classes, 4000)
	all := chunks(t, records, 50)
	want := alone(t, s, records).Models[0].All.LogLoss()
	l, err := stream.New(s, shared.Several(stream.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	bounded := beginSeveral(t, s, shared.For(l, 8).Bound, l.Options().Forget)
	stale := inRounds(t, bounded, all, 8, func(belief.Contribution) {})
	if got := report(t, bounded).Models[0].All.LogLoss(); got > want+0.015 || stale == 0 {
		t.Errorf("log-loss %.4f with the bound and %d stale contributions; one learner has %.4f", got, stale, want)
	}
	free := beginSeveral(t, s, unbounded, 0)
	broke := false
	for next := 0; next < len(all) && !broke; next += 8 {
		var round []belief.Contribution
		for k := next; k < min(next+8, len(all)); k++ {
			c, err := free.Learn(uint64(k+1), all[k])
			if err != nil {
				broke = true // the numbers are no longer finite
				break
			}
			round = append(round, c)
		}
		for _, c := range round {
			broke = broke || free.Fold(c) == belief.Refused
		}
	}
	if !broke && report(t, free).Models[0].All.LogLoss() < want+0.03 {
		t.Errorf("without the bound the log-loss is %.4f; one learner has %.4f", report(t, free).Models[0].All.LogLoss(), want)
	}
}

// A belief that forgets remembers few rows, and the bound then lets one learner work at a time.
func TestForgettingBindsTheBound(t *testing.T) {
	s, _ := shop(schema.Classes, 0)
	for _, c := range []struct {
		options stream.Options
		several bool // two learners may work after a million rows
	}{{stream.Options{Alone: true}, false}, {shared.Several(stream.Options{}), true}, {shared.Several(stream.Options{Forget: 0.01}), false}} {
		l, err := stream.New(s, c.options)
		if err != nil {
			t.Fatal(err)
		}
		o := shared.For(l, 2)
		if got := o.Bound.Lack(1e6) >= float64(o.Rows); got != c.several {
			t.Errorf("with forgetting %g the bound allows %.1f rows to lack, and a chunk has %d", l.Options().Forget, o.Bound.Lack(1e6), o.Rows)
		}
	}
}
