package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gophe/experiments/report"
	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
)

func TestRun(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	spec := specFile(t, smallSpec(t))
	code, stdout, stderr := call(t, "", "run", spec, "--out", out, "--backend", "auto") // no plugin: auto is go
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"small on go in ", "small.json", "| PHE | local |", "| SlowAda (frozen) |"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	f := read(t, out)
	if f.Status != result.Complete || !f.Manifest.DataVerified || len(f.Methods) != 6 || len(f.Methods[0].Runs) != 2 {
		t.Errorf("%s, data verified: %v, %d methods", f.Status, f.Manifest.DataVerified, len(f.Methods))
	}

	// From two seeds to three, and as JSON.
	code, stdout, stderr = call(t, "", "run", spec, "--out", out, "--backend", "go", "--resume", "--seeds", "3", "--json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for _, line := range lines {
		var cell report.Cell
		if err := json.Unmarshal([]byte(line), &cell); err != nil || cell.Seeds != 3 || cell.Measured == nil {
			t.Errorf("%v: %s", err, line)
		}
	}
	if len(lines) != 12 {
		t.Errorf("%d lines, want 4 methods and 2 rivals by 2 metrics", len(lines))
	}
}

func TestQuickHasItsOwnName(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	code, stdout, stderr := call(t, "", "run", specFile(t, smallSpec(t)), "--out", out, "--backend", "go", "--quick")
	if code != 0 || !strings.Contains(stdout, "small-quick") {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	if files := filesIn(t, out); !slices.Equal(files, []string{"small-quick.json", "small-quick.series"}) {
		t.Errorf("files %q", files)
	}
}

// An item never seen before is not an error: the paper is about such items.
func TestUnseenItem(t *testing.T) {
	t.Parallel()
	lines, changed := adultLines(t, 50000), 0
	for i := 20000; i < 24000; i++ {
		if replaced := strings.Replace(lines[i], ",Bachelors,", ",Wizardry,", 1); replaced != lines[i] {
			lines[i] = replaced
			changed++
		}
	}
	if len(lines) != 48843 || changed < 100 {
		t.Fatalf("%d lines, %d of them changed", len(lines), changed)
	}
	folder, out := adultFolder(t, lines), t.TempDir()
	spec := smallSpec(t)
	spec.Protocol.ChunkRows = 1000 // thirty of them are most of the rows
	path := specFile(t, spec)
	code, _, stderr := call(t, folder, "run", path, "--out", out, "--backend", "go", "--quick")
	if code != 1 || !strings.Contains(stderr, "altered") || !strings.Contains(stderr, "--allow-altered") {
		t.Errorf("exit code %d: %s; want a refusal that names --allow-altered", code, stderr)
	}
	if files := filesIn(t, out); len(files) > 0 {
		t.Errorf("the refused run left %q", files)
	}
	code, stdout, stderr := call(t, folder, "run", path, "--out", out, "--backend", "go", "--quick", "--allow-altered")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	f := filetest.Must(result.Read(filepath.Join(out, "small-quick.json")))(t)
	if f.Status != result.Complete || f.Manifest.DataVerified || len(f.Methods[0].Runs[0].Rows) != 3 { // the spec has but three
		t.Errorf("%s, data verified: %v, %d steps\n%s", f.Status, f.Manifest.DataVerified, len(f.Methods[0].Runs[0].Rows), stdout)
	}
}

// Ctrl-C ends with 130 and a valid partial result, from which --resume goes on.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	spec, out := smallSpec(t), t.TempDir()
	spec.Seeds, spec.Protocol.MaxChunks = []int64{0, 1, 2}, 30
	path := specFile(t, spec)
	c := program(t, "", "run", path, "--out", out, "--backend", "go")
	code, stdout, stderr := finish(t, c, func() { // the first checkpoint says that streams have begun
		for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if found, _ := filepath.Glob(filepath.Join(out, ".small.checkpoints", "*.gob")); len(found) > 0 {
				break
			}
		}
		_ = c.Process.Signal(os.Interrupt)
	})
	if code != exitInterrupted || stdout != "" || !strings.Contains(stderr, "--resume") || !strings.Contains(stderr, filepath.Join(out, "small.json")) {
		t.Fatalf("exit code %d, want %d\nstdout %s\nstderr %s", code, exitInterrupted, stdout, stderr)
	}
	partial := read(t, out)
	if partial.Status != result.Partial {
		t.Errorf("the file is %s", partial.Status)
	}
	code, _, stderr = call(t, "", "run", path, "--out", out, "--backend", "go", "--resume")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	whole := read(t, out)
	if whole.Status != result.Complete {
		t.Errorf("resumed, the file is %s", whole.Status)
	}
	for i, m := range partial.Methods {
		for _, run := range m.Runs {
			if all := whole.Methods[i].Runs[run.Seed].LogLikelihood; !slices.Equal(run.LogLikelihood, all[:len(run.LogLikelihood)]) {
				t.Errorf("%s, seed %d: what was there has changed", m.Name, run.Seed)
			}
		}
	}
	if files := filesIn(t, out); !slices.Equal(files, []string{"small.json", "small.series"}) {
		t.Errorf("files %q", files)
	}
}

// A finished result is left alone, and shown. --force computes it again; stopped, it leaves the finished one as it was.
func TestFinishedResultStays(t *testing.T) {
	t.Parallel()
	spec, out := specFile(t, smallSpec(t)), t.TempDir()
	if code, _, stderr := call(t, "", "run", spec, "--out", out, "--backend", "go"); code != 0 {
		t.Fatal(stderr)
	}
	before := contents(t, out)
	code, stdout, stderr := call(t, "", "run", spec, "--out", out, "--backend", "go")
	if code != 0 || !strings.Contains(stdout, "small is already finished") || !strings.Contains(stdout, "--force") || !strings.Contains(stdout, "| PHE | local |") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if !slices.Equal(contents(t, out), before) {
		t.Error("the finished result was touched")
	}

	c := program(t, "", "run", spec, "--out", out, "--backend", "go", "--force", "--seeds", "4")
	code, _, stderr = finish(t, c, func() {
		for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
			if found, _ := filepath.Glob(filepath.Join(out, ".small.checkpoints", "*.gob")); len(found) > 0 {
				break
			}
		}
		_ = c.Process.Signal(os.Interrupt)
	})
	if code != exitInterrupted || !strings.Contains(stderr, "--resume continues from "+filepath.Join(out, "small.partial.json")) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if !slices.Equal(contents(t, out), before) {
		t.Error("the stopped run touched the finished result")
	}
	if code, _, stderr := call(t, "", "run", spec, "--out", out, "--backend", "go", "--resume", "--seeds", "4"); code != 0 || len(read(t, out).Methods[0].Runs) != 4 {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if got := filesIn(t, out); !slices.Equal(got, []string{"small.json", "small.series"}) {
		t.Errorf("files %q", got)
	}
}

// contents are both files of the small result.
func contents(t *testing.T, folder string) []string {
	t.Helper()
	var all []string
	for _, name := range []string{"small.json", "small.series"} {
		content := filetest.Must(os.ReadFile(filepath.Join(folder, name)))(t)
		all = append(all, string(content))
	}
	return all
}

// A run in which a seed diverged is complete, and ends with an exit code of its own.
func TestDivergedExitCode(t *testing.T) {
	t.Parallel()
	spec, out := smallSpec(t), t.TempDir()
	spec.Model.KLWeight = 1e300
	code, stdout, stderr := call(t, "", "run", specFile(t, spec), "--out", out, "--backend", "go")
	if code != exitDiverged || !strings.Contains(stdout, "diverged at step") || !strings.Contains(stderr, "a seed diverged") || read(t, out).Status != result.Complete {
		t.Errorf("exit code %d, want %d\n%s%s", code, exitDiverged, stdout, stderr)
	}
}

// A trace is there for those who ask.
func TestTrace(t *testing.T) {
	c := program(t, "", "run", "no-such")
	c.Env = append(c.Env, "GOPHE_TRACE=1")
	if code, _, stderr := finish(t, c); code != exitError || !strings.Contains(stderr, "decode.go:") {
		t.Errorf("exit code %d, no source line in %s", code, stderr)
	}
}

func read(t *testing.T, folder string) *result.File {
	t.Helper()
	return filetest.Must(result.Read(filepath.Join(folder, "small.json")))(t)
}

// filesIn lists everything in a folder, hidden or not; nothing if there is no folder.
func filesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// --force replaces a result, and not the spec in its place.
func TestForceKeepsSpec(t *testing.T) {
	content := filetest.Must(os.ReadFile(filepath.Join("..", "..", "..", "experiments", "spec", "specs", "two-items.json")))(t)
	folder := write(t, "two-items.json", content)
	path := filepath.Join(folder, "two-items.json")
	if code, _, stderr := call(t, "", "run", path, "--out", folder, "--force"); code == 0 || !strings.Contains(stderr,
		path+" already exists and holds something other than the result of two-items; name another file with --out") {
		t.Errorf("%d %q", code, stderr)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(content) {
		t.Errorf("the spec changed: %v", err)
	}
}
