package cluster

import (
	"context"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk/filetest"
	"gophe/phe/internal/clustertest"
	"gophe/phe/internal/fold"
)

var errDeath = errors.New("the learner died")

// runUntilDeath runs a learner. A hook that panics with an error lets it die with that error.
func (l *learner) runUntilDeath(ctx context.Context) (err error) {
	defer func() {
		if death := recover(); death != nil {
			err = death.(error)
		}
	}()
	return l.run(ctx)
}

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
					learner := newLearner(f)
					learner.at = func(here string) {
						if here != place {
							return
						}
						if passed++; passed == 3 && died < 4 {
							died++
							panic(errDeath)
						}
					}
					if err := learner.runUntilDeath(ctx); !errors.Is(err, errDeath) {
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

// waitAt returns a hook that waits at a place, the first time, until the test lets it continue.
func waitAt(place string) (hook func(string), there, goOn chan struct{}) {
	there, goOn = make(chan struct{}), make(chan struct{})
	var once sync.Once
	return func(here string) {
		if here == place {
			once.Do(func() { close(there); <-goOn })
		}
	}, there, goOn
}

// twoAtOnce lets the servers give out two chunks at a time, as a hand can set it.
func twoAtOnce(t *testing.T, l *learner) {
	t.Helper()
	c := l.consumerConfig()
	c.MaxAckPending = 2
	filetest.Must(l.log.JS.CreateConsumer(t.Context(), l.log.o.rowsStream(), c))(t)
}

// Two learners have one chunk, because the first shows no sign of life. If both learned it from one prior, the server drops the second
// message. If not, the first contribution counts and the second one is repeated.
func TestTwoLearnersOneChunk(t *testing.T) {
	t.Parallel()
	for _, samePrior := range []bool{true, false} {
		p := newPlace(t)
		l := p.fed(shortWait)
		f, g := follow(t, t.Context(), l), follow(t, t.Context(), p.log(shortWait))
		slow, quick := newLearner(f), newLearner(g)
		if !samePrior { // the quick learner gets chunk 2 before chunk 1 comes to it
			twoAtOnce(t, slow)
		}
		var learned, goOn chan struct{}
		slow.silent = true
		slow.at, learned, goOn = waitAt("learned")
		background(t, t.Context(), slow.run)
		<-learned
		background(t, t.Context(), quick.run)
		filetest.Check(t, g.wait(limited(t), func(s *fold.State) bool { return s.Ledger.Has(1) }))
		close(goOn)
		complete(t, l, g)
		if samePrior {
			continue
		}
		filetest.Check(t, f.wait(limited(t), func(s *fold.State) bool { return s.Verdicts[fold.Repeated] == 1 }))
	}
}

// A working learner is not silent, so no other learner gets its chunk.
func TestSlowLearnerKeepsItsChunk(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed(shortWait)
	f := follow(t, t.Context(), l)
	learner := newLearner(f)
	background(t, t.Context(), learner.run)
	var once sync.Once
	slow := newLearner(f)
	slow.at = func(place string) {
		if place == "learned" {
			once.Do(func() { time.Sleep(4 * l.o.AckWait) }) // a step that takes longer than AckWait
		}
	}
	background(t, t.Context(), slow.run)
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
		background(t, t.Context(), newLearner(f).run)
		filetest.Check(t, f.wait(limited(t), func(s *fold.State) bool { return s.Ledger.Len() >= at }))
		filetest.Check(t, l.ForgetDeliveries(t.Context()))
		complete(t, l, f)
	}
}

// A chunk was acknowledged and never learned. Learners find the gap in the ledger.
func TestChunkAcknowledgedUnlearned(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed(shortWait)
	f := follow(t, t.Context(), l)
	consumer := filetest.Must(l.JS.CreateConsumer(t.Context(), l.o.rowsStream(), newLearner(f).consumerConfig()))(t)
	m := filetest.Must(consumer.Next())(t)
	filetest.Check(t, m.DoubleAck(t.Context()))
	background(t, t.Context(), newLearner(f).run)
	complete(t, l, f)
}

// A contribution from an older version of the belief is refused, and its learner learns the chunk again.
func TestLearnsAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	l := p.fed(shortWait)
	f, g := follow(t, t.Context(), l), follow(t, t.Context(), p.log(shortWait))
	slow := newLearner(f)
	twoAtOnce(t, slow)
	var learned, goOn chan struct{}
	slow.at, learned, goOn = waitAt("learned")
	background(t, t.Context(), slow.run)
	<-learned
	background(t, t.Context(), newLearner(g).run)
	filetest.Check(t, g.wait(limited(t), func(s *fold.State) bool { return s.Version > 0 }))
	close(goOn)
	complete(t, l, f)
	if f.Metrics().Learner.Refused == 0 {
		t.Error("no contribution was refused")
	}
}

// refusing refuses every delta.
type refusing struct{ *clustertest.Linear }

func (refusing) Add([]byte) error { return errors.New("a precision would be negative") }

func openRefusing(b []byte) (fold.Shared, error) {
	s, err := clustertest.Open(b)
	return refusing{s.(*clustertest.Linear)}, err
}

// A refused contribution and a chunk that cannot be learned end the learner. Otherwise the belief would stop without a word.
func TestRefused(t *testing.T) {
	t.Parallel()
	l := newPlace(t).fed()
	f := filetest.Must(l.Follow(t.Context(), openRefusing))(t)
	filetest.WantError(t, newLearner(f).run(limited(t)), "refuses what was learned from chunk 1")
	if ruled(f, fold.Refused) == 0 {
		t.Error("no verdict is refused")
	}
}

func TestChunkCannotBeLearned(t *testing.T) {
	t.Parallel()
	l := newPlace(t).log()
	filetest.Check(t, l.Create(t.Context(), startState()))
	err := l.Feed(t.Context(), func(number uint64) ([]byte, error) {
		if number > 1 {
			return nil, io.EOF
		}
		return []byte("no row"), nil
	})
	filetest.Check(t, err)
	filetest.WantError(t, newLearner(follow(t, t.Context(), l)).run(limited(t)), "no learner can learn these rows")
}
