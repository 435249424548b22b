package run

import (
	"context"
	"path/filepath"
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
	alone := resultOf(t, s)
	o.Own = []ownmethod.Method{ownMethod(0.25)}
	f := finished(t, s, o)
	filetest.Want(t, f.Manifest.Own, map[string]string{"Mine": "run.steady"}, "own methods of the manifest")
	filetest.Want(t, alone.Manifest.Own, nil, "own methods of the manifest alone")
	others := *f
	others.Manifest.Own = nil
	others.Methods = slices.DeleteFunc(slices.Clone(f.Methods), func(m result.Method) bool { return m.Name == "Mine" })
	filetest.Want(t, len(others.Methods), len(f.Methods)-2, "number of other methods")
	wantSame(t, &others, alone, "without it")
	majority := methodOf(t, f, "Majority", false)
	for _, frozen := range []bool{false, true} {
		m := methodOf(t, f, "Mine", frozen)
		filetest.Want(t, len(m.Runs), len(s.Seeds), "number of runs")
		kind := [4]string{m.Hash, m.Protocol, m.Convention, m.Dataset}
		filetest.Want(t, kind, [4]string{"", majority.Protocol, majority.Convention, majority.Dataset}, "its kind")
		for i, run := range m.Runs { // the first class is the most frequent one
			filetest.Want(t, run.Seed, s.Seeds[i], "seed")
			filetest.Want(t, run.Accuracy, majority.Runs[i].Accuracy, "accuracy")
			filetest.Want(t, run.Rows, majority.Runs[i].Rows, "rows")
			filetest.True(t, run.Summary["accuracy"] > 0, "no accuracy in the summary %v", run.Summary)
		}
	}
}

// Nobody can see whether the code of a caller's method has changed. It runs again each time, and the other methods' runs are kept.
func TestOwnMethodAgain(t *testing.T) {
	s, o := tiny(t), options(t, t.TempDir())
	o.Own = []ownmethod.Method{ownMethod(0.25)}
	before := finished(t, s, o)
	accuracy := func(f *result.File) float64 { return methodOf(t, f, "Mine", false).Runs[0].Accuracy[0] }
	for _, o.Existing = range []Existing{Refresh, Resume} {
		o.Own = []ownmethod.Method{ownMethod(0.75)}
		after := mustRun(t, s, o)
		filetest.Want(t, accuracy(after), 1-accuracy(before), "accuracy of the changed method")
		filetest.Want(t, accuracy(readResult(t, o.Out)), accuracy(after), "accuracy in the file")
		for _, name := range []string{"PHE", "SlowAda", "FastAda"} {
			kept := sameMethod(methodOf(t, before, name, false), methodOf(t, after, name, false))
			filetest.True(t, kept, "%s was computed again, or has changed", name)
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
	for existing, dropped := range map[Existing]bool{Keep: false, Refresh: true, Resume: true} {
		s, o := tiny(t), meeting(t, t.TempDir(), existing)
		said := ""
		o.Say = func(note string) { said += note }
		o.Own = []ownmethod.Method{ownMethod(0.25)}
		before := finished(t, s, o)
		o.Own = nil
		f := mustRun(t, s, idle(t, o, "without the method"))
		filetest.Want(t, f.Status, result.Complete, "%d: status", existing)
		filetest.Want(t, f.Method("Mine", false) == nil, dropped, "%d: the result lacks the method", existing)
		filetest.Want(t, len(f.Manifest.Own) == 0, dropped, "%d: the manifest lacks the method", existing)
		filetest.Want(t, strings.Contains(said, "lacks method Mine"), dropped, "%d: it says so by %q", existing, said)
		kept := sameMethod(methodOf(t, before, "PHE", false), methodOf(t, f, "PHE", false))
		filetest.True(t, kept, "%d: PHE was computed again", existing)
	}
}

// An error in the method comes before the spec's methods take their time, and a finished result stays.
func TestOwnMethodFails(t *testing.T) {
	s, o := tiny(t), meeting(t, t.TempDir(), Refresh)
	finished(t, s, o)
	before := pair(t, o.Out)
	s.Methods[0].UpdateEpochs++
	o.Own = []ownmethod.Method{ownMethod(2)}
	o.Progress = func(_ float64, doing string) {
		filetest.True(t, !strings.Contains(doing, "PHE"), "PHE has begun")
	}
	_, err := Execute(context.Background(), s, o)
	filetest.WantError(t, err, "method Mine, seed 0", "step 1 of 3", "[-1 2] for row")
	filetest.True(t, pair(t, o.Out) == before, "the finished result has changed")
}

// A stopped run goes on as without the method, which runs anew.
func TestOwnMethodStopped(t *testing.T) {
	s, o := tiny(t), meeting(t, t.TempDir(), Refresh)
	o.Own = []ownmethod.Method{ownMethod(0.25)}
	stopAt(t, s, o, onlyOnce(t, s, o).calls-steps/2)
	wantSame(t, mustRun(t, s, o), finished(t, s, o), "resumed")
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
