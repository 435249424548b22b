package stream

import (
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// TestLongName: the census keeps the first 200 bytes of a name, and no item has that short name. Inspect must not show the belief about
// another item.
func TestLongName(t *testing.T) {
	s := schema.Schema{Target: schema.Target{Column: "y", Kind: schema.Classes, Classes: []string{"no", "yes"}},
		Columns: []schema.Column{{Name: "page", Kind: schema.Category}, {Name: "y", Kind: schema.Label}}}
	l := filetest.Must(New(s, Options{}))(t)
	long := strings.Repeat("a/", 150)
	for range 20 {
		for _, r := range []schema.Record{{long, "yes"}, {"short", "no"}} {
			filetest.Check(t, l.Learn(r))
		}
	}
	known, err := l.Item("page", long)
	if err != nil || known.Effect <= 0 || known.Spread <= 0 || known.Count != 20 {
		t.Errorf("%+v, %v", known, err)
	}
	list := l.Inspect().Columns[0].Frequent
	if len(list) != 2 || len(list[0].Name) != 200 || list[0].Effect != 0 || list[0].Spread != 0 || list[0].Count != 20 {
		t.Errorf("long name: %+v", list)
	}
	if list[1].Name != "short" || list[1].Effect >= 0 || list[1].Spread <= 0 {
		t.Errorf("short name: %+v", list[1])
	}
}
