package table

import (
	"slices"
	"testing"
)

// Each printer escapes what its format needs.
func TestPrinters(t *testing.T) {
	made := New(1, "a|b", "n")
	made.Add("x, \"y\"", 1)
	made.Add("<|>", made.Note("why"))
	made.Above, made.Below = "above\n\n", "\nbelow\n"
	for name, c := range map[string][2]string{
		"Markdown": {made.String(), "above\n\n| a\\|b | n |\n|---|---:|\n| x, \"y\" | 1 |\n| <\\|> |  [1] |\n\n[1] why\n\nbelow\n"},
		"CSV":      {made.CSV(), "a|b,n\n\"x, \"\"y\"\"\",1\n<|>,\" [1]\"\n"},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %q, want %q", name, c[0], c[1])
		}
	}
}

// A choice leaves the page that it chooses from as it was. Notes follow their cells.
func TestChoose(t *testing.T) {
	made := New(1, "row", "one", "two", "one")
	made.Add("a", "1"+made.Note("first"), "2"+made.Note("second"), "3")
	made.Add("b", "4", "5"+made.Note("third"), "6")
	page := Page{{Above: "text\n"}, *made}
	before := page.String()
	selected, absent := page.columns([]string{"o…", "two", "on…", "one"})
	if want := "text\n\n| row | one | two | one |\n|---|---:|---:|---:|\n| a | 1 [1] | 2 [2] | 3 |\n| b | 4 | 5 [3] | 6 |\n" +
		"\n[1] first\n\n[2] second\n\n[3] third\n"; selected.String() != want ||
		!slices.Equal(absent, []string{"one"}) {
		t.Errorf("selected, without %q:\n%s", absent, selected)
	}
	kept, _ := page.rows([]string{"b", "c"}, true)
	kept = kept.transpose()
	if want := "text\n\n| row | b |\n|---|---:|\n| one | 4 |\n| two | 5 [1] |\n| one | 6 |\n\n[1] third\n"; kept.String() != want {
		t.Errorf("kept:\n%s", kept)
	}
	if _, absent := page.rows([]string{"…a", "c"}, false); !slices.Equal(absent, []string{"c"}) {
		t.Errorf("no rows %q", absent)
	}
	if part, err := page.part(1); err != nil || part.String() != before[len("text\n\n"):] {
		t.Errorf("%v, part\n%s", err, part)
	}
	if _, err := page.part(2); err == nil {
		t.Error("a second table of a page that has one")
	}
	if page.String() != before {
		t.Errorf("the page became\n%s", page)
	}
}
