package stream

import (
	"encoding/json"
	"fmt"
	"gophe/phe/belief"
	"gophe/phe/stream/schema"
	"testing"
)

// A state that another program wrote, or that a person changed, is an error or a learner that works. It is never a panic.
func FuzzUnmarshal(f *testing.F) {
	for _, kind := range []schema.TargetKind{schema.Classes, schema.Amount, schema.Count} {
		target := schema.Target{Column: "y", Kind: kind}
		if kind == schema.Classes {
			target.Classes = []string{"0", "1"}
		}
		l, err := New(schema.Schema{Target: target, Columns: []schema.Column{{Name: "x", Kind: schema.Category}, {Name: "z", Kind: schema.Number, Edges: []float64{1, 2}}, {Name: "y", Kind: schema.Label}}}, Options{Memory: 32 << 10, Waiting: 4})
		if err != nil {
			f.Fatal(err)
		}
		for i := range 30 {
			if err := l.Learn(schema.Record{fmt.Sprint(i % 3), fmt.Sprint(i % 4), fmt.Sprint(i % 2)}); err != nil {
				f.Fatal(err)
			}
		}
		if _, err := l.Ask("a", schema.Record{"1", "2", ""}); err != nil {
			f.Fatal(err)
		}
		b, err := json.Marshal(l.state())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var s state
		if json.Unmarshal(b, &s) != nil || tooLarge(s) {
			return
		}
		l, _, err := unmarshal(belief.Header{Config: b, Parts: []belief.Layout{{Len: 1 << 20, Type: belief.Float64}}})
		if err != nil {
			return
		}
		r := make(schema.Record, len(l.schema.Columns))
		if _, err := l.Predict(r); err != nil {
			t.Fatal(err)
		}
		if _, _, err := l.Step(r); err == nil {
			_ = l.Report().String()
		}
	})
}

// tooLarge tells whether a state's tables need more memory than a test has. An undamaged file of such tables has the same size.
func tooLarge(s state) bool {
	const most = 1 << 20
	sizes := []int{s.Options.Memory, s.Exact, len(s.Schema.Columns) << 8}
	designs := s.Design.Experts
	if s.Design.Exact != nil {
		designs = append(designs, *s.Design.Exact)
	}
	for _, d := range designs {
		c := d.Learner
		sizes = append(sizes, c.Buckets, c.Evidence, c.LatentRows, c.Columns, c.Outputs, c.Hashes, c.Latents, c.Dim, c.Numbers, c.WeightRows, c.Buckets*c.Outputs, c.Columns*c.Outputs*c.Outputs, c.Fields)
		if d.Counts != nil {
			sizes = append(sizes, d.Counts.Slots, d.Counts.Contexts, d.Counts.Sets)
		}
	}
	for _, n := range sizes {
		if n > most {
			return true
		}
	}
	return false
}
