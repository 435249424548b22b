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

// Layer puts an encoder under any GoMLX model: its tables are variables of a model.Store, trained by whatever optimiser
// trains the rest. The paper calls this the plug-in (Sec. 1).
//
// On the host, [Layer.Rows] turns items into the two tensors that are the model's inputs. In the model, [Layer.Embed]
// gives the embeddings and [Layer.KL] the term to add to the loss. After each block of data, [Layer.PosteriorToPrior]
// makes what was learned the prior of what comes next.
type Layer struct {
	encoder *Encoder
	samples int
	seed    int64
}

// NewLayer makes a layer that draws a number of Monte Carlo samples, anew for every row, column and hash (Eq. 27).
// seed draws the initial means; the noise of training comes from the Store's own generator.
func NewLayer(config Config, samples int, seed int64) (*Layer, error) {
	encoder, err := NewEncoder(config)
	if err != nil {
		return nil, err
	}
	if samples < 1 {
		return nil, errors.Errorf("samples is %d; a layer needs at least 1", samples)
	}
	return &Layer{encoder: encoder, samples: samples, seed: seed}, nil
}

// Rows turns items, rows of columns of equal number, into table rows: buckets [batch, columns, hashes] and weights
// [batch, columns], both int32. Write items as column_value, so that equal values of two columns are two items.
func (l *Layer) Rows(items [][]string) (buckets, weights *tensors.Tensor, err error) {
	if len(items) == 0 || len(items[0]) == 0 {
		return nil, nil, errors.Errorf("no items; give at least one row of one column")
	}
	columns := len(items[0])
	var flat []string
	for i, row := range items {
		if len(row) != columns {
			return nil, nil, errors.Errorf("row %d has %d items and row 0 has %d; give every row as many", i, len(row), columns)
		}
		flat = append(flat, row...)
	}
	rows, err := l.encoder.Items(flat)
	if err != nil {
		return nil, nil, err
	}
	if len(rows.Weights) == 0 {
		rows.Weights = make([]int32, len(flat)) // no table W: the graph does not look at them
	}
	return tensors.FromFlatDataAndDimensions(rows.Buckets, len(items), columns, l.encoder.config.RowsPerItem()),
		tensors.FromFlatDataAndDimensions(rows.Weights, len(items), columns), nil
}

// Embed returns the embeddings [samples, batch, columns, dim] float32 of the rows that Rows found; a point estimate has
// one sample. The tables are variables in scope.
func (l *Layer) Embed(scope *model.Scope, buckets, weights *Node) *Node {
	g := buckets.Graph()
	slots := Slots{Buckets: buckets}
	if l.encoder.config.HasWeights() {
		slots.Weights = weights
	}
	tables, _ := l.tables(scope, g)
	halves := ConvertDType(MulScalar(scope.RandomUniform(g, shapes.Make(dtypes.Float32, 2)), 1<<16), dtypes.Uint32)
	key := Add(MulScalar(Slice(halves, AxisRange(0, 1)), 1<<16), Slice(halves, AxisRange(1, 2)))
	return l.encoder.sampleSlots(tables, slots, l.samples, NewNoise(key))
}

// KL is the divergence of the tables from their prior, in nats, a scalar: add it, divided by the number of rows that the
// training set has, to a mean loss (Eqs. 2 and 3).
func (l *Layer) KL(scope *model.Scope, g *Graph) *Node {
	tables, prior := l.tables(scope, g)
	return tables.KL(prior)
}

// PosteriorToPrior makes the posterior the prior of the next block of data (Sec. 3.3). It copies values, so nothing is
// compiled anew. Start a fresh optimiser with it, as the paper's authors do.
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
			if v == nil { // a table that its user has frozen stays so
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
