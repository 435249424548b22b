// Package sourcetest tests what a driver relies on, for every source alike.
package sourcetest

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/live/source"
)

// Contract tests a log that holds rows; nil is a bad one. open opens it anew, as another process does. Reading it from any position gives
// the rows behind the position, each once and in order. A pause is no end, and the end of the context is one.
func Contract(t *testing.T, rows [][]string, open func(t *testing.T) source.Source) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	first := open(t)
	all, positions := read(ctx, t, first, nil, len(rows))
	if !reflect.DeepEqual(all, rows) {
		t.Fatalf("%d rows are read, want %d: %q", len(all), len(rows), all)
	}
	for i, at := range positions {
		l := open(t)
		if rest, _ := read(ctx, t, l, at, len(rows)); !slices.EqualFunc(rest, rows[i+1:], slices.Equal[[]string]) {
			t.Errorf("from %s, behind row %d, %d rows are read, want %d", at, i+1, len(rest), len(rows)-i-1)
		}
	}
	ended, end := context.WithCancel(ctx)
	defer end()
	l, n := open(t), 0
	for e := range l.Read(ended, nil) {
		if end(); !e.Waits {
			n++
		}
	}
	if n == len(rows) && n > 1 {
		t.Error("a log goes on when the context has ended")
	}
}

// read returns the rows behind a position, and the position behind each. It stops where the log has no more, or is beyond its rows.
func read(ctx context.Context, t *testing.T, l source.Source, from source.Position, most int) (rows [][]string,
	positions []source.Position) {
	t.Helper()
	for e, err := range l.Read(ctx, from) {
		filetest.Check(t, err)
		switch {
		case e.Waits && e.AtEnd || len(rows) > most:
			return rows, positions
		case e.Waits:
			continue
		case (e.Bad != nil) != (e.Record == nil) || e.After == nil:
			t.Fatalf("row %d is %+v", len(rows)+1, e)
		}
		rows, positions = append(rows, slices.Clone(e.Record)), append(positions, e.After.Position())
	}
	filetest.Check(t, ctx.Err())
	return rows, positions
}

// Rows returns the rows behind a position, a bad one as its error, and the positions behind them, to the end or to an error.
func Rows(ctx context.Context, l source.Source, from source.Position) (rows []string, after []source.Position, err error) {
	for e, err := range l.Read(ctx, from) {
		if err != nil {
			return rows, after, err
		}
		if !e.Waits {
			row := strings.Join(e.Record, ",")
			if e.Bad != nil {
				row = e.Bad.Error()
			}
			rows, after = append(rows, row), append(after, e.After.Position())
		}
	}
	return rows, after, ctx.Err()
}
