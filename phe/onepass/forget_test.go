package onepass

import (
	"testing"
)

// A touch adds up to τ times the prior variance, for one output and for several. Deferred forgetting is counted once a touch and not applied, so
// that the variance is the same as for a learner that forgets nothing.
func TestForgetting(t *testing.T) {
	for _, shape := range []Shape{{Columns: 2}, {Columns: 2, Head: Softmax, Outputs: 3}, {Columns: 2, Interactions: FM}, {Columns: 2, Head: Softmax, Outputs: 3, Interactions: FM}} {
		c := Stream(shape)
		c.Tau = 0.01
		forgets, deferred := learned(t, c, true, false), learned(t, c, true, true)
		keeps := learned(t, c, false, false)
		gained, touches := 0, 0
		for i, v := range keeps.variances {
			if w := deferred.variances[i]; w != v {
				t.Fatalf("%+v: entry %d has variance %g with deferred forgetting, and %g without forgetting", shape, i, w, v)
			}
			gain := forgets.variances[i] - v
			touched := deferred.touches[i] > 0
			if touched {
				touches++
			}
			if gain > 0 {
				gained++
			}
			if gain > 0 && !touched || gain > c.Tau*deferred.prior[i]*(1+1e-5) { // less than τ times the prior where the prior bounds it
				t.Fatalf("%+v: entry %d has gained %g, and τ times the prior is %g; %d touches", shape, i, gain, c.Tau*deferred.prior[i], deferred.touches[i])
			}
		}
		if 2*gained < touches || touches == 0 { // an entry without a gradient keeps its prior variance
			t.Errorf("%+v: %d of %d touched entries have gained variance", shape, gained, touches)
		}
	}
}

type learnedEntries struct {
	variances, prior []float64
	touches          []uint16
}

// learned learns one row and returns the entries that can forget.
func learned(t *testing.T, c Config, forget, deferred bool) (e learnedEntries) {
	t.Helper()
	if !forget {
		c.Tau = 0
	}
	l, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	all := l.Defer()
	for _, d := range all {
		d.Active = deferred
	}
	row := &Row{}
	for column := range c.Columns {
		cell := Cell{Column: column, Share: 1, Key: uint64(column) << 40}
		for k := range c.Hashes {
			cell.Buckets = append(cell.Buckets, int32(7*column+k))
		}
		row.Cells = append(row.Cells, cell)
	}
	l.Learn(row, 1)
	f, err := l.Beliefs()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		e.variances = append(e.variances, f.Tables[d.Table].Variance...)
		e.touches = append(e.touches, d.Touches...)
		for range d.Touches {
			e.prior = append(e.prior, d.Prior)
		}
	}
	return e
}
