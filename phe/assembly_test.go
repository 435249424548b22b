package phe_test

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
)

// All five g of Sec. 3.2 against plain Go, under the schemes that give embeddings. Deviations of e^−30 + 1e-8 leave the
// means, so that maximum and minimum have a closed form too.
func TestAssemblies(t *testing.T) {
	const samples, tolerance = 3, 1e-5 // sums of 3 products of size about 1 in float32, and 1e-8·noise
	for _, assembly := range []phe.Assembly{phe.WeightedSum, phe.PlainSum, phe.Average, phe.Maximum, phe.Minimum} {
		m := newToy(assembly, 6)
		for _, tiny := range [][]float32{m.eLogStdDev, m.wLogStdDev} {
			for i := range tiny {
				tiny[i] = -30
			}
		}
		encoder := filetest.Must(phe.NewEncoder(m.config))(t)
		for _, scheme := range []phe.Scheme{phe.Fresh, phe.Items, phe.Table} {
			got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
				e := encoder.Embed(m.tablesOf(a[1:]), m.slotsOf(a[0].Graph()), a[3], scheme, samples, phe.Noise{Keys: a[0]})
				e.AssertDims(samples, m.rows, 2, m.dim)
				return []*Node{e}
			}, append([]any{[]uint32{1}}, m.args()...)...)[0]
			for i, v := range got {
				d, c, row := i%m.dim, i/m.dim%2, i/m.dim/2%m.rows
				want := m.assembled(int(m.index[2*row+c]), d)
				filetest.Near(t, float64(v), want, tolerance, "%s, %s: row %d, column %d, coordinate %d", assembly, scheme, row, c, d)
			}
		}
	}
}

// assembled is one coordinate of an item's embedding, from the means.
func (m toy) assembled(item, d int) float64 {
	var x []float64
	for k := range m.hashes {
		x = append(x, float64(m.eMean[int(m.buckets[item*m.hashes+k])*m.dim+d]))
	}
	switch m.config.Assembly {
	case phe.WeightedSum:
		w := m.wMean[int(m.weights[item])*m.hashes:]
		return float64(w[0])*x[0] + float64(w[1])*x[1] + float64(w[2])*x[2]
	case phe.Average:
		return (x[0] + x[1] + x[2]) / 3
	case phe.Maximum:
		return max(x[0], x[1], x[2])
	case phe.Minimum:
		return min(x[0], x[1], x[2])
	}
	return x[0] + x[1] + x[2]
}

func TestIsLinear(t *testing.T) {
	for assembly, want := range map[phe.Assembly]bool{phe.WeightedSum: true, phe.PlainSum: true, phe.Average: true,
		phe.Maximum: false, phe.Minimum: false, {}: true} { // the last is a vocabulary's
		filetest.Want(t, assembly.IsLinear(), want, "%q: linear", assembly)
	}
}
