package stream

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/repeats"
	"gophe/phe/stream/schema"
)

// TestAwait: a row that waits is known when it comes again, however few ids are kept, and a label is learned once.
func TestAwait(t *testing.T) {
	once, _ := named("two", 0, 0)
	l, _, err := Begin(once, schema.Hints{Target: "y", Kinds: map[string]schema.Kind{"order": schema.ID}}, Options{IDs: 3})
	filetest.Check(t, err)
	for i, at := range []int{0, 1, 2, 3, 4, 0} {
		f := filetest.Must(l.Await(slices.Concat(once.records[at][:6], []string{""})))(t)
		filetest.Want(t, f.Again == repeats.Repeated, i == 5, "row %d came again", i)
	}
	for _, c := range []struct {
		id, label string
		want      error
	}{{"order 4", "yes", nil}, {"order 4", "yes", repeats.Repeated}, {"order 4", "no", repeats.Corrected}, {"order 0", "no", nil},
		{"order 3", "", ErrUnknownID}, {"order 9", "no", ErrUnknownID}} {
		filetest.Want(t, filetest.Failure(l.Bring(c.id, c.label)), c.want, "%s: %s", c.id, c.label)
	}
	filetest.WantError(t, filetest.Failure(l.Await(schema.Record{"", "u", "i", "1", "", "", ""})),
		"no label can come for a row without an id")
}

// live returns the bytes of memory that are in use.
func live() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestWaitingMemory: records that wait take no more memory than they may, and the oldest of more are dropped and counted.
func TestWaitingMemory(t *testing.T) {
	const bound, rows = 4 << 20, 20_000
	for _, target := range targets {
		m := makeStream(300, target)
		l := learnerOf(t, m, target, Options{Memory: 32 << 10})
		filetest.Check(t, l.SetWaiting(0, 0, bound))
		filetest.Must(l.Ask("first", m.records[0]))(t)
		for _, r := range m.records {
			step(t, l, r)
		}
		filetest.Check(t, l.Label("first", m.records[0][5])) // from the first late label on, forecasts take more room
		before := live()
		for i := range rows {
			r := slices.Clone(m.records[i%len(m.records)])
			for j := range r {
				r[j] = strings.Clone(r[j])
			}
			filetest.Must(l.Ask(fmt.Sprint("order ", i), schema.Record(r)))(t)
		}
		grown := live() - before
		waiting, dropped := l.Waiting()
		filetest.Near(t, float64(l.Room()), float64(waiting), 0.2*float64(waiting), "%s: the records that have room", target)
		filetest.Want(t, int64(waiting)+dropped, rows, "records that wait or were dropped")
		filetest.True(t, grown <= bound && grown > bound/2, "%s: %d records take %d bytes of %d", target, waiting, grown, bound)
		filetest.Want(t, []bool{l.Waits("order 0"), l.Waits(fmt.Sprint("order ", rows-1))}, []bool{false, true}, "oldest and newest wait")
		runtime.KeepAlive(l)
	}
}
