package progress

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever the width, a line fits it with a column to spare: one that wraps could not be drawn over.
func TestProgressLineFits(t *testing.T) {
	for width := 2; width < 200; width++ {
		for _, doing := range []string{"", "PHE: step 1 of 317", "Gamma–Poisson filter: initial epoch 2 of 100"} {
			line := fit(width, 0.37, "[1/3] adult-online", "37 %, about 1m20s left", doing)
			if n := utf8.RuneCountInString(line); n >= width || strings.Contains(line, "\n") {
				t.Errorf("%d columns for %q", n, line)
			}
		}
	}
	if got := fit(70, 0.5, "small", "50 %", "PHE"); got != "small  50 %  PHE "+strings.Repeat("━", 20)+strings.Repeat("╌", 20) {
		t.Errorf("%q", got)
	}
	if got := fit(10, 0.5, "small", "50 %", "PHE"); got != "small  5…" {
		t.Errorf("%q", got)
	}
}
