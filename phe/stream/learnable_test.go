package stream

import (
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// A field that cannot be learned is an error that names column and remedy, and changes nothing.
func TestFieldErrors(t *testing.T) {
	for _, test := range []struct {
		target  schema.Target
		weight  string
		field   string
		problem string
	}{
		{schema.Target{Kind: schema.Classes, Classes: []string{"no", "yes"}}, "1", "maybe",
			`column "y" holds "maybe": it is none of the classes "no" "yes"`},
		{schema.Target{Kind: schema.Amount}, "1", "much", "it is no number"},
		{schema.Target{Kind: schema.Amount, Transform: "log2"}, "1", "0", "it has no log2"},
		{schema.Target{Kind: schema.Count}, "1", "-1", "a whole number from 0"},
		{schema.Target{Kind: schema.Count}, "1", "1.5", "a whole number from 0"},
		{schema.Target{Kind: schema.Classes, Classes: []string{"no", "y>=3"}, Compare: ">=", With: "3"}, "1", "x", "compares it with 3"},
		{schema.Target{Kind: schema.Amount}, "-1", "3", `column "w" holds "-1"`},
		{schema.Target{Kind: schema.Amount}, "", "3", `column "w" holds ""`},
	} {
		l := filetest.Must(New(tableOf(test.target, schema.Column{Name: "w", Kind: schema.Weight}), Options{}))(t)
		before := bytesOf(t, l)
		_, _, err := l.Step(schema.Record{"a", test.weight, test.field})
		filetest.WantError(t, err, test.problem, ";")
		filetest.Want(t, string(bytesOf(t, l)), string(before), "%+v: the learner", test)
	}
}

func TestOptionErrors(t *testing.T) {
	s := tableOf(schema.Target{Kind: schema.Classes, Classes: []string{"no", "yes"}})
	for problem, o := range map[string]Options{
		"memory is 5": {Memory: 5}, "forget is 2": {Forget: 2}, "choose one of": {Interactions: "all"}, "may wait": {Waiting: -1},
	} {
		filetest.WantError(t, filetest.Failure(New(s, o)), problem)
	}
}

// Infer returns a schema or an error for any table. A learner can begin with the schema.
func FuzzInfer(f *testing.F) {
	f.Add("a,b,y", "1,x,yes\n2,x,no\n,z,yes", "y")
	f.Add("when,y", "2026-01-02,3\n13/12/2020,4.5", "log2(y)")
	f.Add("a;b", "0,5;1\n1.234,5;0", "b>=1")
	f.Fuzz(func(t *testing.T, header, text, target string) {
		columns := strings.Split(header, ",")
		var sample [][]string
		for line := range strings.Lines(text) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), ",")
			for len(fields) < len(columns) {
				fields = append(fields, "")
			}
			sample = append(sample, fields[:len(columns)])
		}
		s, err := schema.Infer(columns, sample, schema.Hints{Target: target})
		if err != nil {
			return
		}
		l, err := New(s, Options{Memory: 64 << 10})
		if err != nil {
			t.Skip(err) // too many columns for the memory
		}
		for _, r := range sample {
			if f, _, err := l.Step(r); err == nil && (f.Probability != f.Probability || f.Value != f.Value || f.Low > f.High) {
				t.Fatalf("%+v of %q", f, r)
			}
		}
	})
}
