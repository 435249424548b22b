package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	call(t, "", "list", spec).prints(t, "visitors who buy")
	args := []string{"run", spec, "--backend", "go", "--out", out}
	call(t, "", args...).prints(t, "| One pass |").ends(t, 0, `items keep coming in the column "visitor", which has the most items`)
	f := filetest.Must(result.Read(filepath.Join(out, "shop.json")))(t)
	filetest.Want(t, f.Status, result.Complete, "status")
	filetest.Want(t, f.Manifest.Table.Incremental, "visitor", "incremental column")
	filetest.WantNone(t, string(f.Manifest.Spec), out)
	call(t, "", "compare", "--out", out, "--summary").prints(t)

	// The file changes: neither the finished result nor a resumed one is of it.
	csv := filepath.Join(filepath.Dir(spec), "shop.csv")
	content := filetest.Must(os.ReadFile(csv))(t)
	filetest.Check(t, os.WriteFile(csv, append(content, "v1,c1,maybe\n"...), 0o644))
	call(t, "", args...).ends(t, exitError, "shop.csv has changed")
}

func TestSweep(t *testing.T) {
	t.Parallel()
	spec, out := shopSpec(t), t.TempDir()
	args := []string{"sweep", spec, "--backend", "go", "--out", out, "--try", "learning_rate=0.01,0.1"}
	r := call(t, "", args...).ends(t, 0, "3 points by 2 seeds: 6 runs").prints(t, "120 initial rows learned, 30 held out",
		"| PHE | learning_rate=0.01 (as in the spec) |", "PHE: the best is learning_rate=", "One pass: nothing that was tried matters")
	folder := filepath.Join(out, "shop-sweep")
	filetest.WantFiles(t, folder, "shop-best.json", "shop-sweep.json", "shop-sweep.series")
	call(t, "", "run", filepath.Join(folder, "shop-best.json"), "--backend", "go", "--out", out).prints(t, "shop-best on go")
	filetest.Want(t, call(t, "", args...).prints(t).stdout, r.stdout, "a finished sweep that is shown again")
}

// Ctrl-C keeps finished work, and --resume continues from it.
func TestSweepInterrupt(t *testing.T) {
	t.Parallel()
	spec, out := shopSpec(t, `"initial_epochs": 2`, `"initial_epochs": 20`), t.TempDir()
	args := []string{"sweep", spec, "--backend", "go", "--out", out, "--seeds", "3", "--try", "learning_rate=0.01,0.1"}
	folder := filepath.Join(out, "shop-sweep")
	r := interrupt(t, program(t, "", args...), found(folder, ".shop-sweep.checkpoints", "*.gob")).
		ends(t, exitInterrupted, "--resume continues from "+filepath.Join(folder, "shop-sweep.json"))
	filetest.Want(t, r.stdout, "", "output")
	call(t, "", args...).ends(t, exitError, "--resume")
	call(t, "", append(args, "--resume")...).prints(t, "PHE: the best is")
}
