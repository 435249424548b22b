package stream

import (
	"encoding/json"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
	"gophe/phe/stream/schema"
)

// TestJSON: a learner's descriptions can be written as JSON, also before the first row and before the first target.
func TestJSON(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]schema.Target{
		"a b":    {Column: "y", Kind: schema.Classes, Classes: []string{"a", "b"}},
		"a b c":  {Column: "y", Kind: schema.Classes, Classes: []string{"a", "b", "c"}},
		"7 1e30": {Column: "y", Kind: schema.Amount}, "7 12345678": {Column: "y", Kind: schema.Count},
	} {
		for _, joins := range onepass.AllInteractions() {
			s := schema.Schema{Target: target, Columns: []schema.Column{
				{Name: "u", Kind: schema.Category}, {Name: "x", Kind: schema.Number}, {Name: "y", Kind: schema.Label}}}
			l := filetest.Must(New(s, Options{Memory: 64 << 10, Interactions: joins}))(t)
			check := func() {
				t.Helper()
				forecast, item := filetest.Must(l.Predict(schema.Record{"new", "1e308", ""}))(t), filetest.Must(l.Item("u", "new"))(t)
				for _, told := range []any{l.Inspect(), l.Report(), l.Moment(), forecast, item} {
					filetest.Must(json.Marshal(told))(t)
				}
			}
			check()
			for _, y := range append([]string{""}, strings.Fields(name)...) { // at first a row without a target
				_, _, err := l.Step(schema.Record{"u" + y, "-1e300", y})
				filetest.Check(t, err)
				check()
			}
		}
	}
}

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
	known := filetest.Must(l.Item("page", long))(t)
	filetest.True(t, known.Effect > 0 && known.Spread > 0 && known.Count == 20, "%+v", known)
	list := l.Inspect().Columns[0].Frequent
	if len(list) != 2 || len(list[0].Name) != 200 || list[0].Effect != 0 || list[0].Spread != 0 || list[0].Count != 20 {
		t.Errorf("long name: %+v", list)
	}
	filetest.True(t, list[1].Name == "short" && list[1].Effect < 0 && list[1].Spread > 0, "short name: %+v",
		list[1])
}
