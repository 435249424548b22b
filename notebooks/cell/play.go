package cell

import (
	"context"
	"maps"
	"os"
	"os/signal"
	"time"

	"gophe/figures/draw"
)

// idle is the time without a move after which a cell ends.
const idle = 3 * time.Minute

// Play draws the picture of the controls' first position. In a browser it draws again after each move, until the reader stops:
//
//	cell.Figure(cell.Play(lesson.OneRow, cell.Slider("mean of q", -1, 2, 0.05, 0.2)))
//
// It returns the last picture. A move is skipped while newer ones wait.
func Play(draw func(at Position) *draw.Figure, controls ...Control) *draw.Figure {
	at := NewPosition(controls...)
	fig := draw(at)
	l := open(controls)
	if l == nil {
		note(at)
		return fig
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fig, at = l.follow(ctx, draw, at, fig)
	l.close()
	note(at)
	return fig
}

// follow draws a picture for each move until the reader stops. It returns the last picture and position.
func (l *link) follow(ctx context.Context, draw func(at Position) *draw.Figure, at Position, fig *draw.Figure) (*draw.Figure, Position) {
	l.send(fig, 0)
	for {
		select {
		case <-ctx.Done():
			return fig, at
		case <-time.After(idle):
			return fig, at
		case m := <-l.moves:
			if moved := at.moved(m.Values); !maps.Equal(moved.values, at.values) {
				at, fig = moved, draw(moved)
			}
			if m.Stop {
				return fig, at
			}
			l.send(fig, m.Number)
		}
	}
}
