package run

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/task/ownmethod"
	"gophe/phe/disk/filetest"
)

// steady forecasts the same whatever comes. It stands for a method of a caller's own.
type steady []float64

func (s steady) Predict([]string, []float64) []float64 { return s }
func (s steady) Learn([]string, []float64, int)        {}

// ownMethod is a method of a caller's own that gives the second class a probability.
func ownMethod(p float64) ownmethod.Method {
	return ownmethod.Method{Name: "Mine", New: func(ownmethod.Table, int64) ownmethod.Learner { return steady{1 - p, p} }}
}

// A method of a caller's own stands in the result with the spec's, scored on the same rows. The manifest says that the spec alone
// cannot compute it, and the file can be read again.
func TestOwnMethod(t *testing.T) {
	s, o := tiny(t), options(t, t.TempDir())
	alone := finished(t, s, options(t, t.TempDir()))
	o.Own = []ownmethod.Method{ownMethod(0.25)}
	f := mustRun(t, s, o)
	if len(f.Methods) != len(alone.Methods)+2 || f.Status != result.Complete || f.Manifest.SpecHash != alone.Manifest.SpecHash {
		t.Fatalf("%s, %d methods", f.Status, len(f.Methods))
	}
	others := *f
	others.Manifest.Own = nil
	others.Methods = slices.DeleteFunc(slices.Clone(f.Methods), func(m result.Method) bool { return m.Name == "Mine" })
	if timeless(t, &others) != timeless(t, alone) {
		t.Error("the other methods have other results beside it")
	}
	if want := map[string]string{"Mine": "run.steady"}; !reflect.DeepEqual(f.Manifest.Own, want) || alone.Manifest.Own != nil {
		t.Errorf("the manifest says %v and %v", f.Manifest.Own, alone.Manifest.Own)
	}
	majority := methodOf(t, f, "Majority", false)
	for _, frozen := range []bool{false, true} {
		m := methodOf(t, f, "Mine", frozen)
		if m.Hash != "" || len(m.Runs) != len(s.Seeds) || m.Protocol != majority.Protocol || m.Convention != majority.Convention || m.Dataset != majority.Dataset {
			t.Errorf("%+v", m)
		}
		for i, run := range m.Runs { // the first class is the most frequent one
			if run.Seed != s.Seeds[i] || !slices.Equal(run.Accuracy, majority.Runs[i].Accuracy) || !slices.Equal(run.Rows, majority.Runs[i].Rows) || run.Summary["accuracy"] == 0 {
				t.Errorf("run %+v", run)
			}
		}
	}
}

// Nobody can see whether the code of a caller's method has changed. It runs again each time, and the other methods' runs are kept.
func TestOwnMethodAgain(t *testing.T) {
	s, o := tiny(t), options(t, t.TempDir())
	o.Own = []ownmethod.Method{ownMethod(0.25)}
	before := finished(t, s, o)
	for _, existing := range []Existing{Refresh, Resume} {
		o.Existing, o.Own = existing, []ownmethod.Method{ownMethod(0.75)}
		after := mustRun(t, s, o)
		if a, b := methodOf(t, before, "Mine", false).Runs[0], methodOf(t, after, "Mine", false).Runs[0]; a.Accuracy[0]+b.Accuracy[0] != 1 {
			t.Errorf("changed, the method scores %g after %g", b.Accuracy[0], a.Accuracy[0])
		}
		for _, name := range []string{"PHE", "SlowAda", "FastAda"} {
			if a, b := methodOf(t, before, name, false), methodOf(t, after, name, false); !sameMethod(a, b) {
				t.Errorf("%s was computed again, or has changed", name)
			}
		}
		if onDisk := readResult(t, o.Out); methodOf(t, onDisk, "Mine", false).Runs[0].Accuracy[0] == methodOf(t, before, "Mine", false).Runs[0].Accuracy[0] {
			t.Error("the file has the numbers of the earlier code")
		}
		o.Own = []ownmethod.Method{ownMethod(0.25)}
		mustRun(t, s, o)
	}
	o.Existing = Keep
	_, err := Execute(context.Background(), s, o)
	filetest.WantError(t, err, filepath.Join(o.Out, "tiny.json"), "same code as method Mine", "Refresh")
}

// Keep leaves a finished result alone. Refresh and Resume drop the method, say so, and keep all others.
func TestOwnMethodLeftOut(t *testing.T) {
	for _, c := range []struct {
		existing Existing
		dropped  bool
	}{{Keep, false}, {Refresh, true}, {Resume, true}} {
		s, o := tiny(t), options(t, t.TempDir())
		var notes []string
		o.Say = func(note string) { notes = append(notes, note) }
		o.Own = []ownmethod.Method{ownMethod(0.25)}
		before := finished(t, s, o)
		o.Own, o.Existing = nil, c.existing
		o.Progress = func(_ float64, doing string) { t.Errorf("%d: computed again: %s", c.existing, doing) }
		f := mustRun(t, s, o)
		if (f.Method("Mine", false) == nil) != c.dropped || (len(f.Manifest.Own) == 0) != c.dropped || f.Status != result.Complete {
			t.Errorf("%d: methods of the caller's own: %v", c.existing, f.Manifest.Own)
		}
		if a, b := methodOf(t, before, "PHE", false), methodOf(t, f, "PHE", false); !sameMethod(a, b) {
			t.Errorf("%d: PHE was computed again", c.existing)
		}
		if (len(notes) == 1 && strings.Contains(notes[0], "lacks method Mine")) != c.dropped {
			t.Errorf("%d: said %q", c.existing, notes)
		}
	}
}

// An error in the method comes before the spec's methods take their time, and a finished result stays.
func TestOwnMethodFails(t *testing.T) {
	s, o := tiny(t), options(t, t.TempDir())
	finished(t, s, o)
	content := pair(t, o.Out)[0]
	s.Methods[0].UpdateEpochs++
	o.Existing, o.Own = Refresh, []ownmethod.Method{ownMethod(2)}
	o.Progress = func(_ float64, doing string) {
		if strings.Contains(doing, "PHE") {
			t.Error("PHE has begun")
		}
	}
	_, err := Execute(context.Background(), s, o)
	filetest.WantError(t, err, "method Mine, seed 0", "step 1 of 3", "[-1 2] for row")
	if pair(t, o.Out)[0] != content {
		t.Error("the finished result has changed")
	}
}

// A stopped run goes on as without the method, which runs anew.
func TestOwnMethodStopped(t *testing.T) {
	s, o := tiny(t), options(t, t.TempDir())
	o.Own = []ownmethod.Method{ownMethod(0.25)}
	whole := finished(t, s, o)
	calls := onlyOnce(t, s, o).calls
	o.Out, o.Existing = t.TempDir(), Refresh
	stopAt(t, s, o, calls-steps/2)
	if f := mustRun(t, s, o); timeless(t, f) != timeless(t, whole) {
		t.Error("resumed, the result differs")
	}
}

// What cannot run is refused before anything is read.
func TestOwnMethodRefused(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		own        []ownmethod.Method
		want       string
	}{
		{"sales", "retail-forecast", []ownmethod.Method{ownMethod(0.5)}, `dataset "retail" with protocol "daily"; choose a spec of a table`},
		{"ratings", "movielens-small", []ownmethod.Method{ownMethod(0.5)}, `protocol "recommend"; choose a spec of a table`},
		{"counters", "retail-counts", []ownmethod.Method{ownMethod(0.5)}, "choose a spec of a table"},
		{"two items", "two-items", []ownmethod.Method{ownMethod(0.5)}, "choose a spec of a table"},
		{"no name", "adult-online", []ownmethod.Method{{}}, "has no name"},
		{"name of a method", "adult-online", []ownmethod.Method{{Name: "P-EE"}}, "P-EE of your own has the name of another method"},
		{"name of a frozen model", "adult-online", []ownmethod.Method{{Name: "Ada"}}, "Ada of your own has the name of another method"},
		{"name of a rule", "adult-online", []ownmethod.Method{{Name: "Majority"}}, "choose another name"},
		{"twice", "adult-online", []ownmethod.Method{ownMethod(0.5), ownMethod(0.5)}, "choose another name"},
	} {
		s, err := spec.Load(c.spec)
		filetest.Check(t, err)
		o := options(t, t.TempDir())
		o.Own = c.own
		_, err = Execute(context.Background(), s, o)
		filetest.WantError(t, err, c.want)
		filetest.WantFiles(t, o.Out)
	}
}
