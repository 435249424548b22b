package cell

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"

	"gophe/figures/draw"
)

// headlessVariable is the environment variable that says that there is no browser. Without it a cell waits some seconds for a
// browser's answer.
const headlessVariable = "GOPHE_HEADLESS"

// patience is the time in which a browser answers. It usually takes a tenth of a second, on a busy machine some seconds.
const patience = 8 * time.Second

// again is the time without an answer after which the connection is made again. GoNB takes a connection of the last second for a
// good one.
const again = 1500 * time.Millisecond

//go:embed play.js
var script string

//go:embed play.css
var style string

// message is a move of a control, as the page sends it. It holds the values of all controls, so that an older one is worth nothing.
type message struct {
	Number int               `json:"n"` // 1, 2, 3 and so on
	Values map[string]string `json:"values"`
	Stop   bool              `json:"stop"`
}

// link is the connection to a widget on the page.
type link struct {
	id     string
	answer func()        // closes heard
	heard  chan struct{} // closed as soon as the page has answered
	moves  chan message  // has room for the newest one

	mu     sync.Mutex
	newest int // number of the newest message
}

func newLink() *link {
	l := &link{id: "gophe-" + gonbui.UniqueId(), heard: make(chan struct{}), moves: make(chan message, 1)}
	l.answer = sync.OnceFunc(func() { close(l.heard) })
	return l
}

// open puts controls on the page and waits for the browser's answer. It returns nil if none comes, and outside a notebook.
func open(controls []Control) *link {
	if !gonbui.IsNotebook || os.Getenv(headlessVariable) != "" {
		return nil
	}
	l := newLink()
	comms.Subscribe(l.id+"/in", func(_ string, text string) { l.hear(text) })
	gonbui.UpdateHTML(l.id, l.page(controls))
	Sync()
	go l.invite()
	select {
	case <-l.heard:
		return l
	case <-time.After(patience):
		l.close()
		return nil
	}
}

// invite asks GoNB to connect to the page again if the page does not answer. The first answer of the kernel can be lost while the
// page's connection is being made, and then neither side tries again by itself.
func (l *link) invite() {
	for range patience / again {
		select {
		case <-l.heard:
			return
		case <-time.After(again):
			comms.Start()
		}
	}
}

// hear takes a message from the page: its greeting, which has no number, or a move. GoNB delivers each in a goroutine of its own, and so
// in any order.
func (l *link) hear(text string) {
	var m message
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		log.Printf("the page sent %q, which is not a message: %v", text, err)
		return
	}
	l.answer()
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.Number <= l.newest {
		return
	}
	l.newest = m.Number
	select {
	case <-l.moves: // an older move, which nobody has taken yet
	default:
	}
	l.moves <- m
}

// page returns the widget's elements, style and script.
func (l *link) page(controls []Control) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<style>%s</style><div class="gophe-play" id="%s" data-lm-suppress-shortcuts="true">`, style, l.id)
	b.WriteString(`<div class="picture"></div><div class="controls">`)
	for _, c := range controls {
		fmt.Fprintf(&b, "<div>%s</div>", c.html)
	}
	b.WriteString(`<div><button type="button" data-stop="1" title="end this cell">Stop</button> <span class="status"></span></div>`)
	fmt.Fprintf(&b, "</div></div><script>(%s)(%q)</script>", script, l.id)
	return b.String()
}

// send shows a picture, as the answer to the move with a number.
func (l *link) send(fig *draw.Figure, number int) {
	drawing, err := fig.SVG()
	if err != nil {
		log.Printf("the picture cannot be drawn: %v", err)
		return
	}
	if at := bytes.Index(drawing, []byte("<svg")); at > 0 {
		drawing = drawing[at:] // without the XML header, which HTML does not know
	}
	answer, _ := json.Marshal(map[string]any{"n": number, "svg": string(drawing)})
	comms.Send(l.id+"/out", string(answer))
}

// close takes the widget off the page.
func (l *link) close() {
	comms.Send(l.id+"/out", `{"closed": true}`)
	gonbui.UpdateHTML(l.id, "")
	Sync()
}

// maxSync is the time after which Sync gives up.
const maxSync = 10 * time.Second

// Sync waits until the page has what was sent. GoNB's own Sync waits forever if the kernel was killed, and the cell's program would
// stay behind.
func Sync() {
	done := make(chan struct{})
	go func() {
		gonbui.Sync()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(maxSync):
	}
}

// note lists the values of a picture's controls, for readers of a page without controls.
func note(at Position) {
	said := "Run this cell in JupyterLab to move the controls."
	if stands := at.String(); stands != "" {
		said = html.EscapeString(stands) + ". " + said
	}
	gonbui.DisplayHTML(fmt.Sprintf(`<p class="gophe-position"><i>%s</i></p>`, said))
}
