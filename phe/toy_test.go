package phe_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/internal/nettest"
)

// toy is a small linear model over two columns, all sizes prime and distinct, with noticeable deviations. Its slots are
// written down, not hashed, so that a test knows which rows share what.
type toy struct {
	config                   phe.Config
	eMean, eLogStdDev        []float32 // [7, 5]
	wMean, wLogStdDev        []float32 // [11, 3]
	buckets                  []int32   // [items, 3]
	weights, columns         []int32   // [items]
	head, base               []float32 // [2, 5], [rows]
	index                    []int32   // [rows, 2]
	rows, items, hashes, dim int
	embedded                 bool // take schemes Local by way of embeddings
}

func newToy(assembly phe.Assembly, seed uint64) toy {
	rng := rand.New(rand.NewPCG(seed, 7))
	c := phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 5, NumBuckets: 7, NumHashes: 3, Assembly: assembly,
		Hash: hash.CarterWegman}
	m := toy{config: c, rows: 3, items: 5, hashes: 3, dim: 5,
		buckets: []int32{0, 1, 2, 1, 1, 4, 3, 4, 5, 1, 6, 1, 0, 1, 2},
		columns: []int32{0, 0, 1, 1, 1},
		// Row 0 shares no table row between its slots; row 1 shares bucket 1 four times and a weight row; row 2 shares all
		// buckets of two items.
		index: []int32{0, 2, 1, 3, 0, 4},
		base:  []float32{0.3, -0.7, 0.1},
	}
	m.eMean, m.eLogStdDev = randomBelief(rng, 7, 5)
	for range 10 {
		m.head = append(m.head, float32(rng.NormFloat64()/2))
	}
	if assembly == phe.WeightedSum {
		m.config.NumWeights = 11
		m.wMean, m.wLogStdDev = randomBelief(rng, 11, 3)
		m.weights = []int32{0, 2, 1, 2, 3}
	}
	return m
}

// newVocabularyToy has one row an item.
func newVocabularyToy() toy {
	m := newToy(phe.PlainSum, 9)
	m.config = phe.Config{Rows: phe.Vocabulary, Estimate: phe.Posterior, EmbeddingDim: 5, Capacity: 7}
	m.hashes, m.buckets = 1, []int32{3, 1, 4, 0, 2}
	return m
}

func (m toy) args() []any {
	args := []any{table(m.eMean, 7, 5), table(m.eLogStdDev, 7, 5), m.index2(), m.base, table(m.head, 1, 2, 5)}
	if m.weights != nil {
		args = append(args, table(m.wMean, 11, 3), table(m.wLogStdDev, 11, 3))
	}
	return args
}

func (m toy) index2() [][]int32 {
	var rows [][]int32
	for r := range m.rows {
		rows = append(rows, m.index[2*r:2*r+2])
	}
	return rows
}

// slotsOf puts a toy's slots into the graph.
func (m toy) slotsOf(g *Graph) phe.Slots {
	s := phe.Slots{Buckets: Reshape(Const(g, m.buckets), m.items, m.hashes)}
	if m.weights != nil {
		s.Weights = Const(g, m.weights)
	}
	return s
}

func (m toy) tablesOf(a []*Node) phe.Tables {
	tables := phe.Tables{E: phe.FromLogStdDev(a[0], a[1])}
	if m.weights != nil {
		tables.W = phe.FromLogStdDev(a[5], a[6])
	}
	return tables
}

// logits are [samples, rows] under a scheme.
func (m toy) logits(t testing.TB, a []*Node, scheme phe.Scheme, samples int, noise phe.Noise) *Node {
	encoder := filetest.Must(phe.NewEncoder(m.config))(t)
	g, index, base := a[0].Graph(), a[2], a[3]
	if scheme.NeedsLinearAssembly() && !m.embedded {
		logits := encoder.Linear(m.tablesOf(a), m.slotsOf(g), Const(g, m.columns), a[4], nil)
		return logits(index, base, scheme, samples, noise)
	}
	embeddings := encoder.Embed(m.tablesOf(a), m.slotsOf(g), index, scheme, samples, noise)
	return Add(Einsum("srcd,cd->sr", embeddings, Squeeze(a[4], 0)), InsertAxes(base, 0))
}

// sample draws logits and returns them row by row in float64.
func (m toy) sample(t *testing.T, scheme phe.Scheme, samples int) [][]float64 {
	t.Helper()
	flat := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		return []*Node{m.logits(t, a[1:], scheme, samples, phe.Noise{Keys: a[0]})}
	}, append([]any{[]uint32{phe.NoiseKey(0, string(scheme))}}, m.args()...)...)[0]
	byRow := make([][]float64, m.rows)
	for i, v := range flat {
		byRow[i%m.rows] = append(byRow[i%m.rows], float64(v))
	}
	return byRow
}

// analytic is the mean and variance of a row's logit Σ_j w_j·x_j over its slots, x_j = v·E[h_j], in float64. With
// shared, slots that read the same table entry read the same draw, as under scheme Table; else every slot has its own:
//
//	Var = Σ_ij E[w_i w_j]·E[x_i x_j] − E[w_i]E[w_j]E[x_i]E[x_j].
func (m toy) analytic(row int, shared bool) (mean, variance float64) {
	type slot struct{ column, bucket, weight, hash int }
	var slots []slot
	for c := range 2 {
		item := int(m.index[2*row+c])
		for k := range m.hashes {
			s := slot{column: c, bucket: int(m.buckets[item*m.hashes+k]), hash: k}
			if m.weights != nil {
				s.weight = int(m.weights[item])
			}
			slots = append(slots, s)
		}
	}
	w := func(s slot) (mean, variance float64) {
		if m.weights == nil {
			return 1, 0
		}
		i := s.weight*m.hashes + s.hash
		return float64(m.wMean[i]), math.Exp(2 * float64(m.wLogStdDev[i]))
	}
	x := func(s slot) (mean float64) {
		for d := range m.dim {
			mean += float64(m.head[s.column*m.dim+d]) * float64(m.eMean[s.bucket*m.dim+d])
		}
		return
	}
	scale := 1.0
	if strings.HasSuffix(m.config.Assembly.String(), "mean") {
		scale = 1 / float64(m.hashes)
	}
	for i, a := range slots {
		wa, va := w(a)
		mean += wa * x(a)
		for j, b := range slots {
			wb, _ := w(b)
			var covW, covX float64
			if i == j || shared && a.weight == b.weight && a.hash == b.hash {
				covW = va
			}
			if i == j || shared && a.bucket == b.bucket {
				for d := range m.dim {
					sigma2 := math.Exp(2 * float64(m.eLogStdDev[a.bucket*m.dim+d]))
					covX += float64(m.head[a.column*m.dim+d]) * float64(m.head[b.column*m.dim+d]) * sigma2
				}
			}
			variance += (wa*wb+covW)*(x(a)*x(b)+covX) - wa*wb*x(a)*x(b)
		}
	}
	return mean*scale + float64(m.base[row]), variance * scale * scale
}
