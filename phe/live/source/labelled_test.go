package source_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/source"
	"gophe/phe/live/source/sourcetest"
	"gophe/phe/stream/schema"
)

// timed is an entry of a log with a time in seconds.
type timed struct {
	at     int
	fields string // behind the time
}

// disordered returns rows and labels whose times go back and forth.
func disordered(n int) (rows, labels []timed) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		rows = append(rows, timed{1_700_000_000 + i/3 + r.IntN(9), fmt.Sprintf("r%d,s%d,maybe", i, i%3)})
		labels = append(labels, timed{1_700_000_004 + i/3 + r.IntN(9), fmt.Sprintf("r%d,%s", i, []string{"no", "yes"}[i%2])})
	}
	return rows, labels
}

// linesOf returns entries as CSV.
func linesOf(header string, entries []timed) string {
	for _, e := range entries {
		header += fmt.Sprintf("%d,%s\n", e.at, e.fields)
	}
	return header
}

const rowsHeader, labelsHeader = "at,id,shop,bought\n", "at,id,bought\n"

// joining returns a function that opens two files as one log.
func joining(rows, labels string) func(t *testing.T) source.Source {
	return func(t *testing.T) source.Source {
		s := schema.Schema{Target: schema.Target{Column: "bought", Kind: schema.Classes, Classes: []string{"no", "yes"}},
			Columns: []schema.Column{{Name: "at", Kind: schema.Time, Layout: "any", Derived: []string{"hour"}},
				{Name: "id", Kind: schema.ID}, {Name: "shop", Kind: schema.Category}, {Name: "bought", Kind: schema.Label}}}
		return filetest.Must(source.NewLabelled(t.Context(), opening(rows)(t), opening(labels)(t), source.Options{Schema: &s}, 0,
			func(string) {}))(t)
	}
}

// merged sorts entries by the latest time up to each in its log, rows first. It is slow and plain.
func merged(rows, labels []timed) (all [][]string) {
	type entry struct {
		at     int
		fields []string
	}
	var list []entry
	for _, log := range [][]timed{rows, labels} {
		latest := 0
		for i, e := range log {
			latest = max(latest, e.at)
			fields := strings.Split(e.fields, ",")
			if log[i] == rows[i] {
				fields = []string{fmt.Sprint(e.at), fields[0], fields[1], ""} // a row tells no label
			}
			list = append(list, entry{latest, fields})
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
	for _, e := range list {
		all = append(all, e.fields)
	}
	return all
}

// TestLabelled: rows and labels come in the order of their times, from any position.
func TestLabelled(t *testing.T) {
	rows, labels := disordered(60)
	folder := t.TempDir()
	open := joining(put(t, folder, "rows.csv", linesOf(rowsHeader, rows)), put(t, folder, "labels.csv", linesOf(labelsHeader, labels)))
	sourcetest.Contract(t, merged(rows, labels), open)
}

// places reads a log, and returns the number of its entries of each order, behind the last position.
func places(t *testing.T, l source.Source, from source.Position, most int) (n map[source.Order]int, at source.Position) {
	t.Helper()
	n = map[source.Order]int{}
	for e, err := range l.Read(t.Context(), from) {
		filetest.Check(t, err)
		if e.Waits {
			continue
		}
		n[e.Order]++
		at = e.After.Position()
		if most--; most == 0 {
			break
		}
	}
	return n, at
}

// TestEqualBits: bits are equal up to the first row behind the last label, if a label comes late, and else up to where one was late.
func TestEqualBits(t *testing.T) {
	for want, seen := range map[source.Labels][]source.Order{
		{Ahead: 1, End: 1}:  {source.Ahead, source.Ahead, source.Late, source.Late},
		{Ahead: 3, End: 3}:  {source.Ahead, source.Sure, source.Ahead, source.Late},
		{Passed: 2, End: 2}: {source.Sure, source.Passed, source.Passed},
		{End: 1}:            {source.Late},
	} {
		got, rows := source.Labels{}, int64(0)
		for _, order := range seen {
			if order != source.Late { // that is a label
				rows++
			}
			got.See(order, rows, order == source.Late)
		}
		filetest.Want(t, got, want, "after %v", seen)
	}
}

// silent is a log that waits for its first entry.
type silent struct{ source.Source }

func (silent) Read(ctx context.Context, _ source.Position) iter.Seq2[source.Entry, error] {
	return func(yield func(source.Entry, error) bool) {
		yield(source.Entry{Waits: true, AtEnd: true}, nil)
		<-ctx.Done()
	}
}

// TestLabelledSilence: rows pass when labels are silent for long. Without a time in common, labels come behind the rows that are there.
func TestLabelledSilence(t *testing.T) {
	rows, labels := disordered(30)
	folder := t.TempDir()
	shown, brought := put(t, folder, "rows.csv", linesOf(rowsHeader, rows)), put(t, folder, "labels.csv", linesOf(labelsHeader, labels))
	l := joining(shown, brought)(t).(*source.Labelled)
	l.Labels, l.Wait = silent{l.Labels}, time.Millisecond
	n, _ := places(t, l, nil, len(rows))
	filetest.Want(t, n, map[source.Order]int{source.Passed: len(rows)}, "rows")
	open := joining(shown, put(t, folder, "timeless.csv", strings.ReplaceAll(linesOf(labelsHeader, labels), "at,", "no,")))
	n, place := places(t, open(t), nil, len(rows))
	filetest.Want(t, n, map[source.Order]int{source.Sure: len(rows)}, "rows before labels")
	n, _ = places(t, open(t), place, 0)
	filetest.Want(t, n, map[source.Order]int{source.Late: len(labels)}, "labels without a time")
}

// TestLabelledFollowed: rows and labels in files that are followed begin, and go on, as those in whole files do.
func TestLabelledFollowed(t *testing.T) {
	rows, labels := disordered(30)
	folder := t.TempDir()
	shown, brought := put(t, folder, "rows.csv", linesOf(rowsHeader, rows)), put(t, folder, "labels.csv", linesOf(labelsHeader, labels))
	open := func() *source.Labelled {
		l := joining(shown, brought)(t).(*source.Labelled)
		l.Source, l.Labels = filetest.Must(source.Open(t.Context(), source.Options{Follow: true}, shown))(t),
			filetest.Must(source.Open(t.Context(), source.Options{Follow: true}, brought))(t)
		return l
	}
	sure, past := len(merged(rows, labels))/2, source.Past{} // labels may still come before the last rows
	for _, begins := range []bool{true, false} {
		l := open()
		filetest.Want(t, filetest.Must(l.Choose(&past, source.Choice{}))(t), begins, "the input begins")
		var n map[source.Order]int
		n, past.Position = places(t, l, past.Position, sure/2)
		filetest.Want(t, n[source.Sure]+n[source.Late], sure/2, "entries")
	}
	_, want := places(t, open(), nil, 2*(sure/2))
	filetest.Want(t, string(past.Position), string(want), "position")
}
