package records

import (
	"slices"
	"strings"
	"testing"
)

// Lines above the header, and copies of it, are no records. Columns go by their names.
func TestTitles(t *testing.T) {
	const table = "a;b\n1;x\n2;y\n"
	for text, want := range map[string][2]int64{
		table: {0, 0}, "sep=;\n" + table: {1, 0}, "SEP=;\r\n" + table: {1, 0}, "# made by\n# today\n" + table: {2, 0}, "Sales\n\n" + table: {1, 0},
		table + table: {0, 1}, "\xef\xbb\xbfsep=;\n" + table: {1, 0}, "Sales\n" + table + table: {1, 1},
	} {
		r, err := New(strings.NewReader(text), "t", Options{Columns: []string{"b", "a", "c"}, Optional: []string{"c"}})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var all []string
		for {
			record, err := r.Read()
			if err != nil {
				break
			}
			all = append(all, strings.Join(record, ","))
		}
		above, copies := r.Titles()
		if got := strings.Join(all[:2], " "); got != "x,1, y,2," || above != want[0] || copies != want[1] || !slices.Equal(r.Columns(), []string{"b", "a", "c"}) {
			t.Errorf("%q: %q, %d above, %d copies", text, all, above, copies)
		}
	}
	for text, line := range map[string]string{"# id,name\n1,x\n": "1,x", "title\n": "", "a,b\n1,x\n2\n": "1,x", "one\ntwo\nthree\n": "two"} { // no titles
		r, err := New(strings.NewReader(text), "t", Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		record, _ := r.Read()
		if above, _ := r.Titles(); above != 0 || strings.Join(record, ",") != line {
			t.Errorf("%q: %q, %d above", text, record, above)
		}
	}
}

// Numbers of JSON get the comma that the column's text has.
func TestDecimalComma(t *testing.T) {
	r, err := New(strings.NewReader("{\"p\":1.234,\"q\":1.234}\n{\"p\":\"1.234\",\"q\":5}\n"), "t", Options{Columns: []string{"p", "q"}, DecimalComma: []string{"p"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1,234 1.234", "1.234 5"} {
		if record, err := r.Read(); err != nil || strings.Join(record, " ") != want {
			t.Errorf("%q, %v, want %q", record, err, want)
		}
	}
}
