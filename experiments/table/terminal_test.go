package table

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"gophe/phe/disk/filetest"
)

// page is a page with a table of two rows.
func page() Page {
	t := New(1, "method", "accuracy %", "what it does")
	t.Columns[2].Text = true
	t.Above = "Two methods on one stream, and a sentence that is long enough to be wrapped.\n\n"
	t.Add("PHE", "84.46 ± 0.16<br>(84.1 ± 0.2)", "learns")
	t.Add("Ada a|b", 9.5, "stays")
	t.Note("A note about the second line, wrapped below its text.")
	return t.Page()
}

func TestRender(t *testing.T) {
	for _, c := range []struct {
		width int
		want  string
	}{
		{60, `Two methods on one stream, and a sentence that is long
enough to be wrapped.

method     accuracy %  what it does
───────  ────────────  ────────────
PHE      84.46 ± 0.16  learns
         (84.1 ± 0.2)

Ada a|b           9.5  stays

[1] A note about the second line, wrapped below its text.
`},
		{32, `Two methods on one stream, and a
sentence that is long enough to
be wrapped.

method     accuracy %  what it
                       does
───────  ────────────  ─────────
PHE      84.46 ± 0.16  learns
         (84.1 ± 0.2)

Ada a|b           9.5  stays

[1] A note about the second
    line, wrapped below its
    text.
`},
	} {
		if got := page().render(c.width); got != c.want {
			t.Errorf("%d columns:\n%s\nwant\n%s", c.width, got, c.want)
		}
	}
}

// Whatever the width, no line is longer, and no word is lost.
func TestRenderFits(t *testing.T) {
	words := strings.Fields(strings.NewReplacer("|---|---:|---|", "", `\|`, "·", "|", " ", "<br>", " ").Replace(page().String()))
	for width := 24; width < 120; width++ {
		got := page().render(width)
		for _, line := range strings.Split(got, "\n") {
			if uniseg.StringWidth(line) > width {
				t.Errorf("%d columns, and the line %q", width, line)
			}
		}
		shown := map[string]bool{}
		for _, word := range strings.Fields(strings.ReplaceAll(got, "a|b", "a·b")) {
			shown[word] = true
		}
		for _, word := range words {
			if !shown[word] {
				t.Errorf("%d columns: no %q in\n%s", width, word, got)
			}
		}
	}
}

// A table of whole cells that is too wide is cut into several, and each names the rows.
func TestParts(t *testing.T) {
	wide := New(2, "item", "method", "parameters", "accuracy %", "log-likelihood")
	wide.Add("adult", "PHE", 346, "84.46 ± 0.16", "-0.3350 ± 0.0010")
	wide.Add("adult", "P-EE", 3920, "84.79 ± 0.06", "-0.3270 ± 0.0003")
	got := wide.Page().render(42)
	want := `item   method  parameters    accuracy %
─────  ──────  ──────────  ────────────
adult  PHE            346  84.46 ± 0.16
adult  P-EE          3920  84.79 ± 0.06

item   method    log-likelihood
─────  ──────  ────────────────
adult  PHE     -0.3350 ± 0.0010
adult  P-EE    -0.3270 ± 0.0003
`
	if got != want {
		t.Errorf("%s", got)
	}
}

// A file and a pipe get the page as it is.
func TestPrint(t *testing.T) {
	var b bytes.Buffer
	if err := page().Print(&b); err != nil || b.String() != page().String() {
		t.Errorf("%v: %s", err, b.String())
	}
	path := filepath.Join(t.TempDir(), "page.md")
	f := filetest.Must(os.Create(path))(t)
	filetest.Check(t, page().Print(f))
	filetest.Check(t, f.Close())
	if got, err := os.ReadFile(path); err != nil || string(got) != page().String() {
		t.Errorf("%v: %s", err, got)
	}
	if err := page().Print(f); err == nil {
		t.Error("a closed file takes a page")
	}
}

// A number and its deviation stay on one line, even where they are too wide.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"about 84.46 ± 0.16 percent", 12, "about|84.46 ± 0.16|percent"},
		{"about 84.46 ± 0.16 percent", 5, "about|84.46 ± 0.16|percent"},
		{"one<br>two three", 9, "one|two three"},
		{"", 9, ""},
	} {
		if got := strings.Join(Wrap(c.text, c.width), "|"); got != c.want {
			t.Errorf("%q in %d columns: %s, want %s", c.text, c.width, got, c.want)
		}
	}
}

func TestHang(t *testing.T) {
	if got, want := hang(4, "a text that is wrapped in columns", 30), "a text that is wrapped in\n    columns"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := hang(40, "a text that is wrapped", 30), "a text that is\n"+strings.Repeat(" ", 40)+"wrapped"; got != want {
		t.Errorf("no room: %q, want %q", got, want)
	}
	if text := strings.Repeat("long ", 60); Hang(&bytes.Buffer{}, 4, text) != text {
		t.Error("a pipe gets wrapped text")
	}
}

// Control characters are shown, and tables stay aligned.
func TestRenderShows(t *testing.T) {
	wide := New(1, "na\x1bme", "rows")
	wide.Add("a\u202eb\n", 1)
	wide.Add("plain", 22)
	if got, want := wide.Page().render(80), "na\\x1bme    rows\n──────────  ────\na\\u202eb\\n     1\nplain         22\n"; got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}
