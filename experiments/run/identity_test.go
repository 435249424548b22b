package run

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/protocol"
	"gophe/experiments/result"
	"gophe/experiments/spec"
)

// The identities of the committed results equal the identities of today's specs. Otherwise --resume
// would refuse results that took hours, and reproduce would compute them again. If this test fails because a field was
// added, let the program compute the same numbers as before where the field is zero, false or empty.
func TestCommittedIdentities(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "out", "*.json"))
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d results; %v", len(paths), err)
	}
	for _, path := range paths {
		f, err := result.ReadSummary(path)
		if err != nil {
			t.Error(err)
			continue
		}
		asRun, err := spec.Parse(path, f.Manifest.Spec)
		if err != nil {
			t.Error(err)
			continue
		}
		specs := []spec.Spec{asRun}
		if slices.Contains(spec.Names(), f.Name) {
			today, err := spec.Load(f.Name)
			if err != nil {
				t.Error(err)
				continue
			}
			specs = append(specs, today)
		}
		for _, spec := range specs {
			if spec.Fingerprint() != f.Manifest.SpecHash {
				t.Errorf("%s: the spec's hash is %s, its result says %s", f.Name, spec.Fingerprint(), f.Manifest.SpecHash)
			}
			for label, hash := range identities(spec) {
				name, frozen := strings.CutSuffix(label, " (frozen)")
				if was := f.Method(name, frozen); was == nil || was.Hash != hash {
					t.Errorf("%s: %s has hash %s, its result says %+v", f.Name, label, hash, was)
				}
			}
		}
	}
}

// identities returns the hashes of a spec's methods, by their labels. The two-item stream has the program's own methods.
func identities(spec spec.Spec) map[string]string {
	hashes := map[string]string{}
	if spec.Protocol.Name == protocol.TwoItems {
		return hashes
	}
	for _, f := range families(spec, 100) {
		for _, m := range slices.Concat(f.entries(spec, true), f.entries(spec, false)) {
			hashes[m.Label()] = m.Hash
		}
	}
	return hashes
}

// What two methods compute alike has one identity, however it is written; what differs has two.
func TestIdentityIsOfTheResolvedSpec(t *testing.T) {
	s := tiny(t)
	base := s.Resolve(s.Methods[0]).Fingerprint()
	m := s.Methods[0]
	m.Name, m.EmbeddingDim, m.Scope, m.NumBuckets = "another name", s.Model.Encoder.EmbeddingDim, s.Model.Scope, s.Model.Encoder.NumBuckets
	if s.Resolve(m).Fingerprint() != base {
		t.Error("overrides that repeat the model's values count")
	}
	seen := map[string]string{base: "the method itself"}
	for name, change := range map[string]func(*spec.Spec, *spec.Method){
		"update epochs": func(_ *spec.Spec, m *spec.Method) { m.UpdateEpochs++ },
		"replay":        func(_ *spec.Spec, m *spec.Method) { m.Replay = true },
		"arrival":       func(_ *spec.Spec, m *spec.Method) { m.Arrival = protocol.Reversed },
		"estimate":      func(_ *spec.Spec, m *spec.Method) { m.Estimate = "point" },
		"rows":          func(_ *spec.Spec, m *spec.Method) { m.Rows = "vocabulary" },
		"data set":      func(s *spec.Spec, _ *spec.Method) { s.Dataset = "bank" },
		"convention":    func(s *spec.Spec, _ *spec.Method) { s.Convention = protocol.Paper },
		"features":      func(s *spec.Spec, _ *spec.Method) { s.Features = []string{"education"} },
		"protocol":      func(s *spec.Spec, _ *spec.Method) { s.Protocol.ChunkRows++ },
		"model":         func(s *spec.Spec, _ *spec.Method) { s.Model.KLWeight = 0 },
		"encoder":       func(s *spec.Spec, _ *spec.Method) { s.Model.Encoder.InitialLogStdDev = 0 },
	} {
		other := tiny(t)
		m := other.Methods[0]
		change(&other, &m)
		hash := other.Resolve(m).Fingerprint()
		if twin, ok := seen[hash]; ok {
			t.Errorf("%s and %s have one identity", name, twin)
		}
		seen[hash] = name
	}
	renamed := s
	renamed.Name, renamed.Title, renamed.Seeds = "other", "other", []int64{7}
	if renamed.Fingerprint() != s.Fingerprint() {
		t.Error("name, title or seeds count")
	}
	renamed.Methods = slices.Clone(s.Methods)
	slices.Reverse(renamed.Methods)
	if renamed.Fingerprint() == s.Fingerprint() {
		t.Error("the order of methods does not count, but results list them in it")
	}
}
