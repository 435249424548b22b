package phe_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/learn/learntest"
)

// layered is a layer and the store that holds its tables.
type layered struct {
	*phe.Layer
	config phe.Config
	store  *model.Store
}

// layerConfig has sizes that are prime and distinct, and beliefs wide enough to count.
func layerConfig(estimate phe.Estimate) phe.Config {
	return phe.Config{Rows: phe.Hashed, Estimate: estimate, EmbeddingDim: 5, NumBuckets: 7, NumHashes: 3, NumWeights: 11,
		Assembly: phe.WeightedSum, Hash: hash.CarterWegman, InitialLogStdDev: -1}
}

func newLayered(t *testing.T, c phe.Config, seed int64) layered {
	t.Helper()
	layer := filetest.Must(phe.NewLayer(c, seed))(t)
	store := model.NewStore()
	noError(t, store.SetRNGStateFromSeed(1))
	return layered{layer, c, store}
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v", err)
	}
}

// scope is where the tables are.
func (l layered) scope() *model.Scope { return l.store.RootScope().In("phe") }

// kl runs the layer's KL, and creates missing tables.
func (l layered) kl(t *testing.T) float64 {
	t.Helper()
	exec, err := model.NewExec1(learntest.Backend(t), l.store, func(scope *model.Scope, g *Graph) *Node { return l.KL(scope.In("phe"), g) })
	noError(t, err)
	value := filetest.Must(exec.Call())(t)
	return float64(tensors.ToScalar[float32](value))
}

// call compiles build, which sees a batch of items, and returns a function that runs it: the output, flat, and its
// dimensions.
func (l layered) call(t *testing.T, build func(scope *model.Scope, index, slots *Node) *Node) func(items [][]string) ([]float32, []int) {
	t.Helper()
	exec, err := model.NewExec1(learntest.Backend(t), l.store, func(scope *model.Scope, index, slots *Node) *Node {
		return build(scope.In("phe"), index, slots)
	})
	noError(t, err)
	return func(items [][]string) ([]float32, []int) {
		t.Helper()
		index, slots, err := l.Rows(items)
		noError(t, err)
		value := filetest.Must(exec.Call(index, slots))(t)
		flat := filetest.Must(tensors.CopyFlatData[float32](value))(t)
		return flat, value.Shape().Dimensions
	}
}

// embed runs the layer's Embed: [samples, batch, columns, dim], flat.
func (l layered) embed(t *testing.T, items [][]string, scheme phe.Scheme, samples int) []float32 {
	t.Helper()
	flat, dims := l.call(t, func(scope *model.Scope, index, slots *Node) *Node {
		return l.Embed(scope, index, slots, scheme, samples)
	})(items)
	if l.config.Estimate == phe.Point {
		samples = 1
	}
	if want := []int{samples, len(items), len(items[0]), l.config.EmbeddingDim}; !slices.Equal(dims, want) {
		t.Fatalf("%s: embeddings are %v, want %v", scheme, dims, want)
	}
	return flat
}

// get copies a variable.
func (l layered) get(t *testing.T, name string) []float32 {
	t.Helper()
	variable := l.scope().GetVariable(name)
	if variable == nil {
		t.Fatalf("no variable %s", name)
	}
	value := filetest.Must(variable.Value())(t)
	flat := filetest.Must(tensors.CopyFlatData[float32](value))(t)
	return flat
}

// believe sets the posterior of both tables to random beliefs.
func (l layered) believe(t *testing.T, rng *rand.Rand) {
	t.Helper()
	for _, name := range []string{"E", "W"} {
		dims := l.scope().GetVariable(name + "_mean").Shape().Dimensions
		mean, logStdDev := randomBelief(rng, dims[0], dims[1])
		noError(t, l.scope().GetVariable(name+"_mean").SetValue(table(mean, dims...)))
		noError(t, l.scope().GetVariable(name+"_log_std_dev").SetValue(table(logStdDev, dims...)))
	}
}

// beliefs copies the posterior, or the prior, entry by entry: of table E and then of W.
func (l layered) beliefs(t *testing.T, prior string) (entries []distuv.Normal) {
	t.Helper()
	for _, name := range []string{"E_", "W_"} {
		mean, logStdDev := l.get(t, name+prior+"mean"), l.get(t, name+prior+"log_std_dev")
		for i := range mean {
			entries = append(entries, distuv.Normal{Mu: float64(mean[i]), Sigma: math.Exp(float64(logStdDev[i]))})
		}
	}
	return entries
}

// divergence is KL(q‖p) by gonum's closed form.
func divergence(q, p []distuv.Normal) (kl float64) {
	for i := range q {
		kl += distuv.KullbackLeibler{}.DistNormal(q[i], p[i])
	}
	return kl
}

// Before anything was learned the prior is N(0, 1). After a block the posterior is the prior: mean and deviation, of both
// tables. The next block's KL is from there, and not from N(0, 1).
func TestLayerPosteriorBecomesPrior(t *testing.T) {
	l, rng := newLayered(t, layerConfig(phe.Posterior), 0), rand.New(rand.NewPCG(4, 4))
	filetest.WantError(t, l.PosteriorToPrior(l.scope()), "train a step first")
	l.kl(t)
	standard := slices.Repeat([]distuv.Normal{{Mu: 0, Sigma: 1}}, 7*5+11*3)
	if prior := l.beliefs(t, "prior_"); !slices.Equal(prior, standard) {
		t.Errorf("the first prior is %v", prior)
	}
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-5*want } // 68 float32 terms of size about 1
	prior := standard
	for block := range 3 {
		l.believe(t, rng)
		learned := l.beliefs(t, "")
		if got, want := l.kl(t), divergence(learned, prior); !near(got, want) {
			t.Errorf("block %d: KL is %g, want %g", block, got, want)
		}
		noError(t, l.PosteriorToPrior(l.scope()))
		if got := l.beliefs(t, "prior_"); !slices.Equal(got, learned) {
			t.Errorf("block %d: the prior is %v, want the posterior %v", block, got, learned)
		}
		if got := l.beliefs(t, ""); !slices.Equal(got, learned) {
			t.Errorf("block %d: the posterior changed", block)
		}
		if got := l.kl(t); got != 0 {
			t.Errorf("block %d: KL of the posterior from itself is %g", block, got)
		}
		prior = learned
	}
}

// Training moves the posterior and no prior: not the first one, and not one that PosteriorToPrior has copied.
func TestLayerTrains(t *testing.T) {
	l := newLayered(t, layerConfig(phe.Posterior), 0)
	regression := func(scope *model.Scope, index, slots *Node) *Node {
		scope = scope.In("phe")
		e := l.Embed(scope, index, slots, phe.Fresh, 2)
		train.AddRegularizationLoss(MulScalar(l.KL(scope, index.Graph()), 0.5))
		return InsertAxes(ReduceMean(e, 0, 2, 3), -1)
	}
	trainer := train.NewTrainer(learntest.Backend(t), l.store, regression, loss.MeanSquaredError, optimizer.Adam().LearningRate(0.1).Done(), nil, nil)
	step := func() {
		index, slots, err := l.Rows([][]string{{"a_1", "b_1"}, {"a_2", "b_1"}})
		noError(t, err)
		labels := tensors.FromValue([][]float32{{3}, {-3}})
		filetest.Must(trainer.TrainStep(train.Batch{Inputs: []*tensors.Tensor{index, slots}, Labels: []*tensors.Tensor{labels}}))(t)
	}
	step()
	for block := range 2 {
		before, prior := l.beliefs(t, ""), l.beliefs(t, "prior_")
		for range 3 { // after a block, the KL is flat at the first step
			step()
		}
		for i, entry := range l.beliefs(t, "") {
			if entry.Mu == before[i].Mu || entry.Sigma == before[i].Sigma {
				t.Errorf("block %d: entry %d stayed at %v", block, i, entry)
			}
		}
		if !slices.Equal(l.beliefs(t, "prior_"), prior) {
			t.Errorf("block %d: training moved the prior", block)
		}
		learned := l.beliefs(t, "")
		noError(t, l.PosteriorToPrior(l.scope()))
		if !slices.Equal(l.beliefs(t, "prior_"), learned) || !slices.Equal(l.beliefs(t, ""), learned) {
			t.Errorf("block %d: prior and posterior are not what was learned", block)
		}
	}
}

// The KL alone pulls the posterior to the prior: first to N(0, 1), and after a block to what that block learned.
func TestLayerKLPulls(t *testing.T) {
	l, rng := newLayered(t, layerConfig(phe.Posterior), 0), rand.New(rand.NewPCG(5, 5))
	model := func(scope *model.Scope, index, slots *Node) *Node {
		train.AddMainLoss(l.KL(scope.In("phe"), index.Graph()))
		return ZerosLike(index)
	}
	opt := optimizer.Adam().LearningRate(0.02).Done()
	trainer := train.NewTrainer(learntest.Backend(t), l.store, model, nil, opt, nil, nil)
	l.kl(t)
	for block := range 2 {
		l.believe(t, rng)
		noError(t, phe.ClearOptimizer(l.store, opt))
		first, prior := l.kl(t), l.beliefs(t, "prior_")
		for range 600 {
			index, slots, err := l.Rows([][]string{{"a_1"}})
			noError(t, err)
			filetest.Must(trainer.TrainStep(train.Batch{Inputs: []*tensors.Tensor{index, slots}}))(t)
		}
		if last := l.kl(t); !(last < first/1000) { // Adam's steps of 0.02 end near the minimum, where KL is 0
			t.Errorf("block %d: KL went from %g to %g", block, first, last)
		}
		for i, entry := range l.beliefs(t, "") {
			if math.Abs(entry.Mu-prior[i].Mu) > 0.05 || math.Abs(math.Log(entry.Sigma/prior[i].Sigma)) > 0.05 {
				t.Errorf("block %d: entry %d ended at %v, and its prior is %v", block, i, entry, prior[i])
			}
		}
		l.believe(t, rng)
		noError(t, l.PosteriorToPrior(l.scope()))
	}
}

// A table that its user has frozen stays frozen when another graph reads it.
func TestLayerStaysFrozen(t *testing.T) {
	l := newLayered(t, layerConfig(phe.Posterior), 0)
	l.kl(t)
	l.scope().GetVariable("E_mean").SetTrainable(false)
	l.embed(t, [][]string{{"a_1"}}, phe.Fresh, 2)
	for name, want := range map[string]bool{"E_mean": false, "E_log_std_dev": true, "W_mean": true, "W_log_std_dev": true,
		"E_prior_mean": false, "E_prior_log_std_dev": false, "W_prior_mean": false, "W_prior_log_std_dev": false} {
		if got := l.scope().GetVariable(name).Trainable; got != want {
			t.Errorf("%s is trainable: %t", name, got)
		}
	}
}

// An item's embedding is Σ_k W[w(s), k]·E[h_k(s)] under every scheme, where beliefs are all but certain.
func TestLayerEmbeds(t *testing.T) {
	items := [][]string{{"a_1", "b_1"}, {"a_2", "b_1"}, {"a_3", "b_2"}}
	certain := layerConfig(phe.Posterior)
	certain.InitialLogStdDev = -20
	plain := layerConfig(phe.Point)
	plain.Assembly, plain.NumWeights = phe.PlainSum, 0
	vocabulary := phe.Config{Rows: phe.Vocabulary, Estimate: phe.Posterior, EmbeddingDim: 5, Capacity: 7, InitialLogStdDev: -20}
	for _, c := range []phe.Config{certain, layerConfig(phe.Point), plain, vocabulary} {
		for _, scheme := range []phe.Scheme{phe.Fresh, phe.Local, phe.Items, phe.Table} {
			l := newLayered(t, c, 3)
			got := l.embed(t, items, scheme, 2)
			e := l.get(t, "E_mean")
			rows := filetest.Must(newEncoder(t, c).Items(slices.Concat(items...)))(t)
			for i, v := range got {
				item, hashes, want := i/5%6, c.RowsPerItem(), 0.0
				for k := range hashes {
					w := 1.0
					if c.HasWeights() {
						w = float64(l.get(t, "W_mean")[int(rows.Weights[item])*3+k])
					}
					want += w * float64(e[int(rows.Buckets[item*hashes+k])*5+i%5])
				}
				// σ is 1e-8; three float32 products of size about 1.
				if !(math.Abs(float64(v)-want) <= 1e-5) {
					t.Errorf("%s %s %s: entry %d is %g, want %g", c.Estimate, c.Assembly, scheme, i, v, want)
				}
			}
		}
	}
}

// slotMoments returns Σ_k w̄·x̄ and Σ_k (w̄² + s²)·σ² + s²·x̄², the mean and variance of an item's Σ_k W·x_k whose slots are
// independent: x_k is the product of v with row h_k(s) of E.
func (l layered) slotMoments(t *testing.T, item string, v []float64) (mean, variance float64) {
	t.Helper()
	rows := filetest.Must(newEncoder(t, l.config).Items([]string{item}))(t)
	beliefs := l.beliefs(t, "")
	for k, bucket := range rows.Buckets {
		var x, sigma2 float64
		for d, b := range beliefs[int(bucket)*5:][:5] {
			x += v[d] * b.Mu
			sigma2 += v[d] * v[d] * b.Sigma * b.Sigma
		}
		w := beliefs[7*5+int(rows.Weights[0])*3+k]
		mean += w.Mu * x
		variance += (w.Mu*w.Mu+w.Sigma*w.Sigma)*sigma2 + w.Sigma*w.Sigma*x*x
	}
	return mean, variance
}

// closeMoments tells whether numbers have the given mean and variance, to five standard errors. The seed fixes the numbers.
func closeMoments(x []float64, wantMean, wantVariance float64) bool {
	mean, variance := stat.MeanVariance(x, nil)
	n, fourth := float64(len(x)), stat.Moment(4, x, nil)
	return math.Abs(mean-wantMean) <= 5*math.Sqrt(variance/n) && math.Abs(variance-wantVariance) <= 5*math.Sqrt((fourth-variance*variance)/n)
}

// One layer draws under each scheme, with the samples of each call, the embeddings that the posterior says: their mean
// and variance, and which rows of a batch share a draw. All calls read the same tables.
func TestLayerSchemes(t *testing.T) {
	const item = "a_1"
	l := newLayered(t, layerConfig(phe.Posterior), 0)
	l.kl(t)
	l.believe(t, rand.New(rand.NewPCG(6, 6)))
	rows := filetest.Must(newEncoder(t, l.config).Items([]string{item}))(t)
	if b := rows.Buckets; b[0] == b[1] || b[0] == b[2] || b[1] == b[2] {
		t.Fatalf("buckets %v repeat: scheme Table has another variance there; choose another item", b)
	}
	variables := l.scope().NumVariables()
	for scheme, share := range map[phe.Scheme]bool{phe.Fresh: false, phe.Local: false, phe.Items: true, phe.Table: true} {
		for _, samples := range []int{10, 4001} {
			got := l.embed(t, [][]string{{item}, {item}}, scheme, samples)
			for d := range 5 {
				var first, second []float64
				for s := range samples {
					first, second = append(first, float64(got[s*10+d])), append(second, float64(got[s*10+5+d]))
				}
				if slices.Equal(first, second) != share {
					t.Errorf("%s: two rows of the same item share a draw: %t", scheme, !share)
				}
				v := make([]float64, 5)
				v[d] = 1
				if mean, variance := l.slotMoments(t, item, v); samples > 1000 && !(closeMoments(first, mean, variance) && closeMoments(second, mean, variance)) {
					gotMean, gotVariance := stat.MeanVariance(first, nil)
					t.Errorf("%s: coordinate %d has mean %.4f and variance %.4f, want %.4f and %.4f", scheme, d, gotMean, gotVariance, mean, variance)
				}
			}
		}
	}
	if n := l.scope().NumVariables(); n != variables {
		t.Errorf("the calls made %d variables", n-variables)
	}
}

// The logits of a linear head have the mean and variance of the closed form. An item that stands in two columns meets each
// column's weights.
func TestLayerLogits(t *testing.T) {
	items := [][]string{{"a_1", "x"}, {"x", "b_1"}, {"a_2", "b_1"}, {"a_1", "b_1"}, {"x", "x"}}
	head := [][]float64{{0.5, -1, 0.25, 2, -0.75}, {1, 0.5, -2, 0.125, 1.5}}
	base := []float32{0.5, -1, 2, 0, 0.25}
	l := newLayered(t, layerConfig(phe.Posterior), 0)
	l.kl(t)
	l.believe(t, rand.New(rand.NewPCG(7, 7)))
	logits := func(l layered, scheme phe.Scheme, samples int) [][]float64 {
		flat, _ := l.call(t, func(scope *model.Scope, index, slots *Node) *Node {
			g := index.Graph()
			return l.Logits(scope, index, slots, ConstAsDType(g, dtypes.Float32, head), Const(g, base), scheme, samples)
		})(items)
		byRow := make([][]float64, len(items))
		for i, v := range flat {
			byRow[i%len(items)] = append(byRow[i%len(items)], float64(v))
		}
		return byRow
	}
	want := func(row int) (mean, variance float64) {
		a, av := l.slotMoments(t, items[row][0], head[0])
		b, bv := l.slotMoments(t, items[row][1], head[1])
		return float64(base[row]) + a + b, av + bv
	}
	for _, scheme := range []phe.Scheme{phe.Local, phe.Moments} {
		for row, x := range logits(l, scheme, 4001) {
			if mean, variance := want(row); len(x) != 4001 || !closeMoments(x, mean, variance) {
				gotMean, gotVariance := stat.MeanVariance(x, nil)
				t.Errorf("%s, row %d: mean %.4f and variance %.4f of %d samples, want %.4f and %.4f", scheme, row, gotMean, gotVariance, len(x), mean, variance)
			}
		}
	}
	for row, x := range logits(l, phe.Quadrature, 1) {
		mean, variance := want(row)
		gotMean := stat.Mean(x, phe.Quadrature.SampleWeights())
		gotVariance := stat.MomentAbout(2, x, gotMean, phe.Quadrature.SampleWeights())
		// float32 sums of about 30 terms of size about 1, squared
		if !(math.Abs(gotMean-mean) <= 1e-4) || !(math.Abs(gotVariance/variance-1) <= 1e-4) {
			t.Errorf("quadrature, row %d: mean %.5f and variance %.5f, want %.5f and %.5f", row, gotMean, gotVariance, mean, variance)
		}
	}
	points := newLayered(t, layerConfig(phe.Point), 0)
	points.kl(t)
	for _, name := range []string{"E_mean", "W_mean"} {
		value := filetest.Must(l.scope().GetVariable(name).Value())(t)
		value = filetest.Must(value.LocalClone())(t)
		noError(t, points.scope().GetVariable(name).SetValue(value))
	}
	for row, x := range logits(points, phe.Moments, 3) {
		if mean, _ := want(row); len(x) != 1 || !(math.Abs(x[0]-mean) <= 1e-4) {
			t.Errorf("points, row %d: logits %v, want %.5f", row, x, mean)
		}
	}
}

// Noise is new in every call, sample and row; an item that stands twice in a batch has two draws.
func TestLayerDrawsAnew(t *testing.T) {
	l := newLayered(t, layerConfig(phe.Posterior), 0)
	embed := l.call(t, func(scope *model.Scope, index, slots *Node) *Node { // twice in one graph, and that graph twice
		return Concatenate([]*Node{l.Embed(scope, index, slots, phe.Fresh, 2), l.Embed(scope, index, slots, phe.Fresh, 2)}, 0)
	})
	first, _ := embed([][]string{{"a_1"}, {"a_1"}})
	second, _ := embed([][]string{{"a_1"}, {"a_1"}})
	draws := slices.Collect(slices.Chunk(slices.Concat(first, second), 5))
	if len(draws) != 16 {
		t.Fatalf("%d draws", len(draws))
	}
	for i, a := range draws {
		for k, b := range draws[:i] {
			if slices.Equal(a, b) {
				t.Errorf("draws %d and %d are both %v", k, i, a)
			}
		}
	}
}

// What draws nothing leaves the Store's generator alone.
func TestLayerWithoutNoise(t *testing.T) {
	for estimate, scheme := range map[phe.Estimate]phe.Scheme{phe.Posterior: phe.Quadrature, phe.Point: phe.Local} {
		l := newLayered(t, layerConfig(estimate), 0)
		state := func() any { return l.store.GetVariable(model.RNGStateVariableName).MustValue().Value() }
		before := fmt.Sprint(state())
		l.call(t, func(scope *model.Scope, index, slots *Node) *Node {
			g := index.Graph()
			return l.Logits(scope, index, slots, Ones(g, shapes.Make(dtypes.Float32, 1, 5)), Zeros(g, shapes.Make(dtypes.Float32, 2)), scheme, 3)
		})([][]string{{"a_1"}, {"a_2"}})
		if after := fmt.Sprint(state()); after != before {
			t.Errorf("%s, %s: the generator went from %s to %s", estimate, scheme, before, after)
		}
	}
}

// Each distinct item of a column has one slot, in order of arrival, and zeros pad the slots.
func TestLayerRows(t *testing.T) {
	l := newLayered(t, layerConfig(phe.Posterior), 0)
	index, slots, err := l.Rows([][]string{{"a_1", "x"}, {"x", "b_1"}, {"a_1", "x"}, {"x", "x"}})
	noError(t, err)
	if got, want := fmt.Sprint(index.Value()), "[[0 1] [2 3] [0 1] [2 1]]"; got != want {
		t.Errorf("index is %s, want %s", got, want)
	}
	rows := filetest.Must(newEncoder(t, l.config).Items([]string{"a_1", "x", "x", "b_1"}))(t)
	var want [][]int32
	for i, column := range []int32{0, 1, 0, 1} {
		want = append(want, append(slices.Clone(rows.Buckets[3*i:3*i+3]), rows.Weights[i], column))
	}
	if got := slots.Value(); !reflect.DeepEqual(got, want) {
		t.Errorf("slots are %v, want %v", got, want)
	}
	_, slots, err = l.Rows([][]string{{"a_1", "b_1"}, {"a_2", "b_1"}})
	noError(t, err)
	if last := slots.Value().([][]int32)[3]; len(last) != 5 || slices.Max(last) != 0 {
		t.Errorf("the fourth slot of three items is %v", last)
	}
}

// Batches of one shape compile at most four times, for any items.
func TestLayerCompilesFewTimes(t *testing.T) {
	l, builds := newLayered(t, layerConfig(phe.Posterior), 0), 0
	embed := l.call(t, func(scope *model.Scope, index, slots *Node) *Node {
		builds++
		return l.Embed(scope, index, slots, phe.Items, 2)
	})
	for distinct := 1; distinct <= 19; distinct++ {
		items := make([][]string, 19)
		for i := range items {
			items[i] = []string{fmt.Sprint("a_", min(i, distinct-1))}
		}
		embed(items)
	}
	if builds != 4 {
		t.Errorf("19 rows of 1 to 19 distinct items compiled %d times, want 4: for 3, 5, 10 and 19", builds)
	}
}

// A point estimate has nothing to diverge from, and no prior to set.
func TestLayerOfPoints(t *testing.T) {
	l := newLayered(t, layerConfig(phe.Point), 0)
	if kl := l.kl(t); kl != 0 {
		t.Errorf("KL is %g", kl)
	}
	noError(t, l.PosteriorToPrior(l.scope()))
	if l.scope().GetVariable("E_prior_mean") != nil || l.scope().GetVariable("E_log_std_dev") != nil {
		t.Error("a point estimate has a prior or a deviation")
	}
}

// The initial means are normal, of the configured width, other ones for another seed and for another table.
func TestLayerInitialMeans(t *testing.T) {
	c := layerConfig(phe.Posterior)
	c.NumBuckets, c.NumWeights, c.NumHashes, c.EmbeddingDim = 1009, 1009, 5, 5
	means := func(stdDev float64, seed int64, name string) []float32 {
		c.InitialMeanStdDev = stdDev
		l := newLayered(t, c, seed)
		l.kl(t)
		return l.get(t, name)
	}
	square := func(x []float32) (sum float64) {
		for _, v := range x {
			sum += float64(v) * float64(v) / float64(len(x))
		}
		return sum
	}
	wide, narrow := means(0, 0, "E_mean"), means(0.1, 0, "E_mean")
	tolerance := 4 * math.Sqrt(2./float64(len(wide))) // four standard errors; the seed is fixed
	if a, b := square(wide), 100*square(narrow); !(math.Abs(a-1) <= tolerance) || !(math.Abs(b-1) <= tolerance) {
		t.Errorf("mean squares are %.3f and %.3f of what they should be", a, b)
	}
	if !slices.Equal(wide, means(0, 0, "E_mean")) || slices.Equal(wide, means(0, 1, "E_mean")) || slices.Equal(wide, means(0, 0, "W_mean")) {
		t.Error("initial means do not follow the seed and the table")
	}
}

func TestLayerErrors(t *testing.T) {
	if _, err := phe.NewLayer(phe.Config{}, 0); err == nil {
		t.Error("a layer without a configuration")
	}
	l := newLayered(t, layerConfig(phe.Posterior), 0)
	for want, items := range map[string][][]string{"no items": {}, "at least one row of one column": {{}}, "row 1 has 1 items": {{"a", "b"}, {"c"}}} {
		if _, _, err := l.Rows(items); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", items, err)
		}
	}
	full := newLayered(t, phe.Config{Rows: phe.Vocabulary, Estimate: phe.Point, EmbeddingDim: 5, Capacity: 1}, 0)
	if _, _, err := full.Rows([][]string{{"a", "b"}}); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("a full vocabulary: %v", err)
	}
}

// A scheme or a number of samples that the layer cannot draw is an error, which names what can be done.
func TestLayerRefuses(t *testing.T) {
	linear, maximum := layerConfig(phe.Posterior), layerConfig(phe.Posterior)
	maximum.Assembly, maximum.NumWeights = phe.Maximum, 0
	for _, c := range []struct {
		phe.Config
		scheme  phe.Scheme
		samples int
		logits  bool
		want    string
	}{
		{linear, "all", 1, false, "choose"},
		{linear, phe.Moments, 1, false, "use Linear"},
		{linear, phe.Fresh, 1, true, "use Embed"},
		{linear, phe.Fresh, 0, false, "at least 1"},
		{linear, phe.Local, 0, true, "at least 1"},
		{maximum, phe.Local, 1, false, "linear in E"},
		{maximum, phe.Quadrature, 1, true, "linear in E"},
	} {
		l := newLayered(t, c.Config, 0)
		exec, err := model.NewExec1(learntest.Backend(t), l.store, func(scope *model.Scope, index, slots *Node) *Node {
			g := index.Graph()
			if !c.logits {
				return l.Embed(scope, index, slots, c.scheme, c.samples)
			}
			return l.Logits(scope, index, slots, Ones(g, shapes.Make(dtypes.Float32, 1, 5)), Zeros(g, shapes.Make(dtypes.Float32, 1)), c.scheme, c.samples)
		})
		noError(t, err)
		index, slots, err := l.Rows([][]string{{"a_1"}})
		noError(t, err)
		_, err = exec.Call(index, slots)
		filetest.WantError(t, err, c.want)
	}
}
