package spec

import (
	"slices"
	"strings"
	"testing"

	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
	"gophe/phe/onepass"
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
		filetest.True(t, slices.Contains(listed, name), "study one-pass lacks %s", name)
		if spec.Protocol.Name == protocol.Order {
			base = strings.Replace(base, "order", "online", 1)
			spec.Protocol.Name, spec.Protocol.ChunkRows = protocol.Online, 100
		}
		want := filetest.Must(Load(base))(t)
		filetest.True(t, spec.Title != want.Title, "%s has the title of %s", name, base)
		spec.Name, spec.Title, spec.StreamOf, spec.Methods, spec.Numerics = want.Name, want.Title, "", want.Methods, want.Numerics
		filetest.Want(t, string(encode(spec)), string(encode(want)), "%s, with the methods of %s", name, base)
	}
}

// A method of one pass says the size of a belief. It is part of what is computed, it is counted, and rows of their own have no such size.
func TestBeliefBits(t *testing.T) {
	s := filetest.Must(Load("movielens-late"))(t)
	seen := map[string]string{}
	for _, m := range s.Methods {
		if m.Rule != OnePass && m.Rule != Stream || m.Without != nil {
			continue
		}
		for _, m.BeliefBits = range []int{0, 16, 32} {
			s.Methods = []Method{m}
			filetest.Check(t, s.Validate())
			id := s.Resolve(m).Fingerprint()
			filetest.Want(t, seen[id], "", "%q with %d bits is computed as another", m.Name, m.BeliefBits)
			seen[id] = m.Name
			c, shape := s.Config(m, 1), Shape{Columns: 4, Outputs: 1}
			one, want := OnePassConfig(c, m.Start, shape), map[int]int{0: 800, 16: 200, 32: 400}[m.BeliefBits]
			filetest.Want(t, one.BeliefBits, m.BeliefBits, "%q: bits", m.Name)
			filetest.Want(t, BeliefNumbers(one, 400), want, "%q: numbers of 400 beliefs", m.Name)
			if m.Rule == Stream {
				tables, total := StreamNumbers(onepass.Stream(StreamShape(c.Stream, shape)))
				fits := 4*total <= m.Memory && 4*total >= m.Memory-64
				filetest.True(t, fits && tables < total,
					"%q with %d bits has %d numbers, and %d in tables", m.Name, m.BeliefBits, total, tables)
			}
		}
		bad := []Method{m, m, m}
		bad[0].BeliefBits, bad[1].Rule, bad[2].Rule, bad[2].Memory, bad[2].Start = 8, PheStream, OnePass, 0, FromPosterior
		bad[1].Memory, bad[1].NumBuckets, bad[1].NumWeights, bad[1].EmbeddingDim = 1<<12, 0, 0, 0
		for _, s.Methods = range [][]Method{bad[:1], bad[1:2], bad[2:]} {
			filetest.WantError(t, s.Validate(), "belief_bits")
		}
	}
}
