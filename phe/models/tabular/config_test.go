package tabular_test

import (
	"testing"

	"gophe/phe"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/tabular"

	"gophe/phe/disk/filetest"
)

func TestConfigValidate(t *testing.T) {
	for name, damage := range map[string]func(*tabular.Config){
		"quadrature of a log-average": func(c *tabular.Config) { c.Scheme = phe.Quadrature },
		"three classes of one logit":  func(c *tabular.Config) { c.Scheme, c.Classes = phe.Moments, 3 },
	} {
		c := methods[0].config(1, 2)
		filetest.Check(t, c.Validate())
		damage(&c)
		filetest.True(t, c.Validate() != nil, "%s: accepted", name)
	}
	filetest.Check(t, tabular.Paper().Validate())
}

// Data that does not fit is refused on the host: an accelerator would clamp its indices in silence.
func TestBatchRefusesData(t *testing.T) {
	m := newModel(t, methods[0].config(1, 2))
	l := newLearner(t, m.Config, learn.Options{MaxUpdated: 13})
	for name, damage := range map[string]func(*tabular.Data){
		"index too large":              func(d *tabular.Data) { d.Index[3] = int32(len(d.Items)) },
		"negative index":               func(d *tabular.Data) { d.Index[0] = -1 },
		"label too large":              func(d *tabular.Data) { d.Labels[0] = 2 },
		"negative label":               func(d *tabular.Data) { d.Labels[0] = -1 },
		"too few numbers":              func(d *tabular.Data) { d.Numbers = d.Numbers[1:] },
		"too few indices":              func(d *tabular.Data) { d.Index = d.Index[1:] },
		"items of no column":           func(d *tabular.Data) { d.ItemColumns = d.ItemColumns[1:] },
		"an item of too high a column": func(d *tabular.Data) { d.ItemColumns[0] = toyColumns },
	} {
		d := toyData(1, 2)
		damage(&d)
		b, err := m.Batch(d)
		if err == nil {
			err = l.Pin(b)
		}
		filetest.True(t, err != nil, "%s: accepted", name)
	}
	c := methods[2].config(1, 2)
	c.Encoder.Capacity = 7 // of 16 items
	l = newLearner(t, c, learn.Options{MaxUpdated: 13})
	err := l.Pin(newBatch(t, newModel(t, c), toyData(1, 2)))
	filetest.True(t, err != nil, "more items than capacity: accepted")
}

// Sizes come with the data. A model refuses those that no data can have.
func TestNewRefusesSizes(t *testing.T) {
	for name, damage := range map[string]func(*tabular.Config){
		"one class":        func(c *tabular.Config) { c.Classes = 1 },
		"no column":        func(c *tabular.Config) { c.Columns = nil },
		"negative numbers": func(c *tabular.Config) { c.Numbers = -1 },
		"invalid":          func(c *tabular.Config) { c.BatchSize = 0 },
	} {
		c := methods[0].config(1, 2)
		damage(&c)
		filetest.True(t, filetest.Failure(tabular.New(c)) != nil, "%s: accepted", name)
	}
	c := methods[0].config(1, 2)
	for _, incremental := range []int{-1, toyColumns} {
		c.Incremental = incremental
		err := filetest.Failure(learn.New(newModel(t, c).Network, c.Config, learn.Options{Backend: nettest.Backend(t)}))
		filetest.True(t, err != nil, "incremental column %d of %d: accepted", incremental, toyColumns)
	}
}
