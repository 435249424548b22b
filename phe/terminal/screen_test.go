package terminal

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"gophe/phe/disk/filetest"
)

// What reaches a terminal is shown and not run.
func TestScreen(t *testing.T) {
	file := filetest.Must(os.Create(filepath.Join(t.TempDir(), "terminal")))(t)
	defer file.Close()
	s := &screen{terminal: file}
	for _, part := range []string{"a\x1b[2J\a\r\x7f|\u009b31m\x9b\x80|\u202ex\u2066\u2069|\u200b\ufeff\u2028|\n\té", "👩\u200d👧\xc3",
		"\xa9 \xe9t\xe9", "\xe2", "\x80", "\xae\n"} {
		if n := filetest.Must(io.WriteString(s, part))(t); n != len(part) {
			t.Errorf("%d bytes of %d written", n, len(part))
		}
	}
	want := `a\x1b[2J\a\r\x7f|\u009b31m\x9b\x80|\u202ex\u2066\u2069|\u200b\ufeff\u2028|` + "\n\té👩\u200d👧é" + ` \xe9t\xe9\u202e` + "\n"
	if got := string(filetest.Must(os.ReadFile(file.Name()))(t)); got != want {
		t.Errorf("a terminal gets %q, want %q", got, want)
	}
	if got := Shown(s, "a\n\tb\x1b"); got != `a\n\tb\x1b` || Shown(file, "a\x1b") != "a\x1b" || Screen(file) != io.Writer(file) {
		t.Errorf("the name is %q", got)
	}
}
