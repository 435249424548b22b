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
					if _, err := json.Marshal(told); err != nil {
						t.Errorf("%s, %s, %d rows: %T: %v", name, joins, l.Rows(), told, err)
					}
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
