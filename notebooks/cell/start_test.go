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

// A row of the table has the paper's number, the committed ones and the result's own. Methods that did not run are left out. In the result,
// which changes one field of adult-online, PHE is right on every second step and Mine always.
func TestCompared(t *testing.T) {
	t.Setenv("GONB_DIR", filetest.Must(filepath.Abs(".."))(t))
	s := filetest.Must(spec.Load("adult-online"))(t)
	s.Name, s.StreamOf, s.Model.KLWeight = "no-prior", "adult-online", 0
	f := &result.File{Name: "no-prior", Stream: result.Stream{Steps: 2}}
	f.Manifest.Spec, f.Manifest.Own = filetest.Must(json.Marshal(s))(t), map[string]string{"Mine": "main.mine"}
	for i, name := range []string{"PHE", "Majority", "Mine"} {
		m := result.Method{Name: name, Protocol: protocol.Online}
		for seed := range 2 {
			m.Put(result.Run{Seed: int64(seed), Status: result.Complete, Accuracy: []float64{float64(min(i, 1)), 1}, Rows: []int{80, 80}})
		}
		f.Methods = append(f.Methods, m)
	}
	rows := Compared(f).Records()
	filetest.Want(t, len(rows), 4, "rows")
	filetest.Want(t, rows[0], []string{"accuracy %", "paper", "committed", "committed, same seeds", "no-prior"}, "the header")
	phe := rows[1]
	filetest.Want(t, []string{phe[0], phe[1], phe[4]}, []string{"PHE", "84.10 ± 0.20", "50.00 ± 0.00"}, "the row of PHE")
	filetest.True(t, strings.HasPrefix(phe[2], "84.") && phe[2] != phe[3], "committed: %s, with the same seeds: %s", phe[2], phe[3])
	filetest.Want(t, rows[3], []string{"Mine", "–", "–", "–", "100.00 ± 0.00"}, "the row of a method of one's own")
}
