package play

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"gophe/figures/draw"
)

var all = []Control{
	Slider("B", 2, 64, 1, 7), Choice("assembly", "sum", "mean"), Text("item", "film <Alien>"), Player("row", 0, 9, 3),
}

func TestPosition(t *testing.T) {
	at := NewPosition(all...)
	if at.Number("B") != 7 || at.Count("row") != 3 || at.Text("assembly") != "sum" || at.Text("item") != "film <Alien>" {
		t.Errorf("controls begin at %v", at)
	}
	moved := at.With("B", 13).With("assembly", "mean")
	if moved.Count("B") != 13 || moved.Text("assembly") != "mean" || at.Count("B") != 7 {
		t.Errorf("moved to %v from %v", moved, at)
	}
	if got, want := moved.String(), "B = 13, assembly = mean, item = film <Alien>, row = 3"; got != want {
		t.Errorf("the position reads %q, want %q", got, want)
	}
}

// A message from the page cannot give a control a value that it cannot have.
func TestBadMessages(t *testing.T) {
	at := NewPosition(all...)
	for _, wrong := range [][2]string{{"B", "65"}, {"B", "NaN"}, {"B", "much"}, {"assembly", "product"}, {"nobody", "1"}, {"row", "-1"}} {
		moved := at.moved(map[string]string{wrong[0]: wrong[1], "item": "film <Alien 2>"})
		if !maps.Equal(moved.values, at.With("item", "film <Alien 2>").values) {
			t.Errorf("%q is taken: %v", wrong, moved)
		}
	}
	for name, wrong := range map[string]func(){
		"another name": func() { at.Number("b") }, "two of a name": func() { NewPosition(Text("a", "b"), Text("a", "")) }, "a text as a number": func() { at.Number("item") },
		"a value out of range": func() { at.With("B", 65) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			wrong()
		}()
	}
}

// Names and values of controls are text on the page, whatever they hold.
func TestControlsAreEscaped(t *testing.T) {
	const harm = `"><script>harm()</script>`
	for _, c := range []Control{Slider(harm, 0, 1, 1, 0), Player(harm, 0, 1, 0), Choice(harm, harm), Text(harm, harm)} {
		if strings.Contains(c.html, "<script>") {
			t.Error(c.html)
		}
	}
}

// Whatever the order in which messages come, the newest of them is taken.
func TestNewestMove(t *testing.T) {
	for seed := range uint64(50) {
		l := newLink()
		const n = 40
		for _, i := range rand.New(rand.NewPCG(seed, 1)).Perm(n) {
			l.hear(fmt.Sprintf(`{"n": %d, "values": {"B": "%d"}}`, i+1, i))
			l.hear(`{"hello": true}`)
		}
		if m := <-l.moves; m.Number != n || m.Values["B"] != fmt.Sprint(n-1) {
			t.Errorf("seed %d: the move is %+v", seed, m)
		}
		if len(l.moves) > 0 {
			t.Errorf("seed %d: an older move waits", seed)
		}
	}
}

// Without a browser the picture of the first position is drawn once.
func TestShowWithoutBrowser(t *testing.T) {
	times := 0
	fig := Show(func(at Position) *draw.Figure {
		times++
		return draw.New("", "").Figure(fmt.Sprint("B is ", at.Count("B")))
	}, all...)
	if times != 1 || fig.Caption != "B is 7" {
		t.Errorf("%d pictures; the last says %q", times, fig.Caption)
	}
}
