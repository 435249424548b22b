package dkf_test

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"gophe/phe"
	"gophe/phe/dkf"
	"gophe/phe/online"
	"gophe/phe/phetest"
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
	c.Columns, c.Incremental, c.Length, c.Hidden, c.Latent, c.Transition, c.Prediction = 1, 0, 2, 1, 1, dkf.WithGap, dkf.Forecast
	d := dkf.Data{Items: []string{"a"}, Index: []int32{0, 0}, Numbers: []float32{5, 7}, Maxima: []float32{10},
		Counts: []float32{3, 0}, Minutes: []int32{1000, 1000 + 7*24*60}, Windows: []int32{0, 1}}
	parameters := []struct {
		numbers []float32
		dims    []int
	}{
		{make([]float32, 1), []int{1, 1}}, // E
		{make([]float32, 12), []int{1, 4, 3}}, {make([]float32, 3), []int{1, 3}}, {make([]float32, 3), []int{1, 1, 3}}, {make([]float32, 3), []int{1, 3}},
		{[]float32{0, 0}, []int{1, 1, 2}}, {[]float32{0.5, -10}, []int{1, 2}}, // posterior
		{[]float32{2, 0, 1, 0}, []int{1, 2, 2}}, {[]float32{-0.5, math.Ln2}, []int{1, 2}}, // transition, of z and Δ
		{[]float32{0, 2, 0}, []int{1, 3, 1}}, {[]float32{0}, []int{1, 1}}, // emission, of embedding, z and number
	}
	for _, want := range []struct {
		objective dkf.Objective
		value     float64
	}{{dkf.ELBO, -22.379711}, {dkf.MeanELBO, -11.189855}} {
		if phetest.Brief(t) && want.objective == dkf.MeanELBO {
			continue
		}
		c.Objective = want.objective
		n, data, err := dkf.NewNetwork(c, d)
		check(t, err)
		args := []any{[]uint32{4}, [][]int32{{0}}}
		for _, p := range parameters {
			args = append(args, tensors.FromFlatDataAndDimensions(p.numbers, p.dims...))
		}
		for _, x := range data {
			args = append(args, x)
		}
		got := phetest.Call(t, phetest.Backend(t), func(a []*Node) []*Node {
			last := 2 + len(parameters)
			p := online.Parameters{Tables: phe.Tables{E: phe.FromLogStdDev(a[2], nil)}, Weights: a[3:last]}
			b, noise := online.Batch{Rows: a[1], Data: a[last:]}, phe.NewNoise(a[0])
			return []*Node{n.DataTerm(p, b, noise, false), n.Predict(p, b, noise), noise.Normal(dkf.NoiseTransition, 1, 1, 1)}
		}, args...)
		if v := float64(got[0][0]); !(math.Abs(v-want.value) <= 1e-3) { // z is ½ ± 5e-5 ε
			t.Errorf("%s is %.6f, by hand %.6f", want.objective, v, want.value)
		}
		if v, want := got[1][0], 2*(1.5+2*got[2][0]); !(math.Abs(float64(v-want)) <= 1e-3) {
			t.Errorf("the forecast's log rate is %g, by hand %g", v, want)
		}
	}
}
