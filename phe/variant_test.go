package phe_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"gophe/phe"
	"gophe/phe/disk/filetest"
	"gophe/phe/hash"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/learn/likelihood"
)

// A researcher's own parts: two g and a prior.
var (
	doubled = phe.NewAssembly("doubled", true, func(e, _ *Node) *Node { return MulScalar(ReduceSum(e, -2), 2) })
	product = phe.NewAssembly("product", false, func(e, _ *Node) *Node { // of two; GoMLX's ReduceMultiply has no gradient
		return Squeeze(Mul(SliceAxis(e, -2, AxisElem(0)), SliceAxis(e, -2, AxisElem(1))), -2)
	})
	narrow = phe.NewPrior("narrow", func(q phe.Tables) phe.Tables { return q.NormalPrior(1, 0.3) })
)

// variantConfig has one coordinate. Item a has rows of its own.
func variantConfig(g phe.Assembly, hashes int) phe.Config {
	return phe.Config{Rows: phe.Hashed, Estimate: phe.Posterior, EmbeddingDim: 1, NumBuckets: 5, NumHashes: hashes, Assembly: g,
		Prior: narrow,
		Hash:  hash.CarterWegman, HashSeed: 3, InitialLogStdDev: -1.5, InitialMeanStdDev: 0.1}
}

// meanField is the best Gaussian for each of the rows x of an item that was seen n times with the value y, −ln p(y|x) = (y − g(x))² and the
// prior of each row N(mean, sd²): coordinate ascent in closed form.
func meanField(g phe.Assembly, n, y, mean, sd float64) (m, s float64) {
	m, s = mean, sd
	for range 1000 { // of two equal rows, whose product is g; or of one, which is doubled
		slope, square := 2.0, 4.0
		if g == product {
			slope, square = m, m*m+s*s
		}
		precision := 1/(sd*sd) + 2*n*square
		m, s = (mean/(sd*sd)+2*n*y*slope)/precision, 1/math.Sqrt(precision)
	}
	return m, s
}

// Two g and a prior of one's own run in phe/learn and in phe.New. The posterior is the closed form of each, after the initial data and
// after a block whose prior is the last posterior. Rows that no item uses have the prior itself.
func TestOwnAssemblyAndPrior(t *testing.T) {
	for _, own := range []struct {
		g      phe.Assembly
		hashes int
		scheme phe.Scheme
	}{{doubled, 1, phe.Quadrature}, {product, 2, phe.Fresh}} {
		c := variantConfig(own.g, own.hashes)
		first, s := meanField(own.g, 8, 3, 1, 0.3)
		second, _ := meanField(own.g, 4, 1, first, s)
		used := filetest.Must(phe.NewEncoder(c))(t)
		rows := filetest.Must(used.Items([]string{"c_a"}))(t).Buckets
		for name, means := range map[string][2][]float32{"learn": ownInLearn(t, c, own.scheme), "New": ownInNew(t, c)} {
			for block, want := range []float64{first, second} {
				for row, got := range means[block] {
					expected := 1.0
					if slices.Contains(rows, int32(row)) {
						expected = want
					}
					// The tolerance is the gradient's noise at Adam's rate of 0.01.
					filetest.Near(t, float64(got), expected, 0.04, "%s in %s, block %d: row %d", own.g, name, block, row)
				}
			}
			moves := math.Abs(first-1) > 0.1 && math.Abs(second-first) > 0.1
			filetest.True(t, moves, "the posterior moves too little to see: 1, %.3f, %.3f", first, second)
		}
	}
}

// blocks are a's values: the initial values and the values of a later block.
var blocks = [2][]float32{{3, 3, 3, 3, 3, 3, 3, 3}, {1, 1, 1, 1}}

const variantSteps = 400

// ownInLearn returns the means of table E after each block, learned by phe/learn.
func ownInLearn(t *testing.T, c phe.Config, scheme phe.Scheme) (means [2][]float32) {
	l := ownLearner(t, c, scheme)
	for i, values := range blocks {
		b := filetest.Must(learn.NewBatch([]string{"c"}, slices.Repeat([][]string{{"a"}}, len(values))))(t)
		b.Targets = values
		filetest.Check(t, []func(*learn.Batch, int) error{l.Fit, l.Update}[i](b, variantSteps))
		means[i] = filetest.Must(l.Snapshot())(t).Parameters[0]
	}
	return means
}

func ownLearner(t *testing.T, c phe.Config, scheme phe.Scheme) *learn.Learner {
	network := learn.Network{Columns: 1, Likelihood: likelihood.Gaussian(math.Sqrt(0.5)), Outputs: func(p learn.Pass) learn.Outputs {
		g := p.Targets.Graph()
		one := func(dims ...int) *Node { return BroadcastToDims(Const(g, float32(1)), dims...) }
		return learn.Outputs{Parameters: p.Linear(one(p.Runs, 1, 1, 1), ZerosLike(one(p.Runs, p.Records, 1))),
			Targets: Reshape(p.Targets, -1)}
	}}
	l, err := learn.New(network, learn.Config{Encoder: c, Scheme: scheme, TrainSamples: 32, TestSamples: 1, Loss: phe.Expected, KLWeight: 1,
		LearningRate: 0.01, BatchSize: 8, Scope: phe.AllColumns}, learn.Options{Backend: nettest.Backend(t)})
	filetest.Check(t, err)
	t.Cleanup(l.Close)
	return l
}

// ownInNew is ownInLearn by phe.New.
func ownInNew(t *testing.T, c phe.Config) (means [2][]float32) {
	l, adam := newLayered(t, c), optimizer.Adam().LearningRate(0.01).Done()
	trainer := train.NewTrainer(nettest.Backend(t), l.store, func(scope *model.Scope, ids *Node) *Node {
		return Squeeze(l.layer(scope, ids).Rows(len(blocks[0])).Samples(32).Done(), -1)
	}, phe.RepeatLabels(loss.MeanSquaredError), adam, nil, nil)
	for i, values := range blocks {
		if i > 0 {
			filetest.Check(t, phe.NextBlock(l.store, adam, len(values)))
		}
		for range variantSteps {
			ids := filetest.Must(phe.IDs([]string{"c"}, slices.Repeat([][]string{{"a"}}, len(values))))(t)
			labels := tensors.FromFlatDataAndDimensions(slices.Clone(values), len(values), 1)
			filetest.Must(trainer.TrainStep(train.Batch{Inputs: []*tensors.Tensor{ids}, Labels: []*tensors.Tensor{labels}}))(t)
		}
		means[i] = l.get(t, "E_mean")
	}
	return means
}

// A g that is not linear is refused by the schemes that rely on it, in both. So is a linear one by those that need the moments of its
// weights, and a name without its function.
func TestOwnAssemblyRefused(t *testing.T) {
	refused := func(c phe.Config, scheme phe.Scheme, want string) {
		t.Helper()
		err := learn.Config{Encoder: c, Scheme: scheme, TrainSamples: 1, TestSamples: 1, Loss: phe.Expected, KLWeight: 1, LearningRate: 1,
			BatchSize: 1, Scope: phe.AllColumns}.Validate()
		filetest.WantError(t, err, want)
	}
	for _, scheme := range []phe.Scheme{phe.Local, phe.Moments, phe.Quadrature} {
		refused(variantConfig(product, 2), scheme, `"product" has not; use scheme "items"`)
	}
	weighted := variantConfig(doubled, 2)
	weighted.NumWeights = 3
	refused(weighted, phe.Moments, "moments")
	for name, damage := range map[string]func(*phe.Config){
		"phe.NewAssembly's value": func(c *phe.Config) { filetest.Check(t, json.Unmarshal([]byte(`{"assembly": "doubled"}`), c)) },
		"a name of its own":       func(c *phe.Config) { c.Assembly = phe.NewAssembly("sum", true, func(e, _ *Node) *Node { return e }) },
		"phe.NewPrior's value":    func(c *phe.Config) { filetest.Check(t, json.Unmarshal([]byte(`{"prior": "narrow"}`), c)) },
		"of a point":              func(c *phe.Config) { c.Estimate = phe.Point },
	} {
		c := variantConfig(doubled, 1)
		damage(&c)
		refused(c, phe.Fresh, name)
	}
	inNew := func(c phe.Config, scheme phe.Scheme) error {
		l := newLayered(t, c)
		l.store.SetParam("/"+phe.ParamScheme, scheme)
		run, err := model.NewExec1(nettest.Backend(t), l.store, func(scope *model.Scope, ids *Node) *Node {
			return l.layer(scope, ids).Done()
		})
		filetest.Check(t, err)
		_, err = run.Call([][]int64{{1}})
		return err
	}
	filetest.WantError(t, inNew(variantConfig(product, 2), phe.Local), `has no scheme "local"`)
	filetest.WantError(t, inNew(variantConfig(phe.NewAssembly("whole", false, func(e, _ *Node) *Node { return e }), 2), phe.Fresh),
		"axis of hashes")
}

// A linear g of one's own has the logit's mean and variance in closed form under all schemes: with weights, a_k = w_k/3, and without, 1/3.
func TestOwnLinearAssembly(t *testing.T) {
	const samples = 3001
	third := func(e, w *Node) *Node {
		if w != nil {
			e = Mul(e, InsertAxes(w, -1))
		}
		return MulScalar(ReduceSum(e, -2), 1./3)
	}
	for _, own := range []struct {
		like    phe.Assembly
		schemes []phe.Scheme
	}{{phe.WeightedSum, []phe.Scheme{phe.Fresh, phe.Local, phe.Table}}, {phe.PlainSum, []phe.Scheme{phe.Fresh, phe.Local, phe.Moments}}} {
		m := newToy(own.like, 6)
		m.config.Assembly = phe.NewAssembly("own mean", true, third)
		for _, scheme := range own.schemes {
			for _, m.embedded = range []bool{false, scheme == phe.Local} {
				for row, x := range m.sample(t, scheme, samples) {
					m.wantMoments(t, x, row, scheme == phe.Table)
				}
			}
		}
	}
}

// A file holds the names. A learner with the values of these names reads it, and goes on with the same bits. Any other is refused, and
// told what to do.
func TestOwnLearnerSaved(t *testing.T) {
	c := variantConfig(doubled, 1)
	l := ownLearner(t, c, phe.Local)
	var file bytes.Buffer
	filetest.Must(l.WriteTo(&file))(t)
	filetest.WantWords(t, file.String(), `"assembly":"doubled"`, `"prior":"narrow"`)
	same := ownLearner(t, c, phe.Local)
	filetest.Must(same.ReadFrom(bytes.NewReader(file.Bytes())))(t)
	filetest.Want(t, filetest.Must(same.Snapshot())(t), filetest.Must(l.Snapshot())(t), "the learner that was read")
	for _, other := range []func(*phe.Config){
		func(c *phe.Config) { c.Assembly = phe.PlainSum },
		func(c *phe.Config) { c.Prior = phe.Prior{} },
		func(c *phe.Config) {
			c.Assembly = phe.NewAssembly("tripled", true, func(e, _ *Node) *Node { return ReduceSum(e, -2) })
		},
	} {
		c := variantConfig(doubled, 1)
		other(&c)
		_, err := ownLearner(t, c, phe.Local).ReadFrom(bytes.NewReader(file.Bytes()))
		filetest.WantError(t, err, "the values of the file's names")
	}
}
