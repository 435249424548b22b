package phe

import (
	"cmp"
	"math/rand/v2"

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
// On the host, [Layer.Rows] turns items into two tensors, which are inputs of the model. In the model, [Layer.Embed]
// returns embeddings or [Layer.Logits] returns the logits of a linear head. [Layer.KL] returns the term to add to the
// loss. After each block of data, call [Layer.PosteriorToPrior] and [ClearOptimizer].
//
// Embed and Logits take the scheme and the number of samples at each call. One layer can draw 10 samples to train and
// 100 to predict, from the same tables.
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

// extraEntries is the number of entries of a slot after the buckets: the row of W and the column.
const extraEntries = 2

// Rows turns a batch of items into the inputs of Embed and Logits, both int32. items is [batch][columns], and every row
// must have the same number of columns. Write an item as column_value, so that equal values of two columns are two items.
//
// slots is [distinct, hashes + 2]. Each slot holds the buckets, the row of W and the column of one distinct item. index is
// [batch, columns]. Each entry is the number of its item's slot.
//
// A model compiles once for every shape of its inputs. Rows therefore pads the slots with zeros, which index never points
// to. The number of slots is batch·columns or a half, a quarter or an eighth of it, rounded up. Batches of one shape thus
// compile at most four times.
func (l *Layer) Rows(items [][]string) (index, slots *tensors.Tensor, err error) {
	if len(items) == 0 || len(items[0]) == 0 {
		return nil, nil, errors.Errorf("no items; give at least one row of one column")
	}
	type cell struct {
		column int
		item   string
	}
	columns := len(items[0])
	numbers := map[cell]int32{}
	var at, column []int32
	var distinct []string
	for i, row := range items {
		if len(row) != columns {
			return nil, nil, errors.Errorf("row %d has %d items and row 0 has %d; give every row the same number", i, len(row), columns)
		}
		for c, item := range row {
			number, known := numbers[cell{c, item}]
			if !known {
				number = int32(len(distinct))
				numbers[cell{c, item}] = number
				distinct, column = append(distinct, item), append(column, int32(c))
			}
			at = append(at, number)
		}
	}
	found, err := l.encoder.Items(distinct)
	if err != nil {
		return nil, nil, err
	}
	hashes := l.encoder.config.RowsPerItem()
	size := paddedSize(len(distinct), len(at))
	flat := make([]int32, size*(hashes+extraEntries))
	for i := range distinct {
		slot := flat[i*(hashes+extraEntries):]
		copy(slot, found.Buckets[i*hashes:(i+1)*hashes])
		if len(found.Weights) > 0 {
			slot[hashes] = found.Weights[i]
		}
		slot[hashes+1] = column[i]
	}
	return tensors.FromFlatDataAndDimensions(at, len(items), columns),
		tensors.FromFlatDataAndDimensions(flat, size, hashes+extraEntries), nil
}

// paddedSize returns the smallest of cells, a half, a quarter and an eighth of it that is at least distinct.
func paddedSize(distinct, cells int) int {
	size := cells
	for range 3 {
		if half := (size + 1) / 2; distinct <= half {
			size = half
		}
	}
	return size
}

// Embed returns Monte Carlo embeddings [samples, batch, columns, dim] float32 of the items that Rows found. It takes the
// schemes Fresh, Local, Items and Table; see [Encoder.Embed]. Each call draws its own noise. A point estimate has one
// sample. The tables are variables in scope. Embed panics if the scheme or the number of samples is impossible.
func (l *Layer) Embed(scope *model.Scope, index, slots *Node, scheme Scheme, samples int) *Node {
	l.check(scheme, samples)
	tables, _ := l.tables(scope, index.Graph())
	items, _ := l.split(slots)
	return l.encoder.Embed(tables, items, index, scheme, samples, l.noise(scope, index.Graph(), scheme))
}

// Logits returns the logits [samples, batch] float32 of a linear head with one output, without sampling embeddings. It
// takes the schemes Local, Moments and Quadrature; see [LinearItems.Logits]. head is [columns, dim] float32: the weights
// of the head. base is [batch] float32: the sum of all other terms, such as a bias. A point estimate has one sample,
// and Quadrature has a fixed number; weigh them by [Scheme.SampleWeights]. Logits panics if the scheme or the number of
// samples is impossible.
func (l *Layer) Logits(scope *model.Scope, index, slots, head, base *Node, scheme Scheme, samples int) *Node {
	l.check(scheme, samples)
	if !scheme.NeedsLinearAssembly() {
		panic(errors.Errorf("scheme %q samples embeddings: use Embed, or choose %q, %q or %q", scheme, Local, Moments, Quadrature))
	}
	tables, _ := l.tables(scope, index.Graph())
	items, columns := l.split(slots)
	head.AssertDims(index.Shape().Dim(1), l.encoder.config.EmbeddingDim)
	linear := l.encoder.Linear(tables, items, columns, InsertAxes(head, 0), nil)
	return linear.Logits(index, base, scheme, samples, l.noise(scope, index.Graph(), scheme))
}

// check panics if the layer does not support the scheme or the number of samples.
func (l *Layer) check(scheme Scheme, samples int) {
	if err := scheme.Validate(); err != nil {
		panic(err)
	}
	assembly := l.encoder.config.Assembly
	if scheme.NeedsLinearAssembly() && !assembly.IsLinear() {
		panic(errors.Errorf("scheme %q needs an assembly that is linear in E, and %q is not: choose %q, %q or %q", scheme, assembly,
			Fresh, Items, Table))
	}
	if samples < 1 {
		panic(errors.Errorf("samples is %d; draw at least 1", samples))
	}
}

// split returns the two parts of slots: the encoder's slots, and the column of each item, [distinct] int32.
func (l *Layer) split(slots *Node) (items Slots, columns *Node) {
	hashes := l.encoder.config.RowsPerItem()
	slots.AssertDims(-1, hashes+extraEntries)
	entry := func(i int) *Node { return Squeeze(Slice(slots, AxisRange(), AxisElem(i)), -1) }
	items.Buckets = Slice(slots, AxisRange(), AxisRange(0, hashes))
	if l.encoder.config.HasWeights() {
		items.Weights = entry(hashes)
	}
	return items, entry(hashes + 1)
}

// noise returns a generator with a fresh key from the Store's generator. It leaves the Store's generator alone if nothing
// is drawn.
func (l *Layer) noise(scope *model.Scope, g *Graph, scheme Scheme) Noise {
	if scheme == Quadrature || l.encoder.config.Estimate == Point {
		return Noise{}
	}
	halves := ConvertDType(MulScalar(scope.RandomUniform(g, shapes.Make(dtypes.Float32, 2)), 1<<16), dtypes.Uint32)
	key := Add(MulScalar(Slice(halves, AxisRange(0, 1)), 1<<16), Slice(halves, AxisRange(1, 2)))
	return NewNoise(key)
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
	for _, table := range l.layout() {
		if table.isPoint {
			continue
		}
		for _, part := range []string{"mean", "log_std_dev"} {
			posterior, prior := scope.GetVariable(table.name+"_"+part), scope.GetVariable(table.name+"_prior_"+part)
			if posterior == nil || prior == nil {
				return errors.Errorf("scope %q has no table %s yet; train a step first", scope.Scope(), table.name)
			}
			value, err := posterior.Value()
			if err == nil {
				value, err = value.LocalClone()
			}
			if err != nil {
				return errors.WithMessagef(err, "reading table %s", table.name)
			}
			if err := prior.SetValue(value); err != nil {
				return errors.WithMessagef(err, "setting the prior of table %s", table.name)
			}
		}
	}
	return nil
}

// tableLayout names one table and its shape.
type tableLayout struct {
	name       string
	rows, cols int
	isPoint    bool
}

func (l *Layer) layout() []tableLayout {
	c := l.encoder.config
	isPoint := c.Estimate == Point
	tables := []tableLayout{{"E", c.TableRows(), c.EmbeddingDim, isPoint}}
	if c.HasWeights() {
		tables = append(tables, tableLayout{"W", c.NumWeights, c.NumHashes, isPoint})
	}
	return tables
}

// tables reads posterior and prior from the scope's variables, and creates them at first use.
func (l *Layer) tables(scope *model.Scope, g *Graph) (posterior, prior Tables) {
	read := func(table tableLayout) (q, p Gaussian) {
		variable := func(name string, initial func() *tensors.Tensor, trainable bool) *Node {
			v := scope.GetVariable(table.name + "_" + name)
			if v == nil { // an existing table may be frozen, and must stay frozen
				v = scope.VariableWithValue(table.name+"_"+name, initial()).SetTrainable(trainable)
			}
			return v.NodeValue(g)
		}
		mean := variable("mean", func() *tensors.Tensor { return l.initialMean(table) }, true)
		if table.isPoint {
			return FromLogStdDev(mean, nil), Gaussian{}
		}
		all := func(x float64) func() *tensors.Tensor {
			return func() *tensors.Tensor { return tensors.FromScalarAndDimensions(float32(x), table.rows, table.cols) }
		}
		logStdDev := variable("log_std_dev", all(l.encoder.config.InitialLogStdDev), true)
		priorMean, priorLogStdDev := variable("prior_mean", all(0), false), variable("prior_log_std_dev", all(0), false)
		return FromLogStdDev(mean, logStdDev), FromLogStdDev(priorMean, priorLogStdDev)
	}
	layout := l.layout()
	posterior.E, prior.E = read(layout[0])
	if len(layout) > 1 {
		posterior.W, prior.W = read(layout[1])
	}
	return
}

// initialMean draws a table's means as the configuration says.
func (l *Layer) initialMean(table tableLayout) *tensors.Tensor {
	rng := rand.New(rand.NewPCG(uint64(l.seed), uint64(NoiseKey(l.seed, table.name))))
	stdDev := cmp.Or(l.encoder.config.InitialMeanStdDev, 1)
	mean := make([]float32, table.rows*table.cols)
	for i := range mean {
		mean[i] = float32(stdDev * rng.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(mean, table.rows, table.cols)
}
