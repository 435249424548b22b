package run

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/result/machine"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// stopAt stops a run when Progress is told something for the n-th time, and demands that the run ends by it.
func stopAt(t *testing.T, spec spec.Spec, o Options, n int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	calls := 0
	o.Progress = func(float64, string) {
		if calls++; calls == n {
			cancel()
		}
	}
	if _, err := Execute(ctx, spec, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped at call %d: error %v, want the context's", n, err)
	}
}

// steps is how often Progress is told something in a run of tiny: for each seed twice two epochs, and three steps of five streams.
const steps = 2 * (2*2 + 5*3)

// Wherever Ctrl-C strikes, the file is valid, holds scores that are final, and --resume ends as if nothing had happened.
func TestInterruptAndResume(t *testing.T) {
	for backendName, n := range map[string]int{"go": steps, "together": steps / 2} { // together: all seeds in one program, as XLA has them
		o := options(t, t.TempDir())
		o.BackendName = backendName
		points := []int{1, n / 3, n - 1, n}
		if filetest.Long() {
			points = []int{1, 2, 3, n / 4, n / 3, n / 2, 3 * n / 4, n - 1, n}
		}
		stopAndResume(t, backendName, tiny(t), o, points)
	}
}

// Seeds that learn side by side in one program, as XLA has them, score as each does alone.
func TestTogether(t *testing.T) {
	sizes := func(run result.Run) [3]int { return [3]int{len(run.Calibration), len(run.Tallies), len(run.Memory)} }
	for _, spec := range []spec.Spec{tinyRetail(t, protocol.Daily), tinyRatings(t)} {
		o := options(t, t.TempDir())
		alone := finished(t, spec, o)
		o.BackendName, o.Out = "together", t.TempDir()
		together := mustRun(t, spec, o)
		for i := range alone.Methods {
			m := &alone.Methods[i]
			for k, run := range m.Runs {
				other := together.Methods[i].Runs[k]
				name := fmt.Sprintf("%s, seed %d", m.Label(), k)
				for metric, series := range seriesOf(run) {
					for day, v := range series {
						filetest.Near(t, other.Series(metric)[day], v, 1e-4, "%s, day %d: %s together", name, day, metric)
					}
				}
				filetest.Want(t, other.Rows, run.Rows, "%s: rows together", name)
				filetest.Want(t, sizes(other), sizes(run), "%s: cells, tallies and measurements of memory together", name)
			}
		}
	}
}

// stopAndResume stops a run at some calls of Progress and resumes it. The result must equal the result of an uninterrupted run.
func stopAndResume(t *testing.T, what string, spec spec.Spec, o Options, points []int) {
	t.Helper()
	want := finished(t, spec, o)
	for _, at := range points {
		o.Out, o.Existing = t.TempDir(), Keep
		stopAt(t, spec, o, at)
		checkPartial(t, readResult(t, o.Out), want)
		o.Existing = Resume
		wantSame(t, mustRun(t, spec, o), want, "%s, stopped at call %d", what, at)
		filetest.WantFiles(t, o.Out, fileNames[:]...)
	}
}

// The same for every protocol, and for methods with updates of their own: other arrivals, replay (whose optimiser remembers), rules on
// the host, sales, whose scores are maps and counts, ratings, whose scores are also tallies, and a file of the caller's.
func TestInterruptAndResumeProtocols(t *testing.T) {
	replay := func(p string) spec.Spec {
		s := tinyOf(t, p)
		s.Methods = []spec.Method{
			{Name: "PHE all", Rows: "hash", Estimate: "posterior", UpdateEpochs: 1, Scope: "all-parameters"},
			{Name: "PHE replay", Rows: "hash", Estimate: "posterior", UpdateEpochs: 2, Replay: true},
		}
		if p == protocol.Order {
			once := spec.Method{Name: "PHE once", Rows: "hash", Estimate: "posterior", UpdateEpochs: 1, Arrival: protocol.AtOnce}
			s.Methods = append(s.Methods, once)
		}
		return s
	}
	userFile, _ := ownSpec(t, 300)
	ruined := tiny(t) // a stream that diverged is done: going on must not try to take it up again
	ruined.Model.KLWeight = 1e300
	ruined.Methods = append(ruined.Methods[:1:1], spec.Method{Name: "PHE slow", Rows: "hash", Estimate: "posterior", UpdateEpochs: 1})
	specs := map[string]spec.Spec{"group": tinyOf(t, protocol.GroupWise), "one pass, order": tinyOnePass(t, protocol.Order),
		"replay, swapped": replay(protocol.Swapped), "replay, order": replay(protocol.Order),
		"daily": tinyRetail(t, protocol.Daily), "products": tinyRetail(t, protocol.Products),
		"ratings": tinyRatings(t), "one pass over ratings": tinyRatingPass(t), "counts": tinyCounts(), "user's file": userFile,
		"diverging days": diverging(t, protocol.Daily), "diverged": ruined}
	if filetest.Long() { // "group", "replay, order" and "one pass, order" save the same state
		maps.Copy(specs, map[string]spec.Spec{"adaptation": tinyOf(t, protocol.Adaptation), "by group": tinyOf(t, protocol.ByGroup),
			"growing": tinyOf(t, protocol.Growing), "in order": tinyOf(t, protocol.InOrder), "replay by group": replay(protocol.GroupWise),
			"one pass by group": tinyOnePass(t, protocol.GroupWise)})
	}
	for name, spec := range specs {
		spec.Seeds = spec.Seeds[len(spec.Seeds)-1:]
		o := options(t, t.TempDir())
		calls := onlyOnce(t, spec, o).calls
		points := []int{2 * calls / 3}
		if filetest.Long() {
			points = []int{1, calls / 3, 2 * calls / 3, calls - 1}
		}
		if name == "diverged" {
			points = []int{1, 2, 3, 4} // two epochs, and a step of two of three streams
		}
		stopAndResume(t, name, spec, o, points)
	}
}

// checkPartial compares a partial result with the whole: it has fewer scores, but the same.
func checkPartial(t *testing.T, got, whole *result.File) {
	t.Helper()
	filetest.Want(t, got.Status, result.Partial, "status of the partial result")
	filetest.Want(t, got.Manifest.SpecHash, whole.Manifest.SpecHash, "spec of the partial result")
	filetest.Want(t, labelsOf(got), labelsOf(whole), "methods of the partial result")
	for i, m := range got.Methods {
		for _, run := range m.Runs {
			all, n := whole.Methods[i].Run(run.Seed), len(run.Rows)
			filetest.True(t, run.Status != result.Complete || n == len(all.Rows),
				"%s, seed %d: complete after %d steps", m.Name, run.Seed, n)
			for metric, want := range seriesOf(*all) {
				filetest.Want(t, run.Series(metric), want[:min(n, len(want))], "%s, seed %d: %s so far", m.Name, run.Seed, metric)
			}
			filetest.True(t, len(run.Scores) <= len(all.Scores), "%s, seed %d: more metrics than the whole", m.Name, run.Seed)
		}
	}
}

// A context that has ended already starts nothing.
func TestInterruptedBeforeStart(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out := t.TempDir()
	o := options(t, out)
	o.Progress = func(_ float64, doing string) { t.Errorf("did something: %s", doing) }
	_, err := Execute(ctx, tiny(t), o)
	filetest.True(t, errors.Is(err, context.Canceled), "error %v, want the context's", err)
	filetest.Want(t, readResult(t, out).Status, result.Partial, "status")
}

// sameMethod compares everything, times included.
func sameMethod(a, b result.Method) bool {
	return fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b)
}

func TestResumeMoreSeeds(t *testing.T) {
	spec, out := tiny(t), t.TempDir()
	one := spec
	one.Seeds = []int64{1} // not the first, so that the new one must be put before it
	before := finished(t, one, options(t, out))
	after := mustRun(t, spec, meeting(t, out, Resume))
	wantSame(t, after, resultOf(t, spec), "grown to two seeds")
	for i, m := range after.Methods {
		kept := sameMethod(result.Method{Runs: m.Runs[1:]}, result.Method{Runs: before.Methods[i].Runs})
		filetest.True(t, kept, "%s: seed 1 was touched:\n%+v\n%+v", m.Name, m.Runs[1], before.Methods[i].Runs[0])
	}
	seconds := [2]float64{before.Manifest.Seconds, after.Manifest.Seconds}
	filetest.True(t, seconds[0] < seconds[1], "%v s before, and in all; sessions add up", seconds)
}

// A session that finished no run counts too: its checkpoint goes on, so its time and its code are part of the result.
func TestResumeRemembersTheFirstSession(t *testing.T) {
	spec, out := tiny(t), t.TempDir()
	stopAt(t, spec, options(t, out), 1)
	f := readResult(t, out)
	f.Manifest.Seconds, f.Manifest.Commit, f.Manifest.Processor = 1000, "older", ""
	filetest.Check(t, store(f, filepath.Join(out, "tiny.json")))
	o, whole := meeting(t, out, Resume), resultOf(t, spec)
	for range 4 { // sessions, each of which goes on from the one before
		stopAt(t, spec, o, 3)
	}
	all := mustRun(t, spec, o)
	got := all.Manifest
	all.Manifest.Processor = whole.Manifest.Processor
	wantSame(t, all, whole, "after six sessions")
	filetest.True(t, got.Seconds > 1000, "%g s", got.Seconds)
	filetest.Want(t, got.Commit, "older, resumed by "+machine.Commit(), "commit")
	filetest.Want(t, got.Processor, "unknown, resumed on "+machine.Processor(), "processor")
}

// A run without its checkpoints starts anew. So does one that replaces what a stopped run left, and a refresh that meets the
// half-done run of another spec. A refresh of the same spec goes on.
func TestAfterStop(t *testing.T) {
	other := tiny(t)
	other.Model.KLWeight = 2
	for _, c := range []struct {
		name    string
		stopped spec.Spec
		at      int
		then    Existing
		anew    bool
	}{
		{"no checkpoints", tiny(t), 1, Resume, true},
		{"replaced", tiny(t), steps / 2, Replace, true},
		{"refreshed", tiny(t), steps / 3, Refresh, false},
		{"refreshed, another spec", other, steps / 3, Refresh, true},
	} {
		out := t.TempDir()
		stopAt(t, c.stopped, options(t, out), c.at)
		if c.name == "no checkpoints" {
			filetest.Check(t, os.RemoveAll(filepath.Join(out, ".tiny.checkpoints")))
		}
		o := meeting(t, out, c.then)
		calls := counted(&o)
		wantSame(t, mustRun(t, tiny(t), o), resultOf(t, tiny(t)), "%s", c.name)
		filetest.True(t, *calls > 0 && (*calls == steps) == c.anew, "%s: %d of %d calls", c.name, *calls, steps)
		filetest.WantFiles(t, out, fileNames[:]...)
	}
}

// A checkpoint with one changed bit, a part of one, or a checkpoint of another version is refused: it would end with other numbers. A
// checkpoint with the former first line is read.
func TestCheckpointIntegrity(t *testing.T) {
	out := t.TempDir()
	stopAt(t, tiny(t), options(t, out), 3) // every job has begun at most
	checkpoints := filetest.Must(filepath.Glob(filepath.Join(out, ".tiny.checkpoints", "*.gob")))(t)
	if len(checkpoints) == 0 {
		t.Fatal("no checkpoint")
	}
	for _, path := range checkpoints {
		whole := filetest.Must(os.ReadFile(path))(t)
		head := len(checkpointFormat)
		wantRefused := func(damaged []byte, want string) {
			t.Helper()
			filetest.Check(t, os.WriteFile(path, damaged, 0o644))
			wantRunError(t, tiny(t), meeting(t, out, Resume), path, want, "delete it, or start anew with --force")
		}
		wantRefused(whole[:10], "not written by this version")
		wantRefused(whole[:head+10], "checksum")
		for at, want := range map[int]string{0: "not written by this version", head - 2: "not written by this version",
			head: "checksum", head + 40: "checksum", len(whole) / 2: "checksum", len(whole) - 1: "checksum"} {
			damaged := slices.Clone(whole)
			damaged[at] ^= 1 << (at % 8)
			wantRefused(damaged, want)
		}
		filetest.Check(t, os.WriteFile(path, whole, 0o644))
	}
	mustRun(t, tiny(t), meeting(t, out, Resume))
}
