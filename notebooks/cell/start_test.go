package cell

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// here makes the notebooks' folder the one of a notebook.
func here(t *testing.T) {
	t.Helper()
	folder := filetest.Must(filepath.Abs(".."))(t)
	t.Setenv("GONB_DIR", folder)
}

// changed is adult-online with one field changed.
func changed(t *testing.T) spec.Spec {
	t.Helper()
	s := filetest.Must(spec.Load("adult-online"))(t)
	s.Name, s.StreamOf, s.Seeds, s.Model.KLWeight = "no-prior", "adult-online", s.Seeds[:2], 0
	return s
}

// answered is a result of the changed spec: PHE is right on every second step, Mine always.
func answered(t *testing.T) *result.File {
	t.Helper()
	content := filetest.Must(json.Marshal(changed(t)))(t)
	f := &result.File{Name: "no-prior", Stream: result.Stream{Steps: 2}}
	f.Manifest.Spec, f.Manifest.Own = content, map[string]string{"Mine": "main.mine"}
	for i, name := range []string{"PHE", "Majority", "Mine"} {
		m := result.Method{Name: name, Protocol: protocol.Online}
		for seed := range 2 {
			m.Put(result.Run{Seed: int64(seed), Status: result.Complete, Accuracy: []float64{float64(min(i, 1)), 1}, Rows: []int{80, 80}})
		}
		f.Methods = append(f.Methods, m)
	}
	return f
}

// A row of the table has the paper's number, the committed ones and the result's own. Methods that did not run are left out.
func TestCompared(t *testing.T) {
	here(t)
	rows := Compared(answered(t)).Records()
	filetest.Want(t, len(rows), 4, "rows")
	filetest.Want(t, rows[0], []string{"accuracy %", "paper", "committed", "committed, same seeds", "no-prior"}, "the header")
	phe := rows[1]
	filetest.Want(t, []string{phe[0], phe[1], phe[4]}, []string{"PHE", "84.10 ± 0.20", "50.00 ± 0.00"}, "the row of PHE")
	filetest.True(t, strings.HasPrefix(phe[2], "84.") && phe[2] != phe[3], "committed: %s, with the same seeds: %s", phe[2], phe[3])
	filetest.Want(t, rows[3], []string{"Mine", "–", "–", "–", "100.00 ± 0.00"}, "the row of a method of one's own")
}
