package stream

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// TestStepAfter compares labels that are late by the clock with a list of all rows that is looked through before each row. Some rows come
// later than their labels.
func TestStepAfter(t *testing.T) {
	t.Parallel()
	rows, delay := 600, 40*time.Minute
	if filetest.Long() {
		rows = 100_000
	}
	for _, target := range []string{"two", "number"} {
		m, rng := makeStream(rows, target), rand.New(rand.NewPCG(5, 6))
		begun := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		times := make([]time.Time, rows)
		for i, r := range m.records {
			times[i] = begun.Add(time.Duration(i-rng.IntN(70)) * time.Minute)
			if rng.IntN(50) == 0 {
				times[i] = times[i].Add(-2 * delay)
			}
			r[3] = times[i].Format(time.DateTime)
		}
		got, want := learnerOf(t, m, target, Options{}), learnerOf(t, m, target, Options{})
		type late struct {
			due time.Time
			row int
		}
		var waiting []late
		label := func(before time.Time) {
			slices.SortFunc(waiting, func(a, b late) int { return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.row, b.row)) })
			for len(waiting) > 0 && waiting[0].due.Before(before) {
				filetest.Check(t, want.Label(strconv.Itoa(waiting[0].row), m.records[waiting[0].row][5]))
				waiting = waiting[1:]
			}
		}
		latest, differ := time.Time{}, 0
		for i, r := range m.records {
			if times[i].After(latest) {
				latest = times[i]
			}
			label(latest)
			f := filetest.Must(want.Ask(strconv.Itoa(i), slices.Concat(r[:5], []string{""})))(t)
			waiting = append(waiting, late{times[i].Add(delay), i})
			if g := filetest.Must(got.StepAfter(int64(i), r, delay, 3))(t); fmt.Sprint(f) != fmt.Sprint(g) {
				differ++
			}
			if i == rows/2 {
				got = filetest.Must(Read(bytesOf(t, got)))(t)
			}
		}
		label(latest.Add(2 * delay))
		filetest.Must(got.LearnWaiting(0))(t)
		filetest.Want(t, differ, 0, "%s: forecasts of %d that differ from the list's", target, rows)
		filetest.True(t, bytes.Equal(bytesOf(t, got), bytesOf(t, want)), "%s: another learner than the list's", target)
	}
	l := learnerOf(t, makeStream(60, "two"), "two", Options{})
	filetest.WantError(t, filetest.Failure(l.StepAfter(0, schema.Record{"u", "i", "1", "soon", "", "yes"}, time.Hour, 3)),
		`holds "soon": no time`)
}
