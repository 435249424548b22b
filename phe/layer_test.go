package phe_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/stat/distuv"

	"gophe/phe"
	"gophe/phe/belief"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/learn/likelihood"
)

// layered is a configuration of a layer, and the store that holds its tables.
type layered struct {
	config phe.Config
	store  *model.Store
}

// layerConfig has sizes that are prime and distinct, and beliefs wide enough to count.
func layerConfig(estimate phe.Estimate) phe.Config {
	return phe.Config{Rows: phe.Hashed, Estimate: estimate, EmbeddingDim: 5, NumBuckets: 7, NumHashes: 3, NumWeights: 11,
		Assembly: phe.WeightedSum, Hash: hash.CarterWegman, InitialLogStdDev: -1, InitialMeanStdDev: 1}
}

func newLayered(t *testing.T, c phe.Config) layered {
	t.Helper()
	store := model.NewStore()
	filetest.Check(t, store.SetRNGStateFromSeed(1))
	return layered{c, store}
}

// layerRows is the number of rows of the training set that a test's layer is told.
const layerRows = 17

// layer returns the layer of a graph, whose tables are in the scope phe.
func (l layered) layer(scope *model.Scope, ids *Node) *phe.Layer {
	return phe.New(scope.At("phe"), ids).Config(l.config).Rows(layerRows)
}

// call builds a graph on ids, of training or of prediction, and runs it: the output, flat, and its dimensions.
func (l layered) call(t *testing.T, training bool, ids any, build func(scope *model.Scope, ids *Node) *Node) ([]float32, []int) {
	t.Helper()
	run, err := model.NewExec1(nettest.Backend(t), l.store, func(scope *model.Scope, ids *Node) *Node {
		l.store.SetTraining(ids.Graph(), training)
		return build(scope, ids)
	})
	filetest.Check(t, err)
	value := filetest.Must(run.Call(ids))(t)
	return filetest.Must(tensors.CopyFlatData[float32](value))(t), value.Shape().Dimensions
}

// kl returns the loss that the layers of a training graph add, and creates missing tables.
func (l layered) kl(t *testing.T) float64 {
	t.Helper()
	flat, _ := l.call(t, true, [][]int64{{1}}, func(scope *model.Scope, ids *Node) *Node {
		l.layer(scope, ids).Done()
		return train.GetRegularizationLoss(ids.Graph())
	})
	return float64(flat[0])
}

func (l layered) variable(name string) *model.Variable {
	return l.store.RootScope().At("phe").GetVariable("phe_" + name)
}

// get copies a variable.
func (l layered) get(t *testing.T, name string) []float32 {
	t.Helper()
	return filetest.Must(tensors.CopyFlatData[float32](filetest.Must(l.variable(name).Value())(t)))(t)
}

// believe sets the posterior of both tables to random beliefs.
func (l layered) believe(t *testing.T, rng *rand.Rand) {
	t.Helper()
	for _, name := range []string{"E", "W"} {
		dims := l.variable(name + "_mean").Shape().Dimensions
		mean, logStdDev := randomBelief(rng, dims[0], dims[1])
		filetest.Check(t, l.variable(name+"_mean").SetValue(table(mean, dims...)))
		filetest.Check(t, l.variable(name+"_log_std_dev").SetValue(table(logStdDev, dims...)))
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

// twoRows is a batch of a regression.
func twoRows() train.Batch {
	ids, labels := tensors.FromValue([][]int64{{1, 5}, {2, 5}}), tensors.FromValue([][]float32{{3}, {-3}})
	return train.Batch{Inputs: []*tensors.Tensor{ids}, Labels: []*tensors.Tensor{labels}}
}

// Before anything was learned the prior is N(0, 1). After a block the posterior is the prior: mean and deviation, of both tables. The KL is
// divided by the rows: of the training set, and then of the block. Prediction adds no KL and needs no rows, and a scope that serves two
// inputs adds it once.
func TestLayerKL(t *testing.T) {
	l, rng, adam := newLayered(t, layerConfig(phe.Posterior)), rand.New(rand.NewPCG(4, 4)), optimizer.Adam().Done()
	filetest.WantError(t, phe.NextBlock(l.store, adam, 1), "a training step")
	l.kl(t)
	filetest.WantError(t, phe.NextBlock(l.store, adam, 0), "0 rows")
	prior := slices.Repeat([]distuv.Normal{{Mu: 0, Sigma: 1}}, 7*5+11*3)
	near := func(what string, got, want float64) {
		filetest.Near(t, got, want, 1e-5*math.Abs(want), "%s", what) // 68 float32 terms of size about 1
	}
	for _, rows := range []int{layerRows, 3, 1000} {
		filetest.Want(t, l.beliefs(t, "prior_"), prior, "%d rows: the prior", rows)
		l.believe(t, rng)
		learned := l.beliefs(t, "")
		want := divergence(learned, prior) / float64(rows)
		near(fmt.Sprint("KL by ", rows), l.kl(t), want)
		l.store.SetParam("/"+phe.ParamKLWeight, 0.5)
		near("half of the KL", l.kl(t), want/2)
		l.store.SetParam("/"+phe.ParamKLWeight, 1)
		twice, _ := l.call(t, true, [][]int64{{1}}, func(scope *model.Scope, ids *Node) *Node {
			l.layer(scope, ids).Done()
			l.layer(scope, AddScalar(ids, 1)).Done()
			return train.GetRegularizationLoss(ids.Graph())
		})
		near("KL of a scope for two inputs", float64(twice[0]), want)
		l.call(t, false, [][]int64{{1}}, func(scope *model.Scope, ids *Node) *Node {
			out := l.layer(scope, ids).Rows(0).Done()
			filetest.True(t, train.GetRegularizationLoss(ids.Graph()) == nil, "prediction has a KL")
			return out
		})
		filetest.Check(t, phe.NextBlock(l.store, adam, map[int]int{layerRows: 3, 3: 1000, 1000: 9}[rows]))
		filetest.Want(t, l.beliefs(t, ""), learned, "%d rows: the posterior", rows)
		filetest.Want(t, l.kl(t), 0, "KL of the posterior from itself")
		prior = learned
	}
	sum, _ := l.call(t, true, [][]int64{{1}}, func(scope *model.Scope, ids *Node) *Node { // a scope below another has a KL of its own
		l.layer(scope, ids).Done()
		before := train.GetRegularizationLoss(ids.Graph())
		phe.New(scope.At("phe").In("below"), ids).Config(l.config).Rows(9).Done()
		return Sub(train.GetRegularizationLoss(ids.Graph()), before)
	})
	filetest.True(t, sum[0] > 0, "a scope below another adds no KL")
}

// Training moves the posterior and no prior: not the first one, and not one that NextBlock has copied.
func TestLayerTrains(t *testing.T) {
	tr := newTraining(t, nil, optimizer.Adam().LearningRate(0.1).Done())
	rows := found(t, tr.config, twoRows().Inputs[0])
	tr.steps(t, 1)
	for block := range 2 {
		before, prior := tr.beliefs(t, ""), tr.beliefs(t, "prior_")
		tr.steps(t, 3) // after a block, the KL is flat at the first step, and stays so in rows that no item uses
		for i, entry := range tr.beliefs(t, "") {
			used := block == 0 || i < 7*5 && slices.Contains(rows.Buckets, int32(i/5)) ||
				i >= 7*5 && slices.Contains(rows.Weights, int32(i-7*5)/3)
			filetest.True(t, (entry.Mu != before[i].Mu) == used && (entry.Sigma != before[i].Sigma) == used,
				"block %d: entry %d went from %v to %v, and an item uses it: %t", block, i, before[i], entry, used)
		}
		filetest.Want(t, tr.beliefs(t, "prior_"), prior, "block %d: the prior after training", block)
		learned := tr.beliefs(t, "")
		filetest.Check(t, phe.NextBlock(tr.store, tr.Interface, 2))
		filetest.Want(t, tr.beliefs(t, "prior_"), learned, "block %d: the prior", block)
		filetest.Want(t, tr.beliefs(t, ""), learned, "block %d: the posterior", block)
	}
	filetest.Want(t, tr.builds, 1, "compilations of the step")
}

// noisyModel draws itself, before its two layers do.
func noisyModel(scope *model.Scope, ids *Node) *Node {
	noise := scope.RandomUniform(ids.Graph(), shapes.Make(dtypes.Float32, 4, 1)) // asked for before the layers
	for _, scope := range []*model.Scope{scope.In("a"), scope.In("b")} {
		e := phe.New(scope, ids).Config(layerConfig(phe.Posterior)).Rows(layerRows).Samples(2).Done()
		noise = Add(noise, InsertAxes(ReduceMean(e, 1, 2), -1))
	}
	return noise
}

// learnNoisily trains the noisy model for some steps, and begins a block before each of the last ones.
func learnNoisily(t *testing.T, store *model.Store, from, to int, after func(step int)) {
	t.Helper()
	adam := optimizer.Adam().LearningRate(0.1).Done()
	trainer := train.NewTrainer(nettest.Backend(t), store, noisyModel, phe.RepeatLabels(loss.MeanSquaredError), adam, nil, nil)
	for step := range to {
		if step < from {
			continue
		}
		filetest.Must(trainer.TrainStep(twoRows()))(t)
		if step%3 == 1 {
			filetest.Check(t, phe.NextBlock(store, adam, 2+step))
		}
		after(step)
	}
}

// variables describes each variable of a store with its flag. The trainer names its own metrics anew in each.
func variables(store *model.Store) map[string]string {
	all := map[string]string{}
	for v := range store.IterVariables() {
		if !strings.HasPrefix(v.Path(), "/metrics/") {
			all[v.Path()] = fmt.Sprint(v.Trainable, v.MustValue().Value())
		}
	}
	return all
}

// sameVariables compares all variables bit for bit, and their flags.
func sameVariables(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(got)) {
		filetest.Want(t, got[path], want[path], "%s: %s", what, path)
	}
	filetest.Want(t, len(got), len(want), "%s: variables", what)
}

// A model that resumes from a GoMLX checkpoint learns as without the pause: each variable, bit for bit, of two layers and
// of a model that draws itself. A checkpoint keeps no trainable flag, and a variable is loaded when it is first asked for.
func TestLayerResumes(t *testing.T) {
	whole, folder, quiet := model.NewStore(), t.TempDir(), func(int) {}
	filetest.Check(t, whole.SetRNGStateFromSeed(1))
	learnNoisily(t, whole, 0, 3, quiet)
	filetest.Check(t, filetest.Must(checkpoint.Build(whole).Dir(folder).Done())(t).Save())
	learnNoisily(t, whole, 3, 6, quiet)
	for name, load := range map[string]func(*model.Store, *checkpoint.Config){
		"at first use": func(_ *model.Store, c *checkpoint.Config) { filetest.Must(c.Done())(t) },
		"at once":      func(_ *model.Store, c *checkpoint.Config) { filetest.Must(c.Immediate().Done())(t) },
		"into a compiled model": func(store *model.Store, c *checkpoint.Config) {
			learnNoisily(t, store, 0, 1, quiet)
			filetest.Must(c.Done())(t)
		},
		"after a look at the prior": func(store *model.Store, c *checkpoint.Config) {
			filetest.Must(c.Done())(t)
			store.RootScope().In("b").GetVariable("phe_W_prior_mean")
		},
	} {
		store := model.NewStore()
		load(store, checkpoint.Load(store).Dir(folder))
		learnNoisily(t, store, 3, 6, quiet)
		sameVariables(t, "loaded "+name, variables(store), variables(whole))
	}
}

// A program that is killed after it has saved a step resumes to the variables, and the flags, of one that never stopped.
func TestLayerSurvivesKill(t *testing.T) {
	const killed, steps = 4, 7
	if folder := os.Getenv("GOPHE_TEST_KILL"); folder != "" { // the program that is killed
		store := model.NewStore()
		saved := filetest.Must(checkpoint.Build(store).Dir(folder).Keep(2).Done())(t)
		filetest.Check(t, store.SetRNGStateFromSeed(1))
		learnNoisily(t, store, 0, steps, func(step int) {
			if filetest.Check(t, saved.Save()); step == killed-1 {
				filetest.Check(t, filetest.Must(os.FindProcess(os.Getpid()))(t).Kill())
				select {}
			}
		})
	}
	folder, whole, resumed := filepath.Join(t.TempDir(), "saved"), model.NewStore(), model.NewStore()
	child := exec.Command(os.Args[0], "-test.run=^TestLayerSurvivesKill$")
	child.Env = append(os.Environ(), "GOPHE_TEST_KILL="+folder)
	if out, err := child.CombinedOutput(); err == nil || child.ProcessState.Exited() {
		t.Fatalf("the program was not killed: %v\n%s", err, out)
	}
	filetest.Check(t, whole.SetRNGStateFromSeed(1))
	learnNoisily(t, whole, 0, steps, func(int) {})
	filetest.Must(checkpoint.Build(resumed).Dir(folder).Done())(t)
	learnNoisily(t, resumed, killed, steps, func(int) {})
	sameVariables(t, "killed", variables(resumed), variables(whole))
}

// A table that its user has frozen stays frozen when another graph reads it. The prior is thawed by nobody.
func TestLayerStaysFrozen(t *testing.T) {
	l := newLayered(t, layerConfig(phe.Posterior))
	l.kl(t)
	l.variable("E_mean").SetTrainable(false)
	l.variable("W_prior_mean").SetTrainable(true)
	l.kl(t)
	for name, want := range map[string]bool{"E_mean": false, "E_log_std_dev": true, "W_mean": true, "W_log_std_dev": true, "rows": false,
		"E_prior_mean": false, "E_prior_log_std_dev": false, "W_prior_mean": false, "W_prior_log_std_dev": false} {
		filetest.Want(t, l.variable(name).Trainable, want, "%s is trainable", name)
	}
}

// An item's embedding is Σ_k W[w(s), k]·E[h_k(s)] under every scheme, where beliefs are all but certain, and the posterior's mean in
// prediction. Samples stand before rows on the first axis. Embeddings and KL have the scope's dtype, so that the losses add up.
func TestLayerEmbeds(t *testing.T) {
	ids := [][][]int64{{{1, -2}}, {{3, -2}}, {{4, 1 << 40}}} // [batch, 1, columns]
	certain, plain := layerConfig(phe.Posterior), layerConfig(phe.Point)
	certain.InitialLogStdDev = -20
	plain.Assembly, plain.NumWeights = phe.PlainSum, 0
	for _, c := range []phe.Config{certain, layerConfig(phe.Posterior), layerConfig(phe.Point), plain} {
		for _, scheme := range []phe.Scheme{phe.Fresh, phe.Local, phe.Table} {
			l, samples, training := newLayered(t, c), 2, c.InitialLogStdDev == -20
			l.store.SetParam("/phe/"+phe.ParamDType, "float64")
			l.store.SetParam("/phe/"+phe.ParamScheme, string(scheme))
			if c.Estimate == phe.Point || !training {
				samples = 1
			}
			got, dims := l.call(t, training, ids, func(scope *model.Scope, ids *Node) *Node {
				layer := l.layer(scope, ids)
				if samples > 1 {
					layer.Samples(samples)
				}
				e := layer.Done()
				kl := train.GetRegularizationLoss(ids.Graph())
				filetest.Want(t, e.DType(), dtypes.Float64, "the embeddings' type")
				filetest.True(t, kl == nil || kl.DType() == e.DType(), "the KL is %v", kl)
				return ConvertDType(e, dtypes.Float32)
			})
			filetest.Want(t, dims, []int{3 * samples, 1, 2, 5}, "%s %s: dimensions of the embeddings", c.Estimate, scheme)
			e, rows := l.get(t, "E_mean"), found(t, c, ids)
			for i, v := range got {
				item, want := i/5%6, 0.0
				for k := range 3 {
					w := 1.0
					if c.NumWeights > 0 {
						w = float64(l.get(t, "W_mean")[int(rows.Weights[item])*3+k])
					}
					want += w * float64(e[int(rows.Buckets[item*3+k])*5+i%5])
				}
				// σ is 1e-8; three float32 products of size about 1.
				filetest.Near(t, float64(v), want, 1e-5, "%s %s %s: entry %d", c.Estimate, c.Assembly, scheme, i)
			}
		}
	}
}

// Noise is new in every call, sample and row; an item that stands twice in a batch has two draws.
func TestLayerDrawsAnew(t *testing.T) {
	l := newLayered(t, layerConfig(phe.Posterior))
	var draws [][]float32
	for _, training := range []bool{true, false} {
		flat, _ := l.call(t, training, [][]int64{{1}, {1}}, func(scope *model.Scope, ids *Node) *Node { // twice in one graph
			return Concatenate([]*Node{l.layer(scope, ids).Samples(2).Done(), l.layer(scope, ids).Samples(2).Done()}, 0)
		})
		draws = slices.AppendSeq(draws, slices.Chunk(flat, 5))
	}
	filetest.Want(t, len(draws), 16, "draws")
	for i, a := range draws {
		for k, b := range draws[:i] {
			filetest.True(t, !slices.Equal(a, b), "draws %d and %d are both %v", k, i, a)
		}
	}
}

// A point estimate needs no rows, has no KL and no prior, and draws nothing from the Store's generator. It may begin blocks.
func TestLayerOfPoints(t *testing.T) {
	l := newLayered(t, layerConfig(phe.Point))
	state := func() string { return fmt.Sprint(l.store.GetVariable(model.RNGStateVariableName).MustValue().Value()) }
	build := func(scope *model.Scope, ids *Node) *Node {
		out := phe.New(scope.At("phe"), ids).Config(l.config).Samples(3).Done()
		filetest.True(t, train.GetRegularizationLoss(ids.Graph()) == nil, "points have a KL")
		return out
	}
	l.call(t, true, [][]int64{{1}}, build) // draws the means
	before := state()
	_, dims := l.call(t, true, [][]int64{{1}}, build)
	filetest.Want(t, dims[0], 1, "embeddings")
	filetest.Want(t, state(), before, "the generator")
	filetest.True(t, l.variable("E_prior_mean") == nil && l.variable("E_log_std_dev") == nil,
		"a point estimate has a prior or a deviation")
	filetest.Check(t, phe.NextBlock(l.store, optimizer.Adam().Done(), 1))
}

// Hyperparameters of the scope set all that Config sets; the methods override them. E begins as the scope's initialiser says, W as N(0, 1),
// and σ as the hyperparameter says.
func TestLayerParameters(t *testing.T) {
	l := newLayered(t, phe.Config{})
	l.store.RootScope().SetParams(map[string]any{phe.ParamRows: layerRows, phe.ParamBuckets: 13, phe.ParamHashes: 2, phe.ParamDim: 3,
		phe.ParamWeights: 1009, phe.ParamStdDev: 0.25, phe.ParamAssembly: "weighted-sum", phe.ParamEstimate: "posterior",
		phe.ParamHashSeed: 3, phe.ParamKLWeight: 1, phe.ParamScheme: "rows", phe.ParamSamples: 2})
	_, dims := l.call(t, true, [][]int64{{1, 2}}, func(scope *model.Scope, ids *Node) *Node {
		scope = scope.WithInitializer(initializer.One)
		phe.New(scope.In("wide"), ids).Buckets(17).Hashes(1).Done()
		return phe.New(scope.In("phe"), ids).Dim(5).Done()
	})
	filetest.Want(t, dims, []int{2, 2, 5}, "embeddings")
	filetest.Want(t, l.variable("E_mean").Shape().Dimensions, []int{13, 5}, "table E")
	wide := l.store.GetVariable("/wide/phe_W_mean").Shape()
	filetest.Want(t, wide.Dimensions, []int{1009, 1}, "the other layer's weights")
	square := 0.0
	for _, w := range l.get(t, "W_mean") {
		square += float64(w) * float64(w) / 2018
	}
	e := l.get(t, "E_mean")
	filetest.Want(t, [2]float32{slices.Min(e), slices.Max(e)}, [2]float32{1, 1}, "the least and the largest mean of E")
	filetest.Want(t, l.get(t, "E_log_std_dev")[0], float32(math.Log(0.25)), "log σ of E")
	// Four standard errors; the seed is fixed.
	filetest.Near(t, square, 1, 4*math.Sqrt(2./2018), "the mean square of W")
}

// Tables that phe/learn has learned give the layer the same mean embeddings: a text's id leads to its rows.
func TestLayerTakesLearnedTables(t *testing.T) {
	columns, rows := []string{"town", "day"}, [][]string{{"Bern", "Mon"}, {"Basel", "Sun"}, {"Chur", "Mon"}}
	c := layerConfig(phe.Posterior)
	batch := filetest.Must(learn.NewBatch(columns, rows))(t)
	batch.Targets = []float32{4, 20, 9}
	network := learn.Network{Columns: 2, Likelihood: likelihood.Poisson(), Outputs: func(p learn.Pass) learn.Outputs {
		sum := ReduceSum(p.Embed(Reshape(p.Index, p.Runs*p.Records, 2)), 2, 3)
		return learn.Outputs{Parameters: InsertAxes(sum, -1), Targets: Reshape(p.Targets, -1)}
	}}
	learner := nettest.New(t, network, learn.Config{Encoder: c, Scheme: phe.Local, TrainSamples: 2, TestSamples: 2, Loss: phe.Expected,
		KLWeight: 1, LearningRate: 0.1, BatchSize: 3, Scope: phe.AllColumns}, learn.Options{}, batch)
	filetest.Check(t, learner.Fit([]int32{0, 1, 2}, 20))
	learned := filetest.Must(learner.Beliefs(0))(t)
	l := newLayered(t, c)
	l.kl(t)
	for name, from := range map[string]belief.Table{"E": learned.E, "W": learned.W} {
		mean := l.variable(name + "_mean")
		filetest.Check(t, mean.SetValue(table(belief.Converted[float32](from.Mean), mean.Shape().Dimensions...)))
	}
	got, _ := l.call(t, false, filetest.Must(phe.IDs(columns, rows))(t), func(scope *model.Scope, ids *Node) *Node {
		return l.layer(scope, ids).Done()
	})
	at := filetest.Must(newEncoder(t, c).Items(batch.Items))(t)
	for i, v := range got {
		item, want := int(batch.Index[i/5]), 0.0
		for k := range 3 {
			want += learned.W.Mean[int(at.Weights[item])*3+k] * learned.E.Mean[int(at.Buckets[item*3+k])*5+i%5]
		}
		filetest.Near(t, float64(v), want, 1e-6*(1+math.Abs(want)), "entry %d", i)
	}
}

// The loss of several samples is the mean of their losses, weights included, and a forecast is the mean of their probabilities.
func TestSamplesAreAveraged(t *testing.T) {
	outputs, labels, weights := []float32{1, 2, 5, 8}, []float32{0, 4}, []float32{1, 3}
	run := filetest.Must(NewExec(nettest.Backend(t), func(outputs, labels, weights *Node) []*Node {
		return []*Node{phe.RepeatLabels(loss.MeanSquaredError)([]*Node{labels, weights}, []*Node{outputs}), phe.AverageSamples(outputs, 2)}
	}))(t)
	out := filetest.Must(run.Call(outputs, labels, weights))(t)
	filetest.Want(t, tensors.ToScalar[float32](out[0]), (1*1+3*4+1*25+3*16)/4., "the loss")
	filetest.Want(t, out[1].Value().([]float32), []float32{3, 5}, "the forecasts")
	for _, labels := range []any{[]float32{0, 4, 1}, float32(1), make([]float32, 5)} {
		_, err := run.Call(outputs, labels, weights)
		filetest.WantError(t, err, "give [batch, …] and [samples·batch, …]")
	}
}

// An impossible configuration is an error, which names a possible one.
func TestLayerRefuses(t *testing.T) {
	plain := layerConfig(phe.Posterior)
	maximum, authors, certain := plain, plain, plain
	maximum.Assembly, maximum.NumWeights = phe.Maximum, 0
	authors.Hash, certain.InitialLogStdDev = hash.Authors, math.Log(0)
	vocabulary := phe.Config{Rows: phe.Vocabulary, Estimate: phe.Posterior, EmbeddingDim: 5, Capacity: 7}
	rows := func(n int) func(*phe.Layer) { return func(l *phe.Layer) { l.Rows(n) } }
	for _, c := range []struct {
		phe.Config
		ids   any
		key   string
		value any
		set   func(*phe.Layer)
		want  string
	}{
		{plain, [][]int64{{1}}, "", nil, rows(0), "give the number of rows of the training set"},
		{plain, [][]int64{{1}}, phe.ParamScheme, "all", rows(1), `no scheme "all"`},
		{plain, [][]int64{{1}}, phe.ParamScheme, phe.Items, rows(1), `no scheme "items"`},
		{maximum, [][]int64{{1}}, phe.ParamScheme, "local", rows(1), `"max" has no scheme "local"`},
		{plain, [][]int64{{1}}, phe.ParamSamples, -1, rows(1), "-1 samples"},
		{plain, [][]int64{{1}}, phe.ParamKLWeight, math.NaN(), rows(1), "KL weight of NaN"},
		{plain, [][]int64{{1}}, phe.ParamDType, "int32", rows(1), "give a type of floats"},
		{plain, [][]int64{{1}}, "", nil, func(l *phe.Layer) { l.Rows(1).Buckets(1) }, "num_buckets (B) is 1"},
		{certain, [][]int64{{1}}, "", nil, rows(1), "the initial σ is 0"},
		{authors, [][]int64{{1}}, "", nil, rows(1), `have "hash" and "authors"`},
		{vocabulary, [][]int64{{1}}, "", nil, rows(1), "layers.Embedding takes a known vocabulary"},
		{plain, [][]float32{{1}}, "", nil, rows(1), "give integers"},
		{plain, []int64{1}, "", nil, rows(1), "a single column"},
	} {
		l := newLayered(t, c.Config)
		l.store.SetParam("/"+c.key, c.value)
		run, err := model.NewExec1(nettest.Backend(t), l.store, func(scope *model.Scope, ids *Node) *Node {
			l.store.SetTraining(ids.Graph(), true)
			layer := l.layer(scope, ids)
			c.set(layer)
			return layer.Done()
		})
		filetest.Check(t, err)
		filetest.WantError(t, filetest.Failure(run.Call(c.ids)), c.want)
	}
}
