package tabular_test

import (
	"cmp"
	"testing"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/tabular"
)

// refusal makes everything that learns from data: a model, a batch, and a learner.
func refusal(t *testing.T, c tabular.Config, d tabular.Data) error {
	t.Helper()
	m, err := tabular.New(c)
	if err != nil {
		return err
	}
	l, err := learn.New(m.Network, c.Config, learn.Options{Backend: nettest.Backend(t)})
	if err != nil {
		return err
	}
	defer l.Close()
	b, err := m.Batch(d)
	return cmp.Or(err, l.Pin(b))
}

// A damaged configuration is refused, and so is data that does not fit, on the host: an accelerator would clamp its indices in silence.
func TestRefuses(t *testing.T) {
	filetest.Check(t, tabular.Paper().Validate())
	filetest.Check(t, refusal(t, methods[2].config(1, 2), toyData(1, 2)))
	for _, r := range []struct {
		right  string
		damage func(*tabular.Config, *tabular.Data)
	}{
		{`use loss "expected" or scheme "moments"`, func(c *tabular.Config, _ *tabular.Data) { c.Scheme = phe.Quadrature }},
		{`use scheme "local"`, func(c *tabular.Config, _ *tabular.Data) { c.Scheme, c.Classes = phe.Moments, 3 }},
		{"has 1 classes", func(c *tabular.Config, _ *tabular.Data) { c.Classes = 1 }},
		{"0 categorical columns", func(c *tabular.Config, _ *tabular.Data) { c.Columns = nil }},
		{"-1 numeric columns", func(c *tabular.Config, _ *tabular.Data) { c.Numbers = -1 }},
		{"batch_size is 0", func(c *tabular.Config, _ *tabular.Data) { c.BatchSize = 0 }},
		{"number -1 of 2", func(c *tabular.Config, _ *tabular.Data) { c.Incremental = -1 }},
		{"number 2 of 2", func(c *tabular.Config, _ *tabular.Data) { c.Incremental = toyColumns }},
		{"raise capacity", func(c *tabular.Config, _ *tabular.Data) { c.Encoder.Capacity = 7 }}, // of 16 items
		{"an index is 16", func(_ *tabular.Config, d *tabular.Data) { d.Index[3] = int32(len(d.Items)) }},
		{"an index is -1", func(_ *tabular.Config, d *tabular.Data) { d.Index[0] = -1 }},
		{"the label of row 0 is 2", func(_ *tabular.Config, d *tabular.Data) { d.Labels[0] = 2 }},
		{"the label of row 0 is -1", func(_ *tabular.Config, d *tabular.Data) { d.Labels[0] = -1 }},
		{`"numbers" has 96 values`, func(_ *tabular.Config, d *tabular.Data) { d.Numbers = d.Numbers[1:] }},
		{"an index of 193 cells", func(_ *tabular.Config, d *tabular.Data) { d.Index = d.Index[1:] }},
		{"the columns of 15 items", func(_ *tabular.Config, d *tabular.Data) { d.ItemColumns = d.ItemColumns[1:] }},
		{"stands in column 2", func(_ *tabular.Config, d *tabular.Data) { d.ItemColumns[0] = toyColumns }},
	} {
		c, d := methods[2].config(1, 2), toyData(1, 2)
		r.damage(&c, &d)
		filetest.WantError(t, refusal(t, c, d), r.right)
	}
}
