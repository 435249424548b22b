package dkf_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/models/dkf"
)

// One window of two events, a week apart, of counts 3 and 0, and a filter whose numbers all are set by hand. GRU and
// embeddings are 0, so q(z_i) = N(½, e^−20) for both events: z is ½ up to 1e-4. The transition is N(2 z + Δ − ½, 2²), that is
// N(1½, 2²) for the second event, and log rate is 2 z = 1.
//
//	log p(y)     = 3 − e  and  −e                                       together 3 − 2e  = −2.436564
//	KL(q_1 ‖ p)  = 10 + ½ (e^−20 + ¼) − ½                                                =  9.625
//	KL(q_2 ‖ p)  = log 2 + 10 + (e^−20 + 1) / (2·4) − ½  = 0.693147 + 10 + 0.125 − 0.5   = 10.318147
//	ELBO         = −2.436564 − 9.625 − 10.318147                                         = −22.379711
//
// The mean ELBO is half of it. A forecast of the second count has z ~ N(1½, 2²), and its output is 2 z.
func TestByHand(t *testing.T) {
	c := toyConfig()
	c.Encoder = phe.Config{Rows: phe.Vocabulary, Estimate: phe.Point, EmbeddingDim: 1, Capacity: 1}
	c.Columns, c.Incremental, c.Length, c.Maxima, c.KLWeight = []string{"column"}, 0, 2, []float32{10}, 0
	c.Hidden, c.Latent, c.Transition, c.Prediction = 1, 1, dkf.WithGap, dkf.Forecast
	d := dkf.Data{Items: []string{"a"}, Index: []int32{0, 0}, Numbers: []float32{5, 7},
		Counts: []float32{3, 0}, Times: []int32{1000, 1000 + 7*24*60}, Windows: []int32{0, 1}}
	parameters := [][]float32{
		{0},                                                                             // E
		make([]float32, 12), make([]float32, 3), make([]float32, 3), make([]float32, 3), // GRU
		{0, 0}, {0.5, -10}, // posterior
		{2, 0, 1, 0}, {-0.5, math.Ln2}, // transition, of z and Δ
		{0, 2, 0}, {0}, // emission, of embedding, z and number
	}
	for _, want := range []struct {
		objective dkf.Objective
		value     float64
	}{{dkf.ELBO, -22.379711}, {dkf.MeanELBO, -11.189855}} {
		if nettest.Brief(t) && want.objective == dkf.MeanELBO {
			continue
		}
		c.Objective = want.objective
		o := observe(t, c, d, parameters, 1, revealing(true), func(m *dkf.Model, p learn.Pass) []*Node {
			return []*Node{dataTerm(m, p), forecast(m, p), p.Noise.Normal(dkf.NoiseTransition, 1, 1, 1)}
		})
		got := o.look(t, []int32{0})
		trained := -o.reveal(t, []int32{0})[0][0]
		for name, v := range map[string]float32{"from the outputs": got[0][0], "in an update": trained} {
			filetest.Near(t, float64(v), want.value, 1e-3, "%s %s", want.objective, name) // z is ½ ± 5e-5 ε
		}
		filetest.Near(t, float64(got[1][0]), 2*(1.5+2*float64(got[2][0])), 1e-3, "the forecast's log rate")
	}
}

// The states of flax.linen.GRUCell in float64 for the same weights and inputs. Two runs are side by side, and the second one sees
// the rows in reverse order.
func TestGRUAgainstFlax(t *testing.T) {
	text := filetest.Must(os.ReadFile("testdata/gru.json"))(t)
	var golden struct {
		Weights, Recurrent [][]float32
		Bias               []float32
		RecurrentBias      []float32     `json:"recurrent_bias"`
		X                  [][][]float32 // [length, rows, inputs]
		States             [][][]float64 // [length, rows, hidden]
	}
	filetest.Check(t, json.Unmarshal(text, &golden))
	got := nettest.Call(t, nettest.Backend(t), func(a []*Node) []*Node {
		twice := func(x *Node) *Node { return Stack([]*Node{x, x}, 0) }
		x := Stack([]*Node{a[4], Reverse(a[4], 1)}, 0)
		states := dkf.Unroll(twice(a[0]), twice(a[1]), twice(a[2]), twice(a[3]), x)
		states.AssertDims(2, 4, 2, 3)
		return []*Node{states}
	}, golden.Weights, golden.Bias, golden.Recurrent, golden.RecurrentBias, golden.X)[0]
	next := 0
	for run := range 2 {
		for i, rows := range golden.States {
			for row := range rows {
				for k, want := range rows[(row+run)%2] {
					// float32, four steps deep
					filetest.Near(t, float64(got[next]), want, 2e-6, "run %d, step %d, row %d, unit %d", run, i, row, k)
					next++
				}
			}
		}
	}
}
