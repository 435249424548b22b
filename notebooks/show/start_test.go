package show

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/figures/draw"
	"gophe/figures/draw/drawtest"
	"gophe/notebooks/play"
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
	f := &result.File{Name: "no-prior", Stream: result.Stream{Steps: 100}, Manifest: result.Manifest{Spec: content, Own: map[string]string{"Mine": "main.mine"}}}
	for _, name := range []string{"PHE", "Majority", "Mine"} {
		m := result.Method{Name: name, Protocol: protocol.Online}
		for seed := range 2 {
			run := result.Run{Seed: int64(seed), Status: result.Complete}
			for step := range 100 {
				right := 1.0
				if name == "PHE" {
					right = float64(step % 2)
				}
				run.Accuracy, run.Rows = append(run.Accuracy, right), append(run.Rows, 80)
			}
			m.Put(run)
		}
		f.Methods = append(f.Methods, m)
	}
	return f
}

// The spec that a notebook saves is the one that it ran, and its table of changes has the one field and the seeds.
func TestSaveAndChanges(t *testing.T) {
	s := changed(t)
	if got, want := Changes(s).Records(), [][]string{{"setting", "adult-online", "no-prior"}, {"model.kl_weight", "1", "0"}, {"seeds", "[0,1,2,3,4]", "[0,1]"}}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("changes %v, want %v", got, want)
	}
	root := t.TempDir()
	t.Setenv("GONB_DIR", filepath.Join(root, "notebooks"))
	path := Save(s)
	if path != filepath.Join("out", "notebooks", "specs", "no-prior.json") {
		t.Errorf("saved at %s", path)
	}
	if again, err := spec.Load(filepath.Join(root, path)); err != nil || again.Fingerprint() != s.Fingerprint() {
		t.Errorf("another spec is saved: %v", err)
	}
}

// A row of the table has the paper's number, the committed ones and the result's own. Methods that did not run are left out.
func TestCompared(t *testing.T) {
	here(t)
	rows := Compared(answered(t)).Records()
	if len(rows) != 4 || !slices.Equal(rows[0], []string{"accuracy %", "paper", "committed", "committed, same seeds", "no-prior"}) {
		t.Fatalf("%q", rows)
	}
	if phe := rows[1]; phe[0] != "PHE" || phe[1] != "84.10 ± 0.20" || !strings.HasPrefix(phe[2], "84.") || phe[2] == phe[3] || phe[4] != "50.00 ± 0.00" {
		t.Errorf("PHE: %q", phe)
	}
	if want := []string{"Mine", "–", "–", "–", "100.00 ± 0.00"}; !slices.Equal(rows[3], want) {
		t.Errorf("%q, want %q", rows[3], want)
	}
}

// The slider says over how many steps the mean is taken. The lines are the methods that learn, and PHE as it was committed.
func TestSmoothed(t *testing.T) {
	here(t)
	smoothed := Smoothed(answered(t))
	at := play.NewPosition(play.Slider("steps", 1, 100, 1, 1))
	one, ten := smoothed(at), smoothed(at.With("steps", 10))
	names := []string{"PHE, no-prior", "Mine, no-prior", "PHE, adult-online", "Majority"}
	if got := drawtest.Counts(t, one, names...); !slices.Equal(got, []int{100, 100, 100, 0}) {
		t.Errorf("over one step %v points of %q; a method that only counts has none", got, names)
	}
	if got := drawtest.Counts(t, ten, names...); !slices.Equal(got, []int{91, 91, 91, 0}) { // from the first ten on
		t.Errorf("over ten steps %v points of %q", got, names)
	}
	values := func(fig *draw.Figure, name string) map[string]bool {
		seen := map[string]bool{}
		for text := range drawtest.ByText(t, fig, name) {
			if strings.HasPrefix(text, "PHE, no-prior") {
				seen[text[strings.LastIndex(text, " ")+1:]] = true
			}
		}
		return seen
	}
	if got := values(one, "start-1"); len(got) != 2 || !got["0"] || !got["100"] {
		t.Errorf("over one step PHE is right on %v %%, want 0 and 100", got)
	}
	if got := values(ten, "start-10"); len(got) != 1 || !got["50"] {
		t.Errorf("over ten steps PHE is right on %v %%, want 50", got)
	}
}
