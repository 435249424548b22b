package play

import (
	"fmt"
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
	for _, m := range []message{
		{Name: "B", Value: "65"}, {Name: "B", Value: "NaN"}, {Name: "B", Value: "much"}, {Name: "assembly", Value: "product"},
		{Name: "nobody", Value: "1"}, {Name: "row", Value: "-1"},
	} {
		if moved, ok := at.moved(m); ok {
			t.Errorf("%+v is taken: %v", m, moved)
		}
	}
	for name, wrong := range map[string]func(){
		"another name": func() { at.Number("b") }, "two of a name": func() { NewPosition(Text("a", "b"), Text("a", "")) }, "a text as a number": func() { at.Number("item") },
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
		if strings.Contains(c.html(), "<script>") {
			t.Errorf("%s: %s", c.kind, c.html())
		}
	}
}

// Messages in any order come out in the order in which they were sent. The last move gets a picture.
func TestMoves(t *testing.T) {
	for seed := range uint64(50) {
		q := newMoves()
		const n = 40
		for _, i := range rand.New(rand.NewPCG(seed, 1)).Perm(n) {
			q.put(message{Number: i + 1, Value: fmt.Sprint(i)})
			q.put(message{Number: i + 1, Value: "twice"})
		}
		for i, m := range q.take() {
			if m.Number != i+1 || m.Value != fmt.Sprint(i) {
				t.Fatalf("seed %d: message %d is %+v", seed, i, m)
			}
			if m.skip != (i < n-1) {
				t.Errorf("seed %d: %+v is skipped: %t", seed, m, m.skip)
			}
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
