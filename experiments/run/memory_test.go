package run

import (
	"testing"

	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/disk/filetest"
)

// The estimate by hand: K = 3 rows of d = 20 means and deviations for each of 8 items, and their gradients.
func TestLeastMemoryByHand(t *testing.T) {
	spec := filetest.Must(spec.Load("adult-online"))(t)
	point := spec.Methods[0]
	point.Estimate = phe.Point
	ratings := tinyRatingPass(t)
	pass := ratings.Config(ratings.Methods[0], 100)
	for _, c := range []struct{ got, want float64 }{
		{minMemory(spec.Config(spec.Methods[0], 100), 5, 8, 80), 4*5*4*346 + 5*4*(2*2*128*8*3*20+128) + 5*4*80*100},
		{minMemory(spec.Config(point, 100), 5, 8, 80), 4*5*4*173 + 5*4*(2*128*8*3*20+128) + 5*4*80*100},
		{minMemory(pass, 2, 2, 80), 2 * float64(pass.Stream.Memory)},
	} {
		filetest.Want(t, c.got == c.want, "%g bytes, want %g", c.got, c.want)
	}
}

// No result that exists was too large for the memory that it took.
func TestLeastMemoryIsALowerBound(t *testing.T) {
	for _, name := range spec.Names() {
		spec := filetest.Must(spec.Load(name))(t)
		folder := committedResults()
		f := filetest.Must(folder.Find(name))(t)
		if f == nil || spec.Protocol.Name == protocol.TwoItems || f.Manifest.PeakMemoryMB < 300 { // a peak of the last session alone
			continue
		}
		for _, m := range spec.Methods {
			own := f.Method(m.Name, false)
			if own == nil { // the spec has gained it since
				continue
			}
			items := 600
			if m.Rows == phe.Vocabulary {
				items = own.Parameters / spec.Config(m, 1).Encoder.EmbeddingDim / 2
			}
			tokens, rows := 9, 100
			if spec.Filter != nil {
				tokens = 30
			}
			together := min(len(spec.Seeds), 3)
			if n := minMemory(spec.Config(m, items), together, tokens, rows); n > f.Manifest.PeakMemoryMB*(1<<20) {
				t.Errorf("%s, %s: at least %s, and the whole run took %.0f MB", name, m.Name, bytesText(n), f.Manifest.PeakMemoryMB)
			}
		}
	}
}
