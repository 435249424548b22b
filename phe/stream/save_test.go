package stream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/phe/filetest"
	"gophe/phe/stream/schema"
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
	l := filetest.Must(Read(bufio.NewReader(bytes.NewReader(bytesOf(t, was)))))(t)
	if waiting, dropped := l.Waiting(); waiting != 3 || dropped != 2 {
		t.Errorf("%d records wait and %d were dropped, want 3 and 2", waiting, dropped)
	}
	if r := l.Report(); r.Dropped != 2 || !strings.Contains(r.String(), "2 waiting records were dropped") {
		t.Errorf("the report has %d dropped records:\n%s", r.Dropped, r)
	}
	filetest.Must(l.Ask("new", makeStream(1, "two").records[0]))(t)
	if err := l.Label("27", "yes"); !errors.Is(err, ErrUnknownID) {
		t.Errorf("the oldest record is still there: %v", err)
	}
	for _, id := range []string{"28", "29", "new"} {
		filetest.Check(t, l.Label(id, "yes"))
	}
}

// TestAnsweredRecordsAreFreed: one record whose label never comes does not keep all later records in memory.
func TestAnsweredRecordsAreFreed(t *testing.T) {
	const records, size = 500, 40_000
	l := waitingLearner(t)
	filetest.Must(l.SetWaiting(10, 0))(t)
	r := slices.Clone(makeStream(1, "two").records[0])
	live := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := live()
	for i := range records {
		id := fmt.Sprint("late ", i)
		r[0] = strings.Repeat("x", size)
		filetest.Must(l.Ask(id, r))(t)
		filetest.Check(t, l.Label(id, "yes"))
	}
	if grown := live() - before; grown > records*size/2 {
		t.Errorf("%d answered records of %d bytes take %d bytes", records, size, grown)
	}
	filetest.Check(t, l.Label("27", "yes"))
}

// TestStateOfAnotherLearner: a state that names items or forecasts that its learner has no room for is refused.
func TestStateOfAnotherLearner(t *testing.T) {
	l := waitingLearner(t)
	parts := l.Parts()
	for name, change := range map[string]func(s map[string]any){
		"too many exact items": func(s map[string]any) { s["exact"] = mostExact + 1 },
		"exact items without a table": func(s map[string]any) {
			delete(s["design"].(map[string]any), "exact")
		},
		"a law of the exact model without the model": func(s map[string]any) {
			delete(s["design"].(map[string]any), "exact")
			s["exact"] = -1
		},
		"a law of the exact model with other classes": func(s map[string]any) {
			oldest := s["waiting"].(map[string]any)["queue"].([]any)[0].(map[string]any)
			oldest["laws"].(map[string]any)["exact"].(map[string]any)["classes"] = []float64{1}
		},
	} {
		var s map[string]any
		filetest.Check(t, json.Unmarshal(filetest.Must(l.State())(t), &s))
		change(s)
		_, err := Assemble(filetest.Must(json.Marshal(s))(t), parts)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		filetest.WantError(t, err, "the learner's state lacks a part, or has one of another size")
	}
}

// A state that another program wrote, or that a person changed, is an error or a learner that works. It is never a panic.
func FuzzUnmarshal(f *testing.F) {
	for _, kind := range []schema.TargetKind{schema.Classes, schema.Amount, schema.Count} {
		target := schema.Target{Column: "y", Kind: kind}
		if kind == schema.Classes {
			target.Classes = []string{"0", "1"}
		}
		l, err := New(schema.Schema{Target: target, Columns: []schema.Column{{Name: "x", Kind: schema.Category}, {Name: "z", Kind: schema.Number, Edges: []float64{1, 2}}, {Name: "y", Kind: schema.Label}}}, Options{Memory: 32 << 10, Waiting: 4})
		if err != nil {
			f.Fatal(err)
		}
		for i := range 30 {
			if err := l.Learn(schema.Record{fmt.Sprint(i % 3), fmt.Sprint(i % 4), fmt.Sprint(i % 2)}); err != nil {
				f.Fatal(err)
			}
		}
		if _, err := l.Ask("a", schema.Record{"1", "2", ""}); err != nil {
			f.Fatal(err)
		}
		b, err := json.Marshal(l.state())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var s state
		if json.Unmarshal(b, &s) != nil || tooLarge(s) {
			return
		}
		l, _, err := unmarshal(b)
		if err != nil {
			return
		}
		r := make(schema.Record, len(l.schema.Columns))
		if _, err := l.Predict(r); err != nil {
			t.Fatal(err)
		}
		if _, _, err := l.Step(r); err == nil {
			_ = l.Report().String()
		}
	})
}

// tooLarge tells whether a state's tables need more memory than a test has. An undamaged file of such tables has the same size.
func tooLarge(s state) bool {
	const most = 1 << 20
	sizes := []int{s.Options.Memory, s.Exact, len(s.Schema.Columns) << 8}
	designs := s.Design.Experts
	if s.Design.Exact != nil {
		designs = append(designs, *s.Design.Exact)
	}
	for _, d := range designs {
		c := d.Learner
		sizes = append(sizes, c.Buckets, c.Evidence, c.LatentRows, c.Columns, c.Outputs, c.Hashes, c.Latents, c.Dim, c.Numbers, c.WeightRows, c.Buckets*c.Outputs, c.Columns*c.Outputs*c.Outputs, c.Fields)
		if d.Counts != nil {
			sizes = append(sizes, d.Counts.Slots, d.Counts.Contexts, d.Counts.Sets)
		}
	}
	for _, n := range sizes {
		if n > most {
			return true
		}
	}
	return false
}
