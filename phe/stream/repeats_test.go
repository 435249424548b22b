package stream

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// named returns a stream whose rows have an id, and the same stream with a share of the rows again, each before a number of other rows.
func named(target string, share float64, delay int) (once, twice *made) {
	m, rng := makeStream(400, target), rand.New(rand.NewPCG(1, 2))
	once, twice = &made{columns: append([]string{"order"}, m.columns...)}, &made{columns: append([]string{"order"}, m.columns...)}
	due := map[int][]string{}
	for i, r := range m.records {
		r = append([]string{fmt.Sprint("order ", i)}, r...)
		if once.records, twice.records = append(once.records, r), append(twice.records, r); rng.Float64() < share {
			due[i+delay] = r
		}
		if r, again := due[i]; again {
			twice.records = append(twice.records, r)
		}
	}
	return once, twice
}

// namedIDs is the number of ids that learners of named streams keep.
const namedIDs = 50

// beginNamed returns a learner for a named stream, and its rows.
func beginNamed(t *testing.T, m *made, target string) (*Learner, Reader) {
	t.Helper()
	h := schema.Hints{Target: "y", As: kindOf(target), Multi: map[string]string{"tags": "|"},
		Kinds: map[string]schema.Kind{"order": schema.ID}}
	l, r, err := Begin(m, h, Options{IDs: namedIDs, Memory: 32 << 10})
	filetest.Check(t, err)
	return l, r
}

// learnNamed learns a named stream in one of some ways, and returns the learner and its forecasts.
func learnNamed(t *testing.T, m *made, target, way string) (l *Learner, forecasts []Forecast) {
	t.Helper()
	l, r := beginNamed(t, m, target)
	delay, keep := 0, func(_ schema.Record, f Forecast) error { forecasts = append(forecasts, f); return nil }
	switch way {
	case "late":
		delay = 30
	case "in threads":
		var p *Pipeline
		for _, record := range m.records {
			row := &Prepared{}
			if p == nil {
				p = l.Pipeline()
			}
			if p != nil && p.Prepare(record, row) {
				p.Step([]*Prepared{row})
				p.Step(nil)
				forecasts = append(forecasts, row.Forecast)
				continue
			}
			f, _, err := l.Step(record)
			filetest.Check(t, err)
			forecasts = append(forecasts, f)
		}
		return l, slices.DeleteFunc(forecasts, func(f Forecast) bool { return !f.Again.Learned() })
	case "by labels":
		for i, record := range m.records {
			id, asked := fmt.Sprint("ask ", i), slices.Clone(record)
			asked[len(asked)-1] = ""
			f := filetest.Must(l.Ask(id, asked))(t)
			if err := l.Label(id, record[len(record)-1]); err == nil {
				forecasts = append(forecasts, f)
			} else {
				filetest.Want(t, err, ErrRepeated, "the error of row %d", i)
			}
		}
		return l, forecasts
	case "from files":
		n := 0
		for record, err := r.Read(); err == nil; record, err = r.Read() {
			if n++; n%40 == 0 {
				l = reread(t, l)
			}
			if f, _, err := l.Step(record); f.Again.Learned() {
				filetest.Check(t, err)
				forecasts = append(forecasts, f)
			}
		}
		return l, forecasts
	}
	filetest.Check(t, Progressive(context.Background(), l, r, delay, keep))
	return l, forecasts
}

// A stream in which rows come again gives the bits and the forecasts of the stream without them, in all ways of learning. Its first rows,
// which tell the columns, have repeats too.
func TestRepeats(t *testing.T) {
	ways := []string{"row by row", "late", "in threads", "by labels", "from files"}
	for i, target := range targets {
		for k, share := range []float64{0.01, 0.1, 0.3} {
			for d, delay := range []int{0, 7, namedIDs - 1} {
				if !filetest.Long() && 3*k+d != []int{8, 4, 6, 5}[i] {
					continue
				}
				once, twice := named(target, share, delay)
				for _, way := range ways {
					want, wanted := learnNamed(t, once, target, way)
					got, forecasts := learnNamed(t, twice, target, way)
					filetest.True(t, len(twice.records) > 400, "no row comes again")
					filetest.True(t, bytes.Equal(bytesOf(t, got), bytesOf(t, want)), "%s, %s: other bits, %g after %d", target,
						way, share, delay)
					filetest.True(t, slices.EqualFunc(forecasts, wanted, same), "%s, %s: other forecasts, %g after %d", target, way, share,
						delay)
					once.next, twice.next = 0, 0
				}
			}
		}
	}
}
