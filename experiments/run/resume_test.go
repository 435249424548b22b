package run

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pkg/errors"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/machine"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// stopAt cancels a run when Progress is told something for the n-th time, and demands that the run ends by it.
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

// steps is how often Progress is told something in a run of tiny: for each seed twice two epochs, and three steps of
// five streams.
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
	for _, spec := range []spec.Spec{tinyRetail(t, protocol.Daily), tinyRatings(t)} {
		o := options(t, t.TempDir())
		alone := finished(t, spec, o)
		o.BackendName, o.Out = "together", t.TempDir()
		together := mustRun(t, spec, o)
		for i := range alone.Methods {
			m := &alone.Methods[i]
			for k, run := range m.Runs {
				other := together.Methods[i].Runs[k]
				for _, metric := range append(slices.Collect(maps.Keys(run.Scores)), measure.LogLikelihood) {
					for day, v := range run.Series(metric) {
						if math.Abs(v-other.Series(metric)[day]) > 1e-4 {
							t.Errorf("%s, seed %d, day %d: %s is %v alone, %v together", m.Label(), k, day, metric, v, other.Series(metric)[day])
						}
					}
				}
				if !slices.Equal(run.Rows, other.Rows) || len(run.Calibration) != len(other.Calibration) || len(run.Tallies) != len(other.Tallies) || len(run.Memory) != len(other.Memory) {
					t.Errorf("%s, seed %d: %+v alone, %+v together", m.Label(), k, run, other)
				}
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
		if got := mustRun(t, spec, o); timeless(t, got) != timeless(t, want) {
			t.Errorf("%s, stopped at call %d: the resumed result differs:\n%s\n%s", what, at, timeless(t, got), timeless(t, want))
		}
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
			s.Methods = append(s.Methods, spec.Method{Name: "PHE once", Rows: "hash", Estimate: "posterior", UpdateEpochs: 1, Arrival: protocol.AtOnce})
		}
		return s
	}
	userFile, _ := ownSpec(t, 300)
	for name, spec := range map[string]spec.Spec{"group": tinyOf(t, protocol.GroupWise), "adaptation": tinyOf(t, protocol.Adaptation), "by group": tinyOf(t, protocol.ByGroup),
		"growing": tinyOf(t, protocol.Growing), "in order": tinyOf(t, protocol.InOrder), "replay by group": replay(protocol.GroupWise), "replay, swapped": replay(protocol.Swapped), "replay, order": replay(protocol.Order),
		"one pass by group": tinyOnePass(t, protocol.GroupWise), "one pass, order": tinyOnePass(t, protocol.Order),
		"daily": tinyRetail(t, protocol.Daily), "ratings": tinyRatings(t), "one pass over ratings": tinyRatingPass(t), "products": tinyRetail(t, protocol.Products), "diverging days": diverging(t, protocol.Daily),
		"counts": tinyCounts(), "user's file": userFile} {
		if !filetest.Long() && slices.Contains([]string{"adaptation", "by group", "growing", "in order", "replay by group", "one pass by group"}, name) {
			continue // "group", "replay, order" and "one pass, order" save the same state
		}
		spec.Seeds = spec.Seeds[len(spec.Seeds)-1:]
		o := options(t, t.TempDir())
		calls := onlyOnce(t, spec, o).calls
		points := []int{2 * calls / 3}
		if filetest.Long() {
			points = []int{1, calls / 3, 2 * calls / 3, calls - 1}
		}
		stopAndResume(t, name, spec, o, points)
	}
}

// checkPartial compares a partial result with the whole: it has fewer scores, but the same.
func checkPartial(t *testing.T, got, whole *result.File) {
	t.Helper()
	if got.Status != result.Partial || got.Manifest.SpecHash != whole.Manifest.SpecHash || len(got.Methods) != len(whole.Methods) {
		t.Errorf("the partial result is %s with %d methods", got.Status, len(got.Methods))
	}
	for i, m := range got.Methods {
		for _, run := range m.Runs {
			all := whole.Methods[i].Run(run.Seed)
			n := len(run.Rows)
			if n > len(all.Rows) || len(run.Scores) > len(all.Scores) {
				t.Errorf("%s, seed %d: %d row counts and %d more metrics", m.Name, run.Seed, n, len(run.Scores))
				continue
			}
			for _, metric := range append(slices.Collect(maps.Keys(all.Scores)), measure.Accuracy, measure.LogLikelihood) {
				got, want := run.Series(metric), all.Series(metric)
				if !slices.Equal(got, want[:min(n, len(want))]) {
					t.Errorf("%s, seed %d: %s %v is not final; want the first %d of %v", m.Name, run.Seed, metric, got, n, want)
				}
			}
			if run.Status == result.Complete && n != len(all.Rows) {
				t.Errorf("%s, seed %d: complete after %d steps", m.Name, run.Seed, n)
			}
		}
	}
}

func TestInterruptAgainAndAgain(t *testing.T) {
	spec, o := tiny(t), options(t, t.TempDir())
	spec.Seeds = spec.Seeds[:1]
	want := finished(t, spec, options(t, t.TempDir()))
	o.Existing = Resume // also where nothing is there yet
	sessions := 1
	for ; ; sessions++ {
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		o.Progress = func(float64, string) {
			if calls++; calls == 3 {
				cancel()
			}
		}
		got, err := Execute(ctx, spec, o)
		cancel()
		if err == nil {
			if timeless(t, got) != timeless(t, want) {
				t.Errorf("after %d sessions the result differs", sessions)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || sessions > steps {
			t.Fatalf("session %d: %v", sessions, err)
		}
	}
	if sessions < 5 {
		t.Errorf("%d sessions; the test meant to interrupt more", sessions)
	}
}

// A context that has ended already starts nothing.
func TestInterruptedBeforeStart(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	out := t.TempDir()
	o := options(t, out)
	o.Progress = func(_ float64, doing string) { t.Errorf("did something: %s", doing) }
	if _, err := Execute(ctx, tiny(t), o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if f := readResult(t, out); f.Status != result.Partial {
		t.Errorf("the file is %s", f.Status)
	}
}

// sameMethod compares everything, times included.
func sameMethod(a, b result.Method) bool {
	return fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b)
}

func TestResumeMoreSeeds(t *testing.T) {
	spec, out := tiny(t), t.TempDir()
	want := finished(t, spec, options(t, t.TempDir()))
	one := spec
	one.Seeds = []int64{1} // not the first, so that the new one must be put before it
	mustRun(t, one, options(t, out))
	before := readResult(t, out)
	o := options(t, out)
	o.Existing = Resume
	after := mustRun(t, spec, o)
	if timeless(t, after) != timeless(t, want) {
		t.Error("grown to two seeds, the result differs from two seeds at once")
	}
	for i, m := range after.Methods {
		kept := result.Method{Runs: m.Runs[1:]}
		if !sameMethod(kept, result.Method{Runs: before.Methods[i].Runs}) {
			t.Errorf("%s: seed 1 was touched:\n%+v\n%+v", m.Name, m.Runs[1], before.Methods[i].Runs[0])
		}
	}
	if after.Manifest.Seconds <= before.Manifest.Seconds {
		t.Errorf("%v s in all, %v s before; sessions add up", after.Manifest.Seconds, before.Manifest.Seconds)
	}
}

// A session that finished no run counts too: its checkpoint goes on, so its time and its code are part of the result.
func TestResumeRemembersTheFirstSession(t *testing.T) {
	spec, out := tiny(t), t.TempDir()
	stopAt(t, spec, options(t, out), 1)
	f := readResult(t, out)
	f.Manifest.Seconds, f.Manifest.Commit, f.Manifest.Processor = 1000, "older", ""
	filetest.Check(t, store(f, filepath.Join(out, "tiny.json")))
	o := options(t, out)
	o.Existing = Resume
	stopAt(t, spec, o, 1)
	got := mustRun(t, spec, o).Manifest
	if got.Seconds <= 1000 || got.Commit != "older, resumed by "+machine.Commit() ||
		got.Processor != "unknown, resumed on "+machine.Processor() {
		t.Errorf("%g s by %q on %q", got.Seconds, got.Commit, got.Processor)
	}
}

// A stream that diverged is done: going on must not try to take it up again.
func TestResumeAfterDivergence(t *testing.T) {
	s := tiny(t)
	s.Model.KLWeight = 1e300
	s.Seeds = s.Seeds[:1]
	s.Methods = append(s.Methods[:1:1], spec.Method{Name: "PHE slow", Rows: "hash", Estimate: "posterior", UpdateEpochs: 1})
	want := resultOf(t, s)
	for at := 1; at <= 5; at++ { // two epochs, and a step of each of three streams
		out := t.TempDir()
		stopAt(t, s, options(t, out), at)
		o := options(t, out)
		o.Existing = Resume
		if got := mustRun(t, s, o); timeless(t, got) != timeless(t, want) {
			t.Errorf("stopped at call %d: the resumed result differs", at)
		}
	}
}

// resume continues the run of tiny that was stopped in a folder.
func resume(t *testing.T, out string) (*result.File, error) {
	t.Helper()
	o := options(t, out)
	o.Existing = Resume
	return Execute(context.Background(), tiny(t), o)
}

// A stopped run without its checkpoints starts anew.
func TestResumeWithoutCheckpoints(t *testing.T) {
	out := t.TempDir()
	want := finished(t, tiny(t), options(t, t.TempDir()))
	stopAt(t, tiny(t), options(t, out), steps/2)
	filetest.Check(t, os.RemoveAll(filepath.Join(out, ".tiny.checkpoints")))
	if got := filetest.Must(resume(t, out))(t); timeless(t, got) != timeless(t, want) {
		t.Error("the result differs")
	}
}

func TestResumeDamagedResult(t *testing.T) {
	out := t.TempDir()
	filetest.Check(t, os.WriteFile(filepath.Join(out, "tiny.json"), []byte("{"), 0o644))
	for _, existing := range []Existing{Resume, Refresh} {
		o := options(t, out)
		o.Existing = existing
		_, err := Execute(context.Background(), tiny(t), o)
		filetest.WantError(t, err, "tiny.json already exists and holds something other than the result of tiny", "--out")
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
			_, err := resume(t, out)
			filetest.WantError(t, err, path, want, "delete it, or start anew with --force")
		}
		wantRefused(whole[:10], "not written by this version")
		wantRefused(whole[:head+10], "checksum")
		for at, want := range map[int]string{0: "not written by this version", head - 2: "not written by this version", head: "checksum", head + 40: "checksum",
			len(whole) / 2: "checksum", len(whole) - 1: "checksum"} {
			damaged := slices.Clone(whole)
			damaged[at] ^= 1 << (at % 8)
			wantRefused(damaged, want)
		}
		filetest.Check(t, os.WriteFile(path, append([]byte(formerFormat), whole[head:]...), 0o644))
	}
	filetest.Must(resume(t, out))(t)
}

// Replace uses nothing of a stopped run.
func TestStartAnew(t *testing.T) {
	out := t.TempDir()
	stopAt(t, tiny(t), options(t, out), steps/2)
	o := options(t, out)
	o.Existing = Replace
	calls, epochs := 0, 0
	o.Progress = func(_ float64, doing string) {
		calls++
		if strings.Contains(doing, "initial epoch") {
			epochs++
		}
	}
	f := mustRun(t, tiny(t), o)
	if calls != steps || epochs != 2*2*2 {
		t.Errorf("%d calls, %d of them initial epochs; want all %d and %d", calls, epochs, steps, 2*2*2)
	}
	if f.Status != result.Complete {
		t.Errorf("%s", f.Status)
	}
	filetest.WantFiles(t, out, fileNames[:]...)
}
