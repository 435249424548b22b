package spec

import (
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
	"slices"
	"strings"
	"testing"
)

// A spec of one pass is of the very stream and initial model of the spec that it stands beside, so that the results can be laid
// beside each other seed by seed. Orders are a stream of their own: its steps are larger, since one pass does not see them.
func TestOnePassSpecs(t *testing.T) {
	listed := slices.Concat(StudyMembers()["one-pass"], StudyMembers()["one-pass-ratings"])
	for _, name := range Names() {
		spec := filetest.Must(Load(name))(t)
		base := spec.StreamOf
		if (base != "") != strings.HasSuffix(name, "-one-pass") || base != "" && base+"-one-pass" != name {
			t.Errorf("%s stands beside %q", name, base)
		}
		if base == "" {
			continue
		}
		if !slices.Contains(listed, name) {
			t.Errorf("study one-pass lacks %s", name)
		}
		if spec.Protocol.Name == protocol.Order {
			base = strings.Replace(base, "order", "online", 1)
			spec.Protocol.Name, spec.Protocol.ChunkRows = protocol.Online, 100
		}
		want := filetest.Must(Load(base))(t)
		if spec.Title == want.Title {
			t.Errorf("%s has the title of %s", name, base)
		}
		spec.Name, spec.Title, spec.StreamOf, spec.Methods, spec.Numerics = want.Name, want.Title, "", want.Methods, want.Numerics
		if got, want := string(encode(spec)), string(encode(want)); got != want {
			t.Errorf("%s is of another stream:\n%s\n%s", name, got, want)
		}
	}
}
