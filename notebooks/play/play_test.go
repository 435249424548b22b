package play

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gophe/figures/draw"
	"gophe/phe/disk/filetest"
)

var all = []Control{
	Slider("B", 2, 64, 1, 7), Choice("assembly", "sum", "mean"), Text("item", "film <Alien>"), Player("row", 0, 9, 3),
}

func TestPosition(t *testing.T) {
	at := NewPosition(all...)
	const first = "B = 7, assembly = sum, item = film <Alien>, row = 3"
	filetest.Want(t, at.String(), first, "the position at first")
	filetest.Want(t, at.Number("B"), 7, "the number B")
	filetest.Want(t, at.Count("row"), 3, "the row")
	moved := at.With("B", 13).With("assembly", "mean")
	filetest.Want(t, moved.String(), "B = 13, assembly = mean, item = film <Alien>, row = 3", "the moved position")
	filetest.Want(t, at.String(), first, "the position that was moved, afterwards")
}

// A message from the page cannot give a control a value that it cannot have.
func TestBadMessages(t *testing.T) {
	at := NewPosition(all...)
	for _, wrong := range [][2]string{{"B", "65"}, {"B", "NaN"}, {"B", "much"}, {"assembly", "product"}, {"nobody", "1"}, {"row", "-1"}} {
		moved := at.moved(map[string]string{wrong[0]: wrong[1], "item": "film <Alien 2>"})
		filetest.Want(t, moved.values, at.With("item", "film <Alien 2>").values, "the values after %q", wrong)
	}
	for name, wrong := range map[string]func(){
		"another name": func() { at.Number("b") }, "two of a name": func() { NewPosition(Text("a", "b"), Text("a", "")) },
		"a text as a number":   func() { at.Number("item") },
		"a value out of range": func() { at.With("B", 65) },
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

// Without a browser the picture of the first position is drawn once.
func TestShowWithoutBrowser(t *testing.T) {
	times := 0
	fig := Show(func(at Position) *draw.Figure {
		times++
		return draw.New("", "").Figure(fmt.Sprint("B is ", at.Count("B")))
	}, all...)
	filetest.Want(t, times, 1, "pictures")
	filetest.Want(t, fig.Caption, "B is 7", "the last picture")
}
