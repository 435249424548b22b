package observer

import (
	"fmt"
	"testing"

	"gophe/phe/stream/internal/ensemble"
	"gophe/phe/stream/novelty"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"

	"gophe/phe/disk/filetest"
)

// The novelty of a row is the number of rows that had its rarest item before. A row that is only forecast is not counted.
func TestNovelty(t *testing.T) {
	o := New(schema.Schema{Target: schema.Target{Column: "y", Kind: schema.Classes, Classes: []string{"a", "b"}},
		Columns: []schema.Column{{Name: "u", Kind: schema.Category}, {Name: "v", Kind: schema.Category}, {Name: "y", Kind: schema.Label}}})
	for i, c := range []struct {
		items []uint64
		known bool
		want  int64
	}{{[]uint64{7, 8}, true, 0}, {[]uint64{7, 8}, true, 1}, {[]uint64{7, 9}, false, 0}, {[]uint64{7, 9}, true, 0}, {[]uint64{7}, false, 3},
		{nil, true, novelty.Unknown}, {[]uint64{9, 8, 7}, true, 1}} {
		r := ensemble.Row{Reading: ensemble.Reading{Record: schema.Record{"", "", ""}}, Label: ensemble.Label{Known: c.known}}
		for column, key := range c.items {
			r.Items = append(r.Items, ensemble.Item{Column: column % 2, Key: key})
		}
		ensemble.Take(&r, o)
		filetest.Want(t, r.Predictions.Seen, c.want, "census: times that the rarest item of row %d was learned before", i+1)
	}
	for key := uint64(100); key < 200; key++ {
		r := ensemble.Row{Reading: ensemble.Reading{Record: schema.Record{"", "", ""}}, Label: ensemble.Label{Known: true}}
		r.Items, r.Predictions.Rows = []ensemble.Item{{Key: key, Name: fmt.Sprint(key)}}, int64(key)
		ensemble.Take(&r, o)
	}
	for i, n := range o.Newest { // the newest first
		filetest.Want(t, n, score.NewItem{Column: "u", Name: fmt.Sprint(199 - i), Row: int64(200 - i)}, "new item %d", i)
	}
	filetest.Want(t, len(o.Newest), Shown, "new items that are kept")
}
