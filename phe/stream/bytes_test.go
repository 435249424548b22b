package stream

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
)

// latin1 returns a stream whose columns, items, separator and classes are not UTF-8. A reader of JSON takes many of them for one.
func latin1(rows int, target string) *made {
	m := makeStream(rows, target)
	m.columns[0], m.columns[1] = "caf\xe9", "caf\xe8"
	replaced := strings.NewReplacer("u1", "\xe9", "u2", "\xe8", "i1", "\xe9", "i2", "\xe8", "|", "\xa6", "t1", "\xe9", "t2", "\xe8", "yes", "oui\xe9", "no", "oui\xe8",
		"low", "bas\xe8", "high", "bas\xe9")
	for _, r := range m.records {
		for i, field := range r {
			r[i] = replaced.Replace(field)
		}
	}
	return m
}

// TestBytes: a learner that was written and read continues like one that was not, whatever the bytes of its table. Records wait for
// labels at each stop, and at the early ones for the scale of a number. Every seventh record is also learned at once.
func TestBytes(t *testing.T) {
	t.Parallel()
	const rows, delay = 260, 15
	for _, target := range targets {
		m := latin1(rows, target)
		h := schema.Hints{Target: "y", As: kindOf(target), Multi: map[string]string{"tags": "\xa6"}, Same: map[string]string{"caf\xe9": "caf\xe8"}}
		if target == "two" {
			h.Weights = map[string]float64{"oui\xe9": 3, "oui\xe8": 2}
		}
		s := filetest.Must(schema.Infer(m.columns, m.records, h))(t)
		never, stops := filetest.Must(New(s, Options{}))(t), filetest.Must(New(s, Options{}))(t)
		for i, r := range m.records {
			want, got := filetest.Must(never.StepLate(int64(i), r, delay))(t), filetest.Must(stops.StepLate(int64(i), r, delay))(t)
			if !same(got, want) {
				t.Fatalf("%s, row %d: the forecast is %+v after a stop, and %+v without", target, i, got, want)
			}
			if i%7 == 0 && !same(step(t, never, r), step(t, stops, r)) {
				t.Fatalf("%s, row %d: another forecast after a stop", target, i)
			}
			if slices.Contains([]int{0, 5, 7, 40, 200}, i) {
				stops = reread(t, stops)
			}
		}
		filetest.Must(never.LearnWaiting(0))(t)
		filetest.Must(stops.LearnWaiting(0))(t)
		filetest.True(t, bytes.Equal(bytesOf(t, never), bytesOf(t, stops)), "%s: the learners differ after stops", target)
	}
}

// TestBytesOfID: Ask keeps ids apart that JSON does not.
func TestBytesOfID(t *testing.T) {
	m := makeStream(10, "two")
	l := learnerOf(t, m, "two", Options{})
	for _, id := range []string{"\xe9", "\xe8"} {
		filetest.Must(l.Ask(id, m.records[0]))(t)
	}
	l = reread(t, l)
	for _, id := range []string{"\xe9", "\xe8"} {
		filetest.Check(t, l.Label(id, "yes"))
	}
}

// TestMomentCutsBetweenCharacters: a long name is cut where a character ends.
func TestMomentCutsBetweenCharacters(t *testing.T) {
	m := makeStream(10, "two")
	m.records[9][0] = "x" + strings.Repeat("é", 40)
	l := learnerOf(t, m, "two", Options{})
	filetest.Check(t, Progressive(context.Background(), l, m, 0, nil))
	want := "x" + strings.Repeat("é", 29) + "…"
	isNewest := func(n NewItem) bool { return n.Name == want }
	filetest.True(t, slices.ContainsFunc(l.Moment().Newest, isNewest), "%q is not among %+v", want, l.Moment().Newest)
}
