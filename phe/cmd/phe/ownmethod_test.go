package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"gophe/experiments/run"
	"gophe/experiments/task/ownmethod"
	"gophe/phe/disk/filetest"
	"gophe/phe/learn/backend"
)

// half is a method of a caller's own that knows nothing.
type half struct{}

func (half) Predict([]string, []float64) []float64 { return []float64{0.5, 0.5} }
func (half) Learn([]string, []float64, int)        {}

// The spec and the result that a notebook saves are files of the program: run shows the finished result, table shows it, and compare
// shows it next to the paper and to the result whose spec it has changed. A method of the notebook's stays in the result, and is named.
func TestSavedByANotebook(t *testing.T) {
	t.Parallel()
	b := filetest.Must(backend.Open(backend.Go))(t)
	defer b.Finalize()
	folder, others := t.TempDir(), t.TempDir()
	o := run.Options{Backend: b, BackendName: backend.Go, Out: others}
	other := smallSpec(t)
	other.Name = "adult-online"
	filetest.Must(run.Execute(context.Background(), other, o))(t)
	s := smallSpec(t)
	s.Name, s.StreamOf, s.Seeds, s.Model.KLWeight = "my-question", "adult-online", s.Seeds[:1], 0
	o.Out = folder
	o.Own = []ownmethod.Method{{Name: "Half", New: func(ownmethod.Table, int64) ownmethod.Learner { return half{} }}}
	filetest.Must(run.Execute(context.Background(), s, o))(t)
	path := filepath.Join(folder, "specs", "my-question.json")
	filetest.Check(t, s.Write(path))
	saved := filepath.Join(folder, "my-question.json")
	const note = "From the caller's own code, which the spec alone does not run: Half (Go type main.half)."
	call(t, "", "list", path).prints(t, "for tests")
	call(t, "", "run", path, "--out", folder, "--backend", "go").
		prints(t, "already finished", "| Half | none | none | not counted |", "| Half (frozen) |", "| PHE | local |", note)
	call(t, "", "table", saved).prints(t, "| Half |", "| PHE | local |", note)
	call(t, "", "table", saved, "--csv").prints(t, "my-question,adult,Half,online")
	call(t, "", "compare", saved, "--out", others).prints(t,
		"| method | paper | adult-online | adult-online, same seeds | my-question |", "| PHE | 84.10 ± 0.20 | ",
		"| Half | – | – | – | ", note,
		"| model.kl_weight | 1 | 0 |\n| seeds | [0,1] | [0] |\n")
	call(t, "", "compare", others, "--out", others).prints(t, "| PHE | accuracy | to the digit | 2 |")
	for line, want := range map[string]string{
		"table " + path:                                            "is not a result file; a spec becomes one by `phe run ",
		"compare " + saved + " --out " + folder:                    "holds no result of adult-online",
		"compare " + saved + " --csv --out " + others:              "--csv belongs to all results of a folder",
		"compare " + others + "/adult-online.json --out " + others: `add "stream_of"`,
	} {
		call(t, "", strings.Fields(line)...).ends(t, exitError, want)
	}
}
