// Package play puts controls under a picture of a notebook. It draws the picture anew whenever the reader moves one.
//
//	show.Figure(play.Show(show.Lookup, play.Slider("B", 2, 64, 1, 7), play.Text("item", "film_Alien")))
//
// The controls live in the browser, the drawing function in the cell's program. They talk over the comms of GoNB. A kernel runs
// one cell at a time, so a cell with controls must end by itself. It ends when the reader presses Stop, when another cell waits,
// at the kernel's interrupt, and after three minutes without a move. Where no browser answers, such as under nbconvert, it
// draws the first picture and ends.
//
// GoNB has a slider, a list and a button of its own. They are not used here, for three reasons. Each of their values goes to a
// goroutine of its own, so that the last one to arrive need not be the newest. Their constructors wait for a browser forever. And
// they need several round trips each, where one message can build all controls.
package play

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

// Show draws the picture of the controls' first position. In a browser it draws again after each move, until the reader stops.
// It returns the last picture. A move is skipped while newer ones wait.
func Show(draw func(at Position) *draw.Figure, controls ...Control) *draw.Figure {
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
