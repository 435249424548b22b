package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
	"gophe/phe/stream/schema"
	"gophe/phe/stream/score"
)

// waitingLearner returns a learner that has learned some rows and dropped two waiting records. Three wait.
func waitingLearner(t testing.TB) *Learner {
	m := makeStream(30, "two")
	l := learnerOf(t, m, "two", Options{Waiting: 3})
	for i, r := range m.records {
		if i < 25 {
			step(t, l, r)
		} else {
			filetest.Must(l.Ask(fmt.Sprint(i), r))(t)
		}
	}
	return l
}

// TestWaitingComesBack: a file keeps the records that wait, the number of those that were dropped, and the limit that dropped them.
func TestWaitingComesBack(t *testing.T) {
	was := waitingLearner(t)
	l := reread(t, was)
	waiting, dropped := l.Waiting()
	filetest.Want(t, [2]int64{int64(waiting), dropped}, [2]int64{3, 2}, "records that wait, and that were dropped")
	filetest.Want(t, l.Report().Dropped, 2, "dropped records")
	filetest.WantWords(t, l.Report().String(), "2 waiting records dropped")
	filetest.Must(l.Ask("new", makeStream(1, "two").records[0]))(t)
	err := l.Label("27", "yes")
	filetest.True(t, errors.Is(err, ErrUnknownID), "the oldest record is still there: %v", err)
	before := bytesOf(t, l)
	filetest.WantError(t, l.Label("28", "perhaps"), "none of the classes")
	filetest.Want(t, string(bytesOf(t, l)), string(before), "the learner after a label that is none")
	for _, id := range []string{"28", "29", "new"} {
		filetest.Check(t, l.Label(id, "yes"))
	}
}

// TestAnsweredRecordsAreFreed: one record whose label never comes does not keep all later records in memory.
func TestAnsweredRecordsAreFreed(t *testing.T) {
	const records, size = 500, 40_000
	l := waitingLearner(t)
	filetest.Check(t, l.SetWaiting(10, 0, 0))
	r := slices.Clone(makeStream(1, "two").records[0])
	before := live()
	for i := range records {
		id := fmt.Sprint("late ", i)
		r[0] = strings.Repeat("x", size)
		filetest.Must(l.Ask(id, r))(t)
		filetest.Check(t, l.Label(id, "yes"))
	}
	grown := live() - before
	filetest.True(t, grown <= records*size/2, "%d answered records of %d bytes take %d bytes", records, size, grown)
	filetest.Check(t, l.Label("27", "yes"))
}

// TestStateOfAnotherLearner: a state that names items or forecasts that its learner has no room for is refused.
func TestStateOfAnotherLearner(t *testing.T) {
	l := waitingLearner(t)
	parts := l.Parts()
	for name, change := range map[string]func(s map[string]any){
		"too many exact items": func(s map[string]any) { s["exact"] = 1<<14 + 1 },
		"exact items without a table": func(s map[string]any) {
			delete(s["design"].(map[string]any), "exact")
		},
		"a prediction of the exact model without the model": func(s map[string]any) {
			delete(s["design"].(map[string]any), "exact")
			s["exact"] = -1
		},
		"a prediction of the exact model with other classes": func(s map[string]any) {
			oldest := s["waiting"].(map[string]any)["queue"].([]any)[0].(map[string]any)
			oldest["forecasts"].(map[string]any)["exact"].(map[string]any)["classes"] = []float64{1}
		},
		"a centre, and the target is no number": func(s map[string]any) { s["scale"].(map[string]any)["center"] = 1 },
		"ids, and no column has any":            func(s map[string]any) { s["named"] = 1 },
		"a spread, and the target is no number": func(s map[string]any) { s["scale"].(map[string]any)["spread"] = 2 },
	} {
		var s map[string]any
		filetest.Check(t, json.Unmarshal(filetest.Must(json.Marshal(l.state()))(t), &s)) // as older programs wrote it
		change(s)
		var file bytes.Buffer
		filetest.Check(t, belief.Write(&file, kind, filetest.Must(json.Marshal(s))(t), parts))
		t.Log(name)
		filetest.WantError(t, filetest.Failure(Read(file.Bytes())), "the learner's state lacks a part, or has one of another size")
	}
}

// latin1 returns a stream whose columns, items, separator and classes are not UTF-8. A reader of JSON takes many of them for one.
func latin1(rows int, target string) *made {
	m := makeStream(rows, target)
	m.columns[0], m.columns[1] = "caf\xe9", "caf\xe8"
	replaced := strings.NewReplacer("u1", "\xe9", "u2", "\xe8", "i1", "\xe9", "i2", "\xe8", "|", "\xa6", "t1", "\xe9", "t2", "\xe8",
		"yes", "oui\xe9", "no", "oui\xe8",
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
		h := schema.Hints{Target: "y", As: kindOf(target), Multi: map[string]string{"tags": "\xa6"},
			Same: map[string]string{"caf\xe9": "caf\xe8"}}
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
	isNewest := func(n score.NewItem) bool { return n.Name == want }
	filetest.True(t, slices.ContainsFunc(l.Moment().Newest, isNewest), "%q is not among %+v", want, l.Moment().Newest)
}
