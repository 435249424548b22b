package run

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/models/tabular"
)

// unsized is a spec on a file of visits, as a person writes it without an encoder, and notes of what runs say.
func unsized(t *testing.T, rows int) (s spec.Spec, o Options, said *string) {
	t.Helper()
	s, folder := ownSpec(t, rows)
	s.Model, s.Seeds, s.Methods = tabular.Paper().Config, s.Seeds[:1], s.Methods[:1]
	s.Methods[0] = spec.Method{Name: "PHE", Rows: phe.Hashed, Estimate: phe.Posterior, UpdateEpochs: 1}
	var fields map[string]any
	filetest.Check(t, json.Unmarshal(filetest.Must(json.Marshal(s))(t), &fields))
	fields["model"] = map[string]any{"learning_rate": 0.02, "train_samples": 1, "test_samples": 2}
	path := filepath.Join(folder, "visits.json")
	filetest.Check(t, os.WriteFile(path, filetest.Must(json.Marshal(fields))(t), 0o644))
	o, said = options(t, t.TempDir()), new(string)
	o.Say = func(note string) { *said += note + "\n" }
	return filetest.Must(spec.Load(path))(t), o, said
}

// Without an encoder, the items of the initial rows size the tables: rows of the stream do not. The result says so, and later runs keep
// its sizes; all columns learn, unless the spec says otherwise.
func TestUnsized(t *testing.T) {
	s, o, said := unsized(t, 300)
	if !s.Unsized() {
		t.Fatalf("the encoder is %+v", s.Model.Encoder)
	}
	f := mustRun(t, s, o)
	m := spec.Recorded(f.Manifest.Spec).Model
	const items = 5 + 3 // visitors v0, …, v4 and cities of the first 90 rows; the stream has others
	sized := phe.ForVocabulary(items)
	sized.HashDraws = phe.UsualDraws
	if f.Manifest.SizedFor != items || m.Encoder != sized || m.Scope != phe.AllColumns || m.LearningRate != 0.02 {
		t.Errorf("sized for %d: %+v", f.Manifest.SizedFor, m)
	}
	if !strings.Contains(*said, "the initial rows hold 8 items") || !strings.Contains(*said, "num_buckets 31,") ||
		!strings.Contains(*said, "best for them of hash_draws 64;") ||
		strings.Contains(*said, "warning") {
		t.Errorf("said\n%s", *said)
	}
	for _, o.Existing = range []Existing{Keep, Resume, Refresh} {
		if again := mustRun(t, s, o); timeless(t, again) != timeless(t, f) {
			t.Errorf("existing %d: another result", o.Existing)
		}
	}
	again, moved := s, filepath.Join(t.TempDir(), "moved.json") // as `phe sweep` writes specs
	filetest.Check(t, again.Write(moved))
	if again = filetest.Must(spec.Load(moved))(t); !again.Unsized() || again.Fingerprint() != s.Fingerprint() {
		t.Errorf("written, it is %+v", again.Model)
	}
}

// A result from the time when a spec without an encoder had the paper's goes on with it, and the run warns of its few rows. What begins
// anew is sized.
func TestUnsizedResumesPaper(t *testing.T) {
	s, o, said := unsized(t, 1800)
	s.Protocol = protocol.Spec{Name: protocol.InOrder, InitialFraction: 0.1, InitialEpochs: 1, ChunkRows: 20, MaxChunks: 1}
	old := s.Sized(phe.Paper(), phe.IncrementalColumn)
	was := mustRun(t, old, o)
	if !strings.Contains(*said, "warning: 21 of the file's 49 items share a bucket of PHE on average") || was.Manifest.SizedFor != 0 {
		t.Errorf("sized for %d, said\n%s", was.Manifest.SizedFor, *said)
	}
	if kept := mustRun(t, s, o); timeless(t, kept) != timeless(t, was) {
		t.Error("the old result was not kept")
	}
	s.Seeds, o.Existing = []int64{0, 1}, Resume
	more := mustRun(t, s, o)
	if len(more.Methods[0].Runs) != 2 || more.Methods[0].Hash != was.Methods[0].Hash ||
		spec.Recorded(more.Manifest.Spec).Model.Encoder != phe.Paper() {
		t.Errorf("resumed with %+v", spec.Recorded(more.Manifest.Spec).Model)
	}
	o.Existing = Replace
	if f := mustRun(t, s, o); f.Manifest.SizedFor == 0 || f.Methods[0].Hash == was.Methods[0].Hash {
		t.Errorf("begun anew, it is sized for %d", f.Manifest.SizedFor)
	}
	named := s // an encoder that the spec named is not taken over when it is named no more
	named.Model.Encoder, named.Model.Scope = phe.ForVocabulary(500), phe.AllColumns
	mustRun(t, named, o)
	o.Existing = Keep
	_, err := Execute(context.Background(), s, o)
	filetest.WantError(t, err, "another spec", "--force")
}

// The initial rows choose the hash functions of a file too, and no later row does. A result by sizes alone goes on with its one draw, and a
// spec whose encoder says nothing but its draws is sized as well.
func TestUnsizedDraws(t *testing.T) {
	s, o, _ := unsized(t, 300)
	f := mustRun(t, s, o)
	content := strings.Split(string(filetest.Must(os.ReadFile(s.Source.Path()))(t)), "\n")
	for i := 91; i < len(content)-1; i++ {
		content[i] = "stranger" + content[i]
	}
	later := strings.Join(content, "\n")
	filetest.Check(t, os.WriteFile(s.Source.Path(), []byte(later), 0o644))
	other := o
	other.Out = t.TempDir()
	if changed := mustRun(t, s, other); changed.Methods[1].HashSeed != f.Methods[1].HashSeed || f.Methods[1].HashSeed == 0 ||
		changed.Manifest.DataSHA256 == f.Manifest.DataSHA256 {
		t.Errorf("by other rows of the stream draw %d was chosen, and %d before", changed.Methods[1].HashSeed, f.Methods[1].HashSeed)
	}

	drawn := func(encoder string) spec.Spec {
		written := strings.Replace(string(filetest.Must(json.Marshal(s))(t)), `"scheme"`, `"encoder": `+encoder+`, "scheme"`, 1)
		path := filepath.Join(filepath.Dir(s.Source.Path()), "drawn.json")
		filetest.Check(t, os.WriteFile(path, []byte(written), 0o644))
		return filetest.Must(spec.Load(path))(t)
	}
	one := drawn(`{"hash_draws": 1}`)
	other.Out = t.TempDir()
	plain := mustRun(t, one, other)
	path := filepath.Join(other.Out, s.Name+".json")
	if plain.Manifest.SizedFor != 8 || plain.Methods[1].HashSeed != 0 {
		t.Errorf("sized for %d, draw %d", plain.Manifest.SizedFor, plain.Methods[1].HashSeed)
	}
	if _, items := Sized(s, path, Resume); items != 0 {
		t.Error("a spec that named its draw hands it on")
	}
	former := s.Sized(phe.ForVocabulary(8), phe.AllColumns) // as an earlier program recorded it
	other.Out = t.TempDir()
	was := mustRun(t, former, other)
	path = filepath.Join(other.Out, s.Name+".json")
	filetest.Check(t, os.WriteFile(path, bytes.Replace(filetest.Must(os.ReadFile(path))(t), []byte(`"data_sha256"`),
		[]byte(`"sized_for": 8, "data_sha256"`), 1), 0o644))
	for _, other.Existing = range []Existing{Keep, Resume, Refresh} {
		if again := mustRun(t, s, other); again.Methods[1].Hash != was.Methods[1].Hash || again.Manifest.SizedFor != 8 {
			t.Errorf("existing %d: an earlier result was not kept", other.Existing)
		}
	}
	if now := plain.Methods[1].Runs[0].Summary["accuracy"]; now != was.Methods[1].Runs[0].Summary["accuracy"] {
		t.Errorf("accuracy %g among one draw, and %g by it", now, was.Methods[1].Runs[0].Summary["accuracy"])
	}
	for encoder, unsized := range map[string]bool{`{}`: false, `{"hash_seed": 3}`: false, `{"hash_draws": 8, "num_buckets": 31}`: false,
		`{"hash_draws": 8, "hash_seed": 3}`: true} {
		d := drawn(encoder)
		moved := filepath.Join(t.TempDir(), "moved.json")
		filetest.Check(t, d.Write(moved))
		if again := filetest.Must(spec.Load(moved))(t); d.Unsized() != unsized || again.Fingerprint() != d.Fingerprint() {
			t.Errorf("encoder %s: unsized is %v, and written it is %+v", encoder, d.Unsized(), again.Model.Encoder)
		}
	}
	if e := drawn(`{"hash_draws": 8, "hash_seed": 3}`).Sized(phe.ForVocabulary(8), ""); e.Model.Encoder.HashDraws != 8 || e.Model.Encoder.HashSeed != 3 {
		t.Errorf("sized, it is %+v", e.Model.Encoder)
	}
}

// Rules on the host read items by the chosen functions too: each method scores as one whose encoder names the draw. Rows of rules that draw
// functions by the seed name no draw, frozen or not.
func TestUnsizedRules(t *testing.T) {
	s, o, _ := unsized(t, 300)
	s.Methods = append(s.Methods,
		spec.Method{Name: "One pass", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass},
		spec.Method{Name: "From posterior", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass, Start: spec.FromPosterior},
		spec.Method{Name: "FTRL", Rows: phe.Hashed, Estimate: phe.Point, Rule: spec.FTRL, NumBuckets: 5, UpdateLearningRate: 0.1},
		spec.Method{Name: "Stream", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.Stream, Memory: 1 << 14})
	f := mustRun(t, s, o)
	e := phe.ForVocabulary(8)
	e.HashSeed, o.Out = methodOf(t, f, "PHE", false).HashSeed, t.TempDir()
	named := mustRun(t, s.Sized(e, phe.AllColumns), o)
	for i, m := range f.Methods {
		want := e.HashSeed
		if m.Hash == "" || m.Name == "FTRL" || m.Name == "Stream" {
			want = 0
		}
		got, own := m.Runs[0].Summary["log_likelihood"], named.Methods[i].Runs[0].Summary["log_likelihood"]
		if m.HashSeed != want || got != own {
			t.Errorf("%s: draw %d, log-likelihood %g; by name draw %d, %g", m.Label(), m.HashSeed, got, want, own)
		}
	}
}
