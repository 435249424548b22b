package cell

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gophe/phe/disk/filetest"
)

// A message from the page cannot give a control a value that it cannot have. A name that no control has is a mistake of the cell.
func TestBadMessages(t *testing.T) {
	at := NewPosition(Slider("B", 2, 64, 1, 7), Choice("assembly", "sum", "mean"), Text("item", "film <Alien>"), Player("row", 0, 9, 3))
	for _, wrong := range [][2]string{{"B", "65"}, {"B", "NaN"}, {"B", "much"}, {"assembly", "product"}, {"nobody", "1"}, {"row", "-1"}} {
		moved := at.moved(map[string]string{wrong[0]: wrong[1], "item": "Up"})
		filetest.Want(t, moved.String(), "B = 7, assembly = sum, item = Up, row = 3", "the position after %q", wrong)
	}
	for name, wrong := range map[string]func(){
		"another name": func() { at.Number("b") }, "two of a name": func() { NewPosition(Text("a", "b"), Text("a", "")) },
		"a text as a number": func() { at.Number("item") },
	} {
		func() {
			defer func() { filetest.True(t, recover() != nil, "%s: no panic", name) }()
			wrong()
		}()
	}
}

// Names and values of controls are text on the page, whatever they hold.
func TestControlsAreEscaped(t *testing.T) {
	const harm = `"><script>harm()</script>`
	for _, c := range []Control{Slider(harm, 0, 1, 1, 0), Player(harm, 0, 1, 0), Choice(harm, harm), Text(harm, harm)} {
		filetest.WantNone(t, c.html, "<script>")
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
		m := <-l.moves
		filetest.Want(t, m.Number, n, "seed %d: the number of the move", seed)
		filetest.Want(t, m.Values["B"], fmt.Sprint(n-1), "seed %d: its value", seed)
		filetest.Want(t, len(l.moves), 0, "seed %d: older moves that wait", seed)
	}
}
