package cluster

import (
	"context"
	"io"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/cluster/clustertest"
)

var errDeath = errors.New("the learner died")

// shortWait gives the chunks of dead learners to others soon.
func shortWait(o *Options) { o.AckWait = 100 * time.Millisecond }

// A learner that dies at any place loses nothing, and nothing counts twice.
func TestLearnerDies(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"pulled", "learned", "published", "ruled", "acknowledged"} {
		t.Run(place, func(t *testing.T) {
			l := newPlace(t).fed(shortWait)
			f := follow(t, t.Context(), l)
			died := 0
			background(t, t.Context(), func(ctx context.Context) error {
				for {
					passed := 0
					learner := NewLearner(f, 1)
					learner.at = func(here string) error {
						if here != place {
							return nil
						}
						if passed++; passed == 3 && died < 4 {
							died++
							return errDeath
						}
						return nil
					}
					if err := learner.Run(ctx); !errors.Is(err, errDeath) {
						return err
					}
				}
			})
			if v := complete(t, l, f); v.Repeated != 0 {
				t.Errorf("one follower served all learners, and %d contributions are repeated", v.Repeated)
			}
			if died != 4 {
				t.Errorf("%d learners died, want 4", died)
			}
		})
	}
}

// waitAt returns a hook that waits at a place, the first time, until the test lets it go on.
func waitAt(place string) (hook func(string) error, there, goOn chan struct{}) {
	there, goOn = make(chan struct{}), make(chan struct{})
	var once sync.Once
	return func(here string) error {
		if here == place {
			once.Do(func() { close(there); <-goOn })
		}
		return nil
	}, there, goOn
}

// Two learners have one chunk, because the first shows no sign of life. If both learned it from one prior, the server drops the second
// message. If not, the first contribution counts and the second one is repeated.
func TestTwoLearnersOneChunk(t *testing.T) {
	t.Parallel()
	for _, samePrior := range []bool{true, false} {
		p := newPlace(t)
		l := p.fed(shortWait)
		f, g := follow(t, t.Context(), l), follow(t, t.Context(), p.log(shortWait))
		slow, quick := NewLearner(f, 2), NewLearner(g, 2)
		if !samePrior { // the quick learner gets chunk 2 before chunk 1 comes to it
			if _, err := l.js.CreateConsumer(t.Context(), l.o.rowsStream(), (&outlet{learner: slow}).config(2)); err != nil {
				t.Fatal(err)
			}
		}
		var learned, goOn chan struct{}
		slow.silent = true
		slow.at, learned, goOn = waitAt("learned")
		background(t, t.Context(), slow.Run)
		<-learned
		background(t, t.Context(), quick.Run)
		if err := g.Wait(limited(t), func(s *belief.State) bool { return s.Ledger.Has(1) }); err != nil {
			t.Fatal(err)
		}
		close(goOn)
		complete(t, l, g)
		if samePrior {
			continue
		}
		if err := f.Wait(limited(t), func(s *belief.State) bool { return s.Verdicts[belief.Repeated] == 1 }); err != nil {
			t.Fatal(err)
		}
	}
}

// A working learner is not silent, so nobody else gets its chunk.
func TestSlowLearnerKeepsItsChunk(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed(shortWait)
	f := follow(t, t.Context(), l)
	learner := NewLearner(f, 1)
	background(t, t.Context(), learner.Run)
	var once sync.Once
	slow := NewLearner(f, 1)
	slow.at = func(place string) error {
		if place == "learned" {
			once.Do(func() { time.Sleep(4 * l.o.AckWait) }) // a step that takes longer than AckWait
		}
		return nil
	}
	background(t, t.Context(), slow.Run)
	if v := complete(t, l, f); v.Repeated != 0 {
		t.Errorf("%d contributions are repeated", v.Repeated)
	}
}

// The servers forget every acknowledgement. Nothing counts twice.
func TestAcknowledgementsForgotten(t *testing.T) {
	t.Parallel()
	for _, at := range []uint64{1, numChunks / 2, numChunks} {
		l := newPlace(t).fed(shortWait)
		f := follow(t, t.Context(), l)
		background(t, t.Context(), NewLearner(f, 1).Run)
		if err := f.Wait(limited(t), func(s *belief.State) bool { return s.Ledger.Len() >= at }); err != nil {
			t.Fatal(err)
		}
		if err := l.ForgetDeliveries(t.Context()); err != nil {
			t.Fatal(err)
		}
		complete(t, l, f)
	}
}

// A chunk was acknowledged and never learned. Learners find the gap in the ledger.
func TestChunkAcknowledgedUnlearned(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed(shortWait)
	f := follow(t, t.Context(), l)
	consumer, err := l.js.CreateConsumer(t.Context(), l.o.rowsStream(), (&outlet{learner: NewLearner(f, 1)}).config(1))
	if err != nil {
		t.Fatal(err)
	}
	m, err := consumer.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.DoubleAck(t.Context()); err != nil {
		t.Fatal(err)
	}
	background(t, t.Context(), NewLearner(f, 1).Run)
	complete(t, l, f)
}

// With a bound of 0 a prior may lack nothing. Learners then work in turn, and a contribution from an older prior is stale.
func TestStale(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.log(shortWait)
	s := startState()
	s.Bound.Share = 0
	if err := l.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := l.Feed(t.Context(), chunks(numRows)); err != nil {
		t.Fatal(err)
	}
	// The consumer gives out two chunks at once, against the bound.
	f, g := follow(t, t.Context(), l), follow(t, t.Context(), p.log(shortWait))
	if _, err := l.js.CreateConsumer(t.Context(), l.o.rowsStream(), (&outlet{learner: NewLearner(f, 1)}).config(2)); err != nil {
		t.Fatal(err)
	}
	slow := NewLearner(f, 2)
	var learned, goOn chan struct{}
	slow.at, learned, goOn = waitAt("learned")
	background(t, t.Context(), slow.Run)
	<-learned
	background(t, t.Context(), NewLearner(g, 2).Run)
	if err := g.Wait(limited(t), func(s *belief.State) bool { return s.Version > 0 }); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	complete(t, l, f)
	if slow.Metrics().Stale == 0 {
		t.Error("no contribution was stale")
	}
}

// The number of chunks that are given out at once follows the bound.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	state := func(share float64, version, rows uint64) *belief.State {
		return &belief.State{Bound: belief.Bound{Share: share}, Version: version, Rows: rows}
	}
	for _, c := range []struct {
		name  string
		state *belief.State
		want  int
	}{
		{"nothing learned", state(math.MaxFloat64, 0, 0), 1},
		{"no bound", state(math.MaxFloat64, 1, 50), 8},
		{"nothing may lack", state(0, 100, 5000), 1},
		{"less than a chunk", state(0.05, 19, 950), 1},
		{"one chunk", state(0.05, 20, 1000), 2},
		{"three chunks", state(0.05, 60, 3000), 4},
		{"more than learners", state(0.05, 600, 30000), 8},
		{"memory", &belief.State{Bound: belief.Bound{Share: 0.05, Memory: 2000}, Version: 600, Rows: 30000}, 3},
		{"no row could be learned", state(0.05, 600, 0), 1},
	} {
		if got := atOnce(c.state, 8); got != c.want {
			t.Errorf("%s: %d at once, want %d", c.name, got, c.want)
		}
	}
}

// Learners raise the number of chunks at once as rows come in, and never lower another learner's number.
func TestRamp(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.log()
	s := startState()
	s.Bound.Share = 0.2
	if err := l.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := l.Feed(t.Context(), chunks(numRows)); err != nil {
		t.Fatal(err)
	}
	f := follow(t, t.Context(), l)
	background(t, t.Context(), NewLearner(f, 3).Run)
	background(t, t.Context(), NewLearner(f, 3).Run)
	complete(t, l, f)
	o, err := l.Outlet(limited(t))
	if err != nil {
		t.Fatal(err)
	}
	if o.AtOnce != 3 {
		t.Errorf("%d chunks at once, want 3", o.AtOnce)
	}
}

// refusing refuses every delta.
type refusing struct{ *clustertest.Linear }

func (refusing) Add([]byte, uint64) error { return errors.New("a precision would be negative") }

func openRefusing(b []byte) (belief.Shared, error) {
	s, err := clustertest.Small.Open(b)
	return refusing{s.(*clustertest.Linear)}, err
}

// A refused contribution and a chunk that cannot be learned end the learner, because the belief would stand still in silence.
func TestRefused(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed()
	f, err := l.Follow(t.Context(), openRefusing)
	if err != nil {
		t.Fatal(err)
	}
	err = NewLearner(f, 1).Run(limited(t))
	if wantError(t, err, "refuses what was learned from chunk 1"); f.Metrics().Refused == 0 {
		t.Error("no verdict is refused")
	}
}

func TestChunkCannotBeLearned(t *testing.T) {
	t.Parallel()
	l := newPlace(t).log()
	if err := l.Create(t.Context(), startState()); err != nil {
		t.Fatal(err)
	}
	err := l.Feed(t.Context(), func(number uint64) ([]byte, error) {
		if number > 1 {
			return nil, io.EOF
		}
		return []byte("no row"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, NewLearner(follow(t, t.Context(), l), 1).Run(limited(t)), "no learner can learn these rows")
}
