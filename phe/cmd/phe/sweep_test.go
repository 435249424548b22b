package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
)

// shopSpec writes a person's own file and a spec next to it, and returns the spec's path.
func shopSpec(t *testing.T, oldNew ...string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("visitor,city,buys\n")
	for i := range 300 {
		fmt.Fprintf(&b, "v%d,c%d,%s\n", i*7%11, i%3, map[bool]string{true: "yes", false: "no"}[i*7%11 < 4])
	}
	folder := write(t, "shop.csv", []byte(b.String()))
	spec := strings.NewReplacer(oldNew...).Replace(`{
  "name": "shop",
  "title": "visitors who buy",
  "dataset": "shop",
  "source": {"file": "shop.csv", "target": "buys"},
  "protocol": {"name": "in-order", "initial_fraction": 0.5, "initial_epochs": 2, "chunk_rows": 50},
  "seeds": [0, 1],
  "methods": [
    {"name": "PHE", "rows": "hash", "estimate": "posterior", "update_epochs": 2},
    {"name": "One pass", "rows": "hash", "estimate": "posterior", "rule": "one-pass"}
  ]
}
`)
	path := filepath.Join(folder, "shop.json")
	filetest.Check(t, os.WriteFile(path, []byte(spec), 0o644))
	return path
}

// A person's own file runs by its spec. The run tells how it read the columns, and the result holds them.
func TestRunOwnFile(t *testing.T) {
	spec, out := shopSpec(t), t.TempDir()
	if code, stdout, _ := call(t, "", "list", spec); code != 0 || !strings.Contains(stdout, "visitors who buy") {
		t.Errorf("list: exit code %d, %s", code, stdout)
	}
	code, stdout, stderr := call(t, "", "run", spec, "--backend", "go", "--out", out)
	if code != 0 || !strings.Contains(stdout, "| One pass |") || !strings.Contains(stderr, `items keep coming in the column "visitor", which has the most items`) {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	f, err := result.Read(filepath.Join(out, "shop.json"))
	if err != nil || f.Status != result.Complete || f.Manifest.Table.Incremental != "visitor" || strings.Contains(string(f.Manifest.Spec), out) {
		t.Errorf("%v: %+v", err, f)
	}
	if code, stdout, stderr := call(t, "", "compare", "--out", out, "--summary"); code != 0 {
		t.Errorf("compare: exit code %d, %s%s", code, stdout, stderr)
	}

	// The file changes: neither the finished result nor a resumed one is of it.
	csv := filepath.Join(filepath.Dir(spec), "shop.csv")
	content, err := os.ReadFile(csv)
	if err == nil {
		err = os.WriteFile(csv, append(content, "v1,c1,maybe\n"...), 0o644)
	}
	filetest.Check(t, err)
	if code, _, stderr := call(t, "", "run", spec, "--backend", "go", "--out", out); code != exitError || !strings.Contains(stderr, "shop.csv has changed") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	spec, out := shopSpec(t), t.TempDir()
	args := []string{"sweep", spec, "--backend", "go", "--out", out, "--try", "learning_rate=0.01,0.1"}
	code, stdout, stderr := call(t, "", args...)
	if code != 0 || !strings.Contains(stderr, "3 points by 2 seeds: 6 runs") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{"120 initial rows learned, 30 held out", "| PHE | learning_rate=0.01 (as in the spec) |", "PHE: the best is learning_rate=", "One pass: nothing that was tried matters"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	folder := filepath.Join(out, "shop-sweep")
	if got := filesIn(t, folder); !slices.Equal(got, []string{"shop-best.json", "shop-sweep.json", "shop-sweep.series"}) {
		t.Errorf("files %q", got)
	}
	if code, stdout, stderr := call(t, "", "run", filepath.Join(folder, "shop-best.json"), "--backend", "go", "--out", out); code != 0 || !strings.Contains(stdout, "shop-best on go") {
		t.Errorf("the best: exit code %d\n%s%s", code, stdout, stderr)
	}
	again, stdoutAgain, _ := call(t, "", args...)
	if again != 0 || stdoutAgain != stdout {
		t.Errorf("a finished sweep is shown again: exit code %d\n%s", again, stdoutAgain)
	}
}

// Ctrl-C keeps finished work, and --resume continues from it.
func TestSweepInterrupt(t *testing.T) {
	t.Parallel()
	spec, out := shopSpec(t, `"initial_epochs": 2`, `"initial_epochs": 20`), t.TempDir()
	args := []string{"sweep", spec, "--backend", "go", "--out", out, "--seeds", "3", "--try", "learning_rate=0.01,0.1"}
	folder := filepath.Join(out, "shop-sweep")
	c := program(t, "", args...)
	code, stdout, stderr := finish(t, c, func() {
		for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if found, _ := filepath.Glob(filepath.Join(folder, ".shop-sweep.checkpoints", "*.gob")); len(found) > 0 {
				break
			}
		}
		_ = c.Process.Signal(os.Interrupt)
	})
	if code != exitInterrupted || stdout != "" || !strings.Contains(stderr, "--resume continues from "+filepath.Join(folder, "shop-sweep.json")) {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := call(t, "", args...); code != exitError || !strings.Contains(stderr, "--resume") {
		t.Errorf("neither --resume nor --force: exit code %d, %s", code, stderr)
	}
	if code, stdout, stderr := call(t, "", append(args, "--resume")...); code != 0 || !strings.Contains(stdout, "PHE: the best is") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
