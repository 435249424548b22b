package play

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"time"

	"gophe/figures"
)

// between is the shortest time between two pictures of a computation.
const between = 150 * time.Millisecond

// Live runs a computation that shows pictures while it runs, under a Stop button. Stop and the kernel's interrupt cancel the
// computation's context. Live returns the last picture that was shown, or nil if none was. Pictures that come too fast for a
// reader are not drawn. Other waiting cells do not stop it.
func Live(run func(ctx context.Context, show func(*figures.Figure))) *figures.Figure {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := stage{link: connect(nil, "running")}
	if s.link != nil {
		go s.watch(ctx, cancel)
		defer s.link.close()
	}
	run(ctx, s.show)
	return s.last()
}

// stage shows the newest picture of a computation.
type stage struct {
	mu    sync.Mutex
	link  *link // nil without a browser
	fig   *figures.Figure
	drawn time.Time
}

// show keeps a picture, and draws it if the last drawing is long ago.
func (s *stage) show(fig *figures.Figure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fig = fig
	if s.link != nil && time.Since(s.drawn) > between {
		s.drawn = time.Now()
		s.link.send(fig, 0)
	}
}

func (s *stage) last() *figures.Figure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fig
}

// watch draws the newest picture once the page is ready, and cancels the computation when the reader stops it.
func (s *stage) watch(ctx context.Context, cancel func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.link.hello:
			if fig := s.last(); fig != nil {
				s.link.send(fig, 0)
			}
		case <-s.link.moves.some:
			for _, m := range s.link.moves.take() {
				if m.Stop {
					cancel()
				}
			}
		}
	}
}
