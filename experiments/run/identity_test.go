package run

import (
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// The identities and conventions of the committed results equal those of today's specs. Otherwise --resume
// would refuse results that took hours, and reproduce would compute them again. If this test fails because a field was
// added, let the program compute the same numbers as before where the field is zero, false or empty.
func TestCommittedIdentities(t *testing.T) {
	for _, path := range committed(t) {
		f := filetest.Must(result.ReadSummary(path))(t)
		specs := []spec.Spec{filetest.Must(spec.Parse(path, f.Manifest.Spec))(t)}
		if slices.Contains(spec.Names(), f.Name) {
			specs = append(specs, filetest.Must(spec.Load(f.Name))(t))
		}
		for _, spec := range specs {
			if spec.Fingerprint() != f.Manifest.SpecHash {
				t.Errorf("%s: the spec's hash is %s, its result says %s", f.Name, spec.Fingerprint(), f.Manifest.SpecHash)
			}
			for label, is := range identities(spec) {
				name, frozen := strings.CutSuffix(label, " (frozen)")
				if was := f.Method(name, frozen); was == nil || was.Hash+" "+was.Convention != is {
					t.Errorf("%s: %s has hash and convention %s, its result says %+v", f.Name, label, is, was)
				}
			}
			for _, m := range f.Methods {
				if m.Hash == "" && m.Convention != spec.Convention() { // a rival
					t.Errorf("%s: %s is %s, and its spec %s", f.Name, m.Name, m.Convention, spec.Convention())
				}
			}
		}
	}
}

// identities returns the hashes and conventions of a spec's methods, by their labels. The two-item stream has the program's own methods.
func identities(of spec.Spec) map[string]string {
	hashes := map[string]string{}
	if of.Protocol.Name == protocol.TwoItems {
		return hashes
	}
	for _, f := range modelsOf(of, hundredItems) {
		for _, own := range f.methods {
			m := f.entry(of, own)
			hashes[m.Label()] = m.Hash + " " + m.Convention
		}
	}
	return hashes
}

// hundredItems stands for the data of a spec, whose number of items is in no identity.
func hundredItems(spec.Method) int { return 100 }

// change changes a spec, or its first method.
type change func(*spec.Spec, *spec.Method)

// wantIdentities checks which changes give the first method of a spec another identity. Those that do give it different ones.
func wantIdentities(t *testing.T, create func() spec.Spec, same, other map[string]change) {
	t.Helper()
	hash := func(c change) string {
		s := create()
		m := s.Methods[0]
		c(&s, &m)
		return s.Resolve(m).Fingerprint()
	}
	first := hash(func(*spec.Spec, *spec.Method) {})
	for name, c := range same {
		if hash(c) != first {
			t.Errorf("%s counts", name)
		}
	}
	seen := map[string]string{first: "nothing"}
	for name, c := range other {
		h := hash(c)
		if as, same := seen[h]; same {
			t.Errorf("%s hashes as %s", name, as)
		}
		seen[h] = name
	}
}
