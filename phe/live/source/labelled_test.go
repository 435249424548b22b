package source_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
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

// TestLabelledGrows: rows behind the last label are ahead of a label that comes later, and one before a row that was given is late.
func TestLabelledGrows(t *testing.T) {
	at := func(times ...int) (list []timed) {
		for _, at := range times {
			list = append(list, timed{1_700_000_000 + at, fmt.Sprintf("r%d,x", at)})
		}
		return list
	}
	folder := t.TempDir()
	rows := put(t, folder, "rows.csv", linesOf("at,id,shop\n", at(1, 2, 3, 9)))
	labels := put(t, folder, "labels.csv", linesOf(labelsHeader, at(2, 3)))
	open := joining(rows, labels)
	n, place := places(t, open(t), nil, 0)
	filetest.Want(t, n, map[source.Order]int{source.Sure: 5, source.Ahead: 1}, "entries")
	for file, of := range map[string][]timed{rows: at(5, 20), labels: at(8, 9, 30)} { // of 9 the row has come, and 5 counts as 9
		f := filetest.Must(os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0))(t)
		filetest.Must(f.WriteString(linesOf("", of)))(t)
		f.Close()
	}
	n, _ = places(t, open(t), place, 0)
	filetest.Want(t, n, map[source.Order]int{source.Late: 1, source.Sure: 4}, "entries that came later")
}

// TestEqualBits: bits are equal up to the first row behind the last label, if a label comes late, and else up to where one was late.
func TestEqualBits(t *testing.T) {
	type seen struct {
		order source.Order
		at    int64
		label bool
	}
	for _, c := range []struct {
		seen []seen
		want source.Labels
	}{
		{[]seen{{source.Ahead, 5, false}, {source.Ahead, 6, false}, {source.Late, 6, true}, {source.Late, 7, true}},
			source.Labels{Ahead: 5, End: 5}},
		{[]seen{{source.Ahead, 5, false}, {source.Sure, 6, false}, {source.Ahead, 8, false}, {source.Late, 9, true}},
			source.Labels{Ahead: 8, End: 8}},
		{[]seen{{source.Sure, 1, false}, {source.Passed, 2, false}, {source.Passed, 3, false}}, source.Labels{Passed: 2, End: 2}},
		{[]seen{{source.Late, 0, true}}, source.Labels{End: 1}},
	} {
		var got source.Labels
		for _, s := range c.seen {
			got.See(s.order, s.at, s.label)
		}
		filetest.Want(t, got, c.want, "after %v", c.seen)
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

// slow is a log that is asked for long.
type slow struct {
	source.Source
	wait time.Duration
}

func (s slow) Read(ctx context.Context, from source.Position) iter.Seq2[source.Entry, error] {
	<-time.After(s.wait)
	return s.Source.Read(ctx, from)
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
	l = joining(shown, brought)(t).(*source.Labelled)
	l.Wait = 50 * time.Millisecond
	l.Source = slow{l.Source, 2 * l.Wait}
	n, _ = places(t, l, nil, 0) // the labels were there all the time
	filetest.Want(t, n[source.Passed]+n[source.Late], 0, "rows of %v that passed labels", n)

	open := joining(shown, put(t, folder, "timeless.csv", strings.ReplaceAll(linesOf(labelsHeader, labels), "at,", "no,")))
	n, place := places(t, open(t), nil, len(rows))
	filetest.Want(t, n, map[source.Order]int{source.Sure: len(rows)}, "rows before labels")
	n, _ = places(t, open(t), place, 0)
	filetest.Want(t, n, map[source.Order]int{source.Late: len(labels)}, "labels without a time")
}
