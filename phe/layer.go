package phe

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/pkg/errors"
)

// Layer puts an [Encoder] under any GoMLX model. Its tables are variables of a model.Store, and the optimiser of the
// model trains them. The paper calls this the plug-in (Sec. 1).
//
// On the host, [Layer.Rows] turns items into a tensor, which is an input of the model. In the model, [Layer.Embed] returns
// embeddings, and [Layer.KL] returns the term to add to the loss. After each block of data, call [Layer.PosteriorToPrior]
// and [ClearOptimizer]. A GoMLX checkpoint does not say which variables are trained: after one is loaded, freeze again what you
// had frozen. The layer itself keeps its prior and the Store's random state from the optimiser.
type Layer struct {
	encoder *Encoder
	seed    int64
}

// NewLayer validates the configuration and returns a layer. seed draws the initial means. The noise of the samples comes
// from the Store's own generator.
func NewLayer(config Config, seed int64) (*Layer, error) {
	encoder, err := NewEncoder(config)
	if err != nil {
		return nil, err
	}
	return &Layer{encoder: encoder, seed: seed}, nil
}

// Rows turns a batch of items into the input of Embed, [batch, columns, hashes + 1] int32: the buckets and the row of W of each
// item. items is [batch][columns], and every row must have the same number of columns. Write an item as column_value, so that equal
// values of two columns are two items.
func (l *Layer) Rows(items [][]string) (*tensors.Tensor, error) {
	if len(items) == 0 || len(items[0]) == 0 {
		return nil, errors.Errorf("no items; give at least one row of one column")
	}
	columns, hashes := len(items[0]), l.encoder.Config.RowsPerItem()
	for i, row := range items {
		if len(row) != columns {
			return nil, errors.Errorf("row %d has %d items and row 0 has %d; give every row the same number", i, len(row), columns)
		}
	}
	found, err := l.encoder.Items(slices.Concat(items...))
	if err != nil {
		return nil, err
	}
	flat := make([]int32, 0, len(items)*columns*(hashes+1))
	for i := range len(items) * columns {
		flat = append(append(flat, found.Buckets[i*hashes:(i+1)*hashes]...), 0)
		if len(found.Weights) > 0 {
			flat[len(flat)-1] = found.Weights[i]
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, len(items), columns, hashes+1), nil
}

// Embed returns Monte Carlo embeddings [samples, batch, columns, dim] float32 of the items that Rows found. It takes the schemes
// Fresh, Local and Table, and one layer can draw 10 samples to train and 100 to predict. Each call draws its own noise. A point
// estimate has one sample. The tables are variables in scope. Embed panics if the scheme or the number of samples is impossible.
func (l *Layer) Embed(scope *model.Scope, rows *Node, scheme Scheme, samples int) *Node {
	c, g := l.encoder.Config, rows.Graph()
	switch {
	case scheme != Fresh && scheme != Local && scheme != Table:
		panic(errors.Errorf("a layer has no scheme %q; choose %q, %q or %q", scheme, Fresh, Local, Table))
	case scheme == Local && !c.Assembly.IsLinear():
		panic(errors.Errorf("scheme %q needs an assembly that is linear in E, and %q is not: choose %q or %q", scheme, c.Assembly, Fresh, Table))
	case samples < 1:
		panic(errors.Errorf("samples is %d; draw at least 1", samples))
	}
	hashes := c.RowsPerItem()
	rows.AssertDims(-1, -1, hashes+1)
	batch, columns := rows.Shape().Dim(0), rows.Shape().Dim(1)
	flat := Reshape(rows, batch*columns, hashes+1)
	slots := Slots{Buckets: Slice(flat, AxisRange(), AxisRange(0, hashes))}
	if c.NumWeights > 0 {
		slots.Weights = Squeeze(Slice(flat, AxisRange(), AxisElem(hashes)), -1)
	}
	index := Reshape(Iota(g, shapes.Make(dtypes.Int32, batch*columns), 0), batch, columns)
	tables, _ := l.tables(scope, g)
	return l.encoder.Embed(tables, slots, index, scheme, samples, l.noise(scope, g))
}

// noise returns a generator with a fresh key from the Store's generator. A point estimate needs none.
func (l *Layer) noise(scope *model.Scope, g *Graph) Noise {
	if l.encoder.Config.Estimate == Point {
		return Noise{}
	}
	halves := ConvertDType(MulScalar(scope.RandomUniform(g, shapes.Make(dtypes.Float32, 2)), 1<<16), dtypes.Uint32)
	key := Add(MulScalar(Slice(halves, AxisRange(0, 1)), 1<<16), Slice(halves, AxisRange(1, 2)))
	return Noise{key}
}

// KL returns the divergence of the tables from their prior in nats, a float32 scalar (Eqs. 2 and 3). Divide it by the
// number of rows of the training set and add it to a mean loss. A point estimate has a KL of 0.
func (l *Layer) KL(scope *model.Scope, g *Graph) *Node {
	tables, prior := l.tables(scope, g)
	return tables.KL(prior)
}

// PosteriorToPrior makes the posterior the prior of the next block of data (Sec. 3.3). It copies values, so nothing
// recompiles. The paper's authors start a fresh optimiser with each block; [ClearOptimizer] does that.
func (l *Layer) PosteriorToPrior(scope *model.Scope) error {
	if l.encoder.Config.Estimate == Point {
		return nil
	}
	names := []string{"E"}
	if l.encoder.Config.NumWeights > 0 {
		names = append(names, "W")
	}
	for _, table := range names {
		for _, part := range []string{"mean", "log_std_dev"} {
			posterior, prior := scope.GetVariable(table+"_"+part), scope.GetVariable(table+"_prior_"+part)
			if posterior == nil || prior == nil {
				return errors.Errorf("scope %q has no table %s yet; train a step first", scope.Scope(), table)
			}
			value, err := posterior.Value()
			if err == nil {
				value, err = value.LocalClone()
			}
			if err == nil {
				err = prior.SetValue(value)
			}
			if err != nil {
				return errors.WithMessagef(err, "setting the prior of table %s", table)
			}
		}
	}
	return nil
}

// tables reads posterior and prior from the scope's variables, and creates them at first use.
func (l *Layer) tables(scope *model.Scope, g *Graph) (posterior, prior Tables) {
	c := l.encoder.Config
	if state := scope.Store().GetVariable(model.RNGStateVariableName); state != nil {
		state.Trainable = false // GoMLX trains all that it loads from a checkpoint
	}
	read := func(table string, rows, cols int) (q, p Gaussian) {
		variable := func(name string, initial func() *tensors.Tensor, trainable bool) *Node {
			v := scope.GetVariable(table + "_" + name)
			if v == nil {
				v = scope.VariableWithValue(table+"_"+name, initial())
			}
			v.Trainable = v.Trainable && trainable // a table that its user has frozen stays so
			return v.NodeValue(g)
		}
		mean := variable("mean", func() *tensors.Tensor { return l.initialMean(table, rows, cols) }, true)
		if c.Estimate == Point {
			return FromLogStdDev(mean, nil), Gaussian{}
		}
		all := func(x float64) func() *tensors.Tensor {
			return func() *tensors.Tensor { return tensors.FromScalarAndDimensions(float32(x), rows, cols) }
		}
		logStdDev := variable("log_std_dev", all(c.InitialLogStdDev), true)
		priorMean, priorLogStdDev := variable("prior_mean", all(0), false), variable("prior_log_std_dev", all(0), false)
		return FromLogStdDev(mean, logStdDev), FromLogStdDev(priorMean, priorLogStdDev)
	}
	posterior.E, prior.E = read("E", c.TableRows(), c.EmbeddingDim)
	if c.NumWeights > 0 {
		posterior.W, prior.W = read("W", c.NumWeights, c.NumHashes)
	}
	return
}

// initialMean draws a table's means as the configuration says.
func (l *Layer) initialMean(table string, rows, cols int) *tensors.Tensor {
	rng := rand.New(rand.NewPCG(uint64(l.seed), uint64(NoiseKey(l.seed, table))))
	mean := make([]float32, rows*cols)
	for i := range mean {
		mean[i] = float32(cmp.Or(l.encoder.Config.InitialMeanStdDev, 1) * rng.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(mean, rows, cols)
}
