package phe_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/internal/nettest"
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
	exec, err := model.NewExec1(nettest.Backend(t), l.store, func(scope *model.Scope, g *Graph) *Node { return l.KL(scope.In("phe"), g) })
	noError(t, err)
	value := filetest.Must(exec.Call())(t)
	return float64(tensors.ToScalar[float32](value))
}

// call compiles build, which sees a batch of items, and returns a function that runs it: the output, flat, and its
// dimensions.
func (l layered) call(t *testing.T, build func(scope *model.Scope, rows *Node) *Node) func(items [][]string) ([]float32, []int) {
	t.Helper()
	exec, err := model.NewExec1(nettest.Backend(t), l.store, func(scope *model.Scope, rows *Node) *Node {
		return build(scope.In("phe"), rows)
	})
	noError(t, err)
	return func(items [][]string) ([]float32, []int) {
		t.Helper()
		rows, err := l.Rows(items)
		noError(t, err)
		value := filetest.Must(exec.Call(rows))(t)
		flat := filetest.Must(tensors.CopyFlatData[float32](value))(t)
		return flat, value.Shape().Dimensions
	}
}

// embed runs the layer's Embed: [samples, batch, columns, dim], flat.
func (l layered) embed(t *testing.T, items [][]string, scheme phe.Scheme, samples int) []float32 {
	t.Helper()
	flat, dims := l.call(t, func(scope *model.Scope, rows *Node) *Node {
		return l.Embed(scope, rows, scheme, samples)
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
	regression := func(scope *model.Scope, rows *Node) *Node {
		scope = scope.In("phe")
		e := l.Embed(scope, rows, phe.Fresh, 2)
		train.AddRegularizationLoss(MulScalar(l.KL(scope, rows.Graph()), 0.5))
		return InsertAxes(ReduceMean(e, 0, 2, 3), -1)
	}
	trainer := train.NewTrainer(nettest.Backend(t), l.store, regression, loss.MeanSquaredError, optimizer.Adam().LearningRate(0.1).Done(), nil, nil)
	step := func() {
		rows, err := l.Rows([][]string{{"a_1", "b_1"}, {"a_2", "b_1"}})
		noError(t, err)
		labels := tensors.FromValue([][]float32{{3}, {-3}})
		filetest.Must(trainer.TrainStep(train.Batch{Inputs: []*tensors.Tensor{rows}, Labels: []*tensors.Tensor{labels}}))(t)
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

// A model that resumes from a GoMLX checkpoint learns as without the pause: each variable, bit for bit, of two layers and
// of a model that draws itself. A checkpoint keeps no trainable flag, and a variable is loaded when it is first asked for.
func TestLayerResumes(t *testing.T) {
	layer := filetest.Must(phe.NewLayer(layerConfig(phe.Posterior), 0))(t)
	noisy := func(scope *model.Scope, rows *Node) *Node {
		noise := scope.RandomUniform(rows.Graph(), shapes.Make(dtypes.Float32, 2, 1)) // asked for before the layers
		for _, scope := range []*model.Scope{scope.In("a"), scope.In("b")} {
			noise = Add(noise, InsertAxes(ReduceMean(layer.Embed(scope, rows, phe.Fresh, 2), 0, 2, 3), -1))
			train.AddRegularizationLoss(layer.KL(scope, rows.Graph()))
		}
		return noise
	}
	learn := func(store *model.Store, steps int) {
		trainer := train.NewTrainer(nettest.Backend(t), store, noisy, loss.MeanSquaredError, optimizer.Adam().LearningRate(0.1).Done(),
			nil, nil)
		for range steps {
			rows, labels := filetest.Must(layer.Rows([][]string{{"a_1"}, {"a_2"}}))(t), tensors.FromValue([][]float32{{3}, {-3}})
			filetest.Must(trainer.TrainStep(train.Batch{Inputs: []*tensors.Tensor{rows}, Labels: []*tensors.Tensor{labels}}))(t)
		}
	}
	variables := func(store *model.Store) map[string]string {
		all := map[string]string{}
		for v := range store.IterVariables() {
			if !strings.HasPrefix(v.Path(), "/metrics/") { // the trainer names its own anew in each
				all[v.Path()] = fmt.Sprint(v.Trainable, v.MustValue().Value())
			}
		}
		return all
	}
	whole, folder := model.NewStore(), t.TempDir()
	noError(t, whole.SetRNGStateFromSeed(1))
	learn(whole, 2)
	noError(t, filetest.Must(checkpoint.Build(whole).Dir(folder).Done())(t).Save())
	learn(whole, 2)
	want := variables(whole)
	for name, load := range map[string]func(*model.Store, *checkpoint.Config){
		"at first use": func(_ *model.Store, c *checkpoint.Config) { filetest.Must(c.Done())(t) },
		"at once":      func(_ *model.Store, c *checkpoint.Config) { filetest.Must(c.Immediate().Done())(t) },
		"into a compiled model": func(store *model.Store, c *checkpoint.Config) {
			learn(store, 1)
			filetest.Must(c.Done())(t)
		},
		"after a look at the prior": func(store *model.Store, c *checkpoint.Config) {
			filetest.Must(c.Done())(t)
			store.RootScope().In("b").GetVariable("W_prior_mean")
		},
	} {
		store := model.NewStore()
		load(store, checkpoint.Load(store).Dir(folder))
		learn(store, 2)
		got := variables(store)
		for _, path := range slices.Sorted(maps.Keys(got)) {
			if got[path] != want[path] {
				t.Errorf("loaded %s: %s is %.60s, want %.60s", name, path, got[path], want[path])
			}
		}
		if len(got) != len(want) {
			t.Errorf("loaded %s: %d variables, want %d", name, len(got), len(want))
		}
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
		for _, scheme := range []phe.Scheme{phe.Fresh, phe.Local, phe.Table} {
			l := newLayered(t, c, 3)
			got := l.embed(t, items, scheme, 2)
			e := l.get(t, "E_mean")
			rows := filetest.Must(newEncoder(t, c).Items(slices.Concat(items...)))(t)
			for i, v := range got {
				item, hashes, want := i/5%6, c.RowsPerItem(), 0.0
				for k := range hashes {
					w := 1.0
					if c.NumWeights > 0 {
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

// Noise is new in every call, sample and row; an item that stands twice in a batch has two draws.
func TestLayerDrawsAnew(t *testing.T) {
	l := newLayered(t, layerConfig(phe.Posterior), 0)
	embed := l.call(t, func(scope *model.Scope, rows *Node) *Node { // twice in one graph, and that graph twice
		return Concatenate([]*Node{l.Embed(scope, rows, phe.Fresh, 2), l.Embed(scope, rows, phe.Fresh, 2)}, 0)
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

// Every item has its buckets, its row of W or 0, in the order of the batch.
func TestLayerRows(t *testing.T) {
	l := newLayered(t, layerConfig(phe.Posterior), 0)
	rows := filetest.Must(l.Rows([][]string{{"a_1", "x"}, {"x", "b_1"}}))(t)
	found := filetest.Must(newEncoder(t, l.config).Items([]string{"a_1", "x", "x", "b_1"}))(t)
	var want []int32
	for i, weight := range found.Weights {
		want = append(append(want, found.Buckets[3*i:3*i+3]...), weight)
	}
	got := filetest.Must(tensors.CopyFlatData[int32](rows))(t)
	if !slices.Equal(got, want) || !slices.Equal(rows.Shape().Dimensions, []int{2, 2, 4}) {
		t.Errorf("rows are %v in the shape %v, want %v", got, rows.Shape(), want)
	}
}

// A point estimate has nothing to diverge from, no prior to set, and draws nothing from the Store's generator.
func TestLayerOfPoints(t *testing.T) {
	l := newLayered(t, layerConfig(phe.Point), 0)
	if kl := l.kl(t); kl != 0 {
		t.Errorf("KL is %g", kl)
	}
	noError(t, l.PosteriorToPrior(l.scope()))
	state := func() string { return fmt.Sprint(l.store.GetVariable(model.RNGStateVariableName).MustValue().Value()) }
	before := state()
	l.embed(t, [][]string{{"a_1"}}, phe.Fresh, 2)
	if after := state(); after != before {
		t.Errorf("the generator went from %s to %s", before, after)
	}
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
		if _, err := l.Rows(items); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", items, err)
		}
	}
	full := newLayered(t, phe.Config{Rows: phe.Vocabulary, Estimate: phe.Point, EmbeddingDim: 5, Capacity: 1}, 0)
	if _, err := full.Rows([][]string{{"a", "b"}}); err == nil || !strings.Contains(err.Error(), `"b"`) {
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
		want    string
	}{
		{linear, "all", 1, "choose"},
		{linear, phe.Items, 1, "choose"},
		{linear, phe.Fresh, 0, "at least 1"},
		{maximum, phe.Local, 1, "linear in E"},
	} {
		l := newLayered(t, c.Config, 0)
		exec, err := model.NewExec1(nettest.Backend(t), l.store, func(scope *model.Scope, rows *Node) *Node {
			return l.Embed(scope, rows, c.scheme, c.samples)
		})
		noError(t, err)
		_, err = exec.Call(filetest.Must(l.Rows([][]string{{"a_1"}}))(t))
		filetest.WantError(t, err, c.want)
	}
}
