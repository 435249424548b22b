package phe

import (
	"cmp"
	"math"
	"regexp"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/pkg/errors"

	"gophe/phe/hash"
)

// Hyperparameters of a scope for [New], with their defaults. The methods of [Layer] override them.
const (
	ParamRows     = "phe_rows"            // int: rows of the training set; no default
	ParamBuckets  = "phe_buckets"         // int: B, 1024
	ParamHashes   = "phe_hashes"          // int: K, 3
	ParamWeights  = "phe_weights"         // int: P, as many as buckets
	ParamDim      = "phe_dim"             // int: d, 16
	ParamAssembly = "phe_assembly"        // Assembly, or the name of one of phe: g, WeightedSum
	ParamPrior    = "phe_prior"           // Prior: N(0, 1)
	ParamEstimate = "phe_estimate"        // string: Posterior
	ParamStdDev   = "phe_initial_std_dev" // float64: the initial σ, 0.01
	ParamHashSeed = "phe_hash_seed"       // int: draws the hash functions, 0
	ParamScheme   = "phe_scheme"          // string: Fresh, Local or Table; Local if the assembly is linear
	ParamSamples  = "phe_samples"         // int: see Layer.Samples
	ParamKLWeight = "phe_kl_weight"       // float64: 1, which is Bayes
	ParamDType    = "phe_dtype"           // string or dtypes.DType: of embeddings and KL, as of the loss, float32; tables are float32
)

// Layer is the configuration of a layer of embeddings. [New] makes it, and Done adds it to the graph.
type Layer struct {
	scope         *model.Scope
	ids           *Node
	config        Config
	scheme        Scheme
	dtype         dtypes.DType
	rows, samples int
	klWeight      float64
}

// New embeds integer ids under any GoMLX model, as fnn.New adds a network. The paper calls this the plug-in (Sec. 1). Any id may come at
// any time. It takes two lines in the model, and one after each block of data:
//
//	ids, err := phe.IDs([]string{"shop", "product"}, rows) // of strings, outside the graph: the trainer's input
//
//	embedded := phe.New(scope.In("phe"), ids).Rows(numRows).Buckets(1024).Dim(16).Done() // [batch, columns, 16] float32
//	logits := fnn.New(scope.In("fnn"), Reshape(embedded, batchSize, -1), 1).Done()
//
//	err := phe.NextBlock(store, optimizer, numRowsOfBlock) // the posterior becomes the prior (Sec. 3.3)
//
// Open the backend by backend.Open("auto") of phe/learn/backend. GoMLX's own gobackend.New("") runs operations in parallel, and two wide
// networks side by side can then wait for each other for ever.
//
// ids are [batch, …, columns] of any integer type; [IDs] makes them of texts. Each column has items of its own, so a sequence of items of
// one kind, [batch, sequence], is InsertAxes(ids, -1). Training draws an embedding for each id, and adds the KL of the tables to the
// model's losses, divided by the rows (Eq. 2). Prediction takes the mean of the posterior, the same every time, as after dropout.
// Forecasts that count the uncertainty take [Layer.Samples].
//
// The tables are variables of the scope, phe_E_mean, phe_E_log_std_dev and so on, which the model's optimiser trains. The means of E come
// from the scope's initialiser, and W's means from N(0, 1). A frozen variable stays frozen. A checkpoint of GoMLX keeps no such flag,
// so freeze again after one is loaded. The layer itself keeps the prior and the Store's random state from the optimiser.
func New(scope *model.Scope, ids *Node) *Layer {
	c := Config{
		Rows: Hashed, Hash: hash.CarterWegman, HashSeed: model.GetParamOr(scope, ParamHashSeed, int64(0)),
		NumBuckets: model.GetParamOr(scope, ParamBuckets, 1024), NumHashes: model.GetParamOr(scope, ParamHashes, 3),
		NumWeights: model.GetParamOr(scope, ParamWeights, 0), EmbeddingDim: model.GetParamOr(scope, ParamDim, 16),
		Assembly: model.GetParamOr(scope, ParamAssembly, WeightedSum), Estimate: model.GetParamOr(scope, ParamEstimate, Posterior),
		InitialLogStdDev: math.Log(model.GetParamOr(scope, ParamStdDev, 0.01)), Prior: model.GetParamOr(scope, ParamPrior, Prior{}),
	}
	return &Layer{scope, ids, c, model.GetParamOr(scope, ParamScheme, Scheme("")), model.GetParamOr(scope, ParamDType, dtypes.Float32),
		model.GetParamOr(scope, ParamRows, 0), model.GetParamOr(scope, ParamSamples, 0), model.GetParamOr(scope, ParamKLWeight, 1.0)}
}

// Rows gives the number of rows of the training set, which divides the KL until [NextBlock] gives another. A trained posterior needs it.
func (l *Layer) Rows(n int) *Layer { l.rows = n; return l }

// Buckets sets B, the rows of table E, and of the table of weights if no number is given for it.
func (l *Layer) Buckets(n int) *Layer { l.config.NumBuckets = n; return l }

// Hashes sets K, the rows of E that an item uses.
func (l *Layer) Hashes(k int) *Layer { l.config.NumHashes = k; return l }

// Dim sets d, the size of an embedding.
func (l *Layer) Dim(d int) *Layer { l.config.EmbeddingDim = d; return l }

// Config sets all that a [Config] says. If its InitialMeanStdDev is above 0, the means of both tables follow it.
func (l *Layer) Config(c Config) *Layer { l.config = c; return l }

// Samples makes the layer return n draws of each row, in training and in prediction: [n·batch, …, columns, dim], row by row of the first
// sample, then of the second. [RepeatLabels] averages their losses, and [AverageSamples] their probabilities, also in a metric of GoMLX,
// which gets all n·batch predictions. Points have one sample.
func (l *Layer) Samples(n int) *Layer { l.samples = n; return l }

// Done adds the layer to the graph: embeddings [batch, …, columns, dim]. It panics, as GoMLX's layers do, if the configuration is wrong.
func (l *Layer) Done() *Node {
	e, err := l.checked()
	if err != nil {
		panic(errors.WithMessage(err, "phe.New"))
	}
	g := l.ids.Graph()
	if state := l.scope.Store().GetVariable(model.RNGStateVariableName); state != nil {
		state.SetTrainable(false) // GoMLX trains all that it loads from a checkpoint
	}
	tables, training := l.tables(e.Config), l.scope.IsTraining(g)
	scheme, samples, noise := l.scheme, max(l.samples, 1), Noise{}
	switch {
	case e.Estimate == Point:
		samples = 1
	case l.samples == 0 && !training:
		tables, scheme = Tables{Gaussian{Mean: tables.E.Mean}, Gaussian{Mean: tables.W.Mean}}, Fresh
	default:
		halves := ConvertDType(MulScalar(l.scope.RandomUniform(g, shapes.Make(dtypes.Float32, 2)), 1<<16), dtypes.Uint32)
		noise.Keys = Add(MulScalar(Slice(halves, AxisRange(0, 1)), 1<<16), Slice(halves, AxisRange(1, 2)))
	}
	dims := append([]int{}, l.ids.Shape().Dimensions...)
	index := Iota(g, shapes.Make(dtypes.Int32, l.ids.Shape().Size()), 0)
	drawn := e.Embed(tables, e.FindIDs(l.ids), Reshape(index, -1, dims[len(dims)-1]), scheme, samples, noise)
	dims[0] *= samples
	return ConvertDType(Reshape(drawn, append(dims, e.EmbeddingDim)...), l.dtype)
}

// checked returns the layer's encoder, or the first thing wrong with the configuration.
func (l *Layer) checked() (*Encoder, error) {
	c, linear := l.config, l.config.Assembly.IsLinear()
	if c.Assembly == WeightedSum && c.NumWeights == 0 {
		c.NumWeights = c.NumBuckets
	}
	l.scheme = cmp.Or(l.scheme, map[bool]Scheme{true: Local, false: Fresh}[linear])
	switch {
	case !l.dtype.IsFloat():
		return nil, errors.Errorf("%s is %s; give a type of floats, such as float32", ParamDType, l.dtype)
	case l.scheme != Fresh && l.scheme != Table && (l.scheme != Local || !linear):
		return nil, errors.Errorf("assembly %q has no scheme %q in a layer; choose %q, %q or, if the assembly is linear, %q", c.Assembly,
			l.scheme, Fresh, Table, Local)
	case l.samples < 0 || !(l.klWeight >= 0 && l.klWeight <= math.MaxFloat64):
		return nil, errors.Errorf("there are %d samples and a KL weight of %g; give finite numbers from 0 on", l.samples, l.klWeight)
	case !(math.Exp(c.InitialLogStdDev) > 0):
		return nil, errors.Errorf("the initial σ is %g; give %s, or the configuration's InitialLogStdDev, so that it is above 0",
			math.Exp(c.InitialLogStdDev), ParamStdDev)
	case c.Estimate == Posterior && l.rows < 1 && l.scope.IsTraining(l.ids.Graph()):
		return nil, errors.Errorf("Rows is %d; give the number of rows of the training set, by which the KL is divided", l.rows)
	}
	return NewEncoder(c)
}

// tables reads the posterior from the scope's variables, which it creates at first use. In training it adds the KL to the losses.
func (l *Layer) tables(c Config) (posterior Tables) {
	g, prior := l.ids.Graph(), Tables{}
	read := func(table string, rows, cols int, means model.VariableInitializer) (q, p Gaussian) {
		value := func(name string, initial model.VariableInitializer, ours bool) *Node {
			v := l.scope.WithInitializer(initial).VariableWithShape("phe_"+table+"_"+name, shapes.Make(dtypes.Float32, rows, cols))
			return v.SetTrainable(v.Trainable && !ours).NodeValue(g)
		}
		if c.InitialMeanStdDev > 0 {
			means = initializer.RandomNormalFn(l.scope, c.InitialMeanStdDev)
		}
		mean := value("mean", means, false)
		if c.Estimate == Point {
			return Gaussian{Mean: mean}, p
		}
		initial := func(g *Graph, shape shapes.Shape) *Node { return AddScalar(Zeros(g, shape), c.InitialLogStdDev) }
		return FromLogStdDev(mean, value("log_std_dev", initial, false)),
			FromLogStdDev(value("prior_mean", initializer.Zero, true), value("prior_log_std_dev", initializer.Zero, true))
	}
	posterior.E, prior.E = read("E", c.NumBuckets, c.EmbeddingDim, l.scope.Initializer())
	if c.NumWeights > 0 {
		posterior.W, prior.W = read("W", c.NumWeights, c.NumHashes, initializer.RandomNormalFn(l.scope, 1))
	}
	added, _ := l.scope.GetGraphParam(g, "phe_kl") // by this scope, which may serve several inputs, or by one above
	if l.scope.IsTraining(g) && c.Estimate == Posterior && added != l.scope.Scope() {
		l.scope.SetGraphParam(g, "phe_kl", l.scope.Scope())
		v := l.scope.WithInitializer(initializer.Zero).VariableWithShape(ParamRows, shapes.Make(dtypes.Float32)).SetTrainable(false)
		block := v.NodeValue(g) // NextBlock sets it
		begun := GreaterThan(block, ZerosLike(block))
		rows := Where(begun, block, Scalar(g, dtypes.Float32, float64(l.rows)))
		kl := posterior.KL(prior)
		if c.Prior != (Prior{}) { // the variables hold N(0, 1) before the first block
			kl = Where(begun, kl, posterior.KL(c.Prior.Of(posterior)))
		}
		kl = Div(MulScalar(kl, l.klWeight), rows)
		train.AddRegularizationLoss(ConvertDType(kl, l.dtype)) // as the loss of the embeddings is
	}
	return posterior
}

var priorName = regexp.MustCompile(`^(phe_[EW]_)prior_(mean|log_std_dev)$`)

// NextBlock begins the next block of data: in all layers of the Store the posterior becomes the prior (Eq. 3), and the KL is divided by
// the block's rows. The optimiser starts fresh, as in the authors' program ([ClearOptimizer]). Nothing recompiles. A layer forgets if rows
// are more than the block has: twice as many halve the weight of the KL (Supp. C).
func NextBlock(store *model.Store, opt optimizer.Interface, rows int) error {
	trained := func(v *model.Variable) bool { // points have neither rows nor a prior
		return v.Name() == ParamRows && v.HasValue() ||
			v.Name() == "phe_E_mean" && store.GetVariable(model.JoinPath(v.Scope(), "phe_E_prior_mean")) == nil
	}
	switch {
	case rows < 1:
		return errors.Errorf("a block has %d rows; give at least one", rows)
	case !slices.ContainsFunc(slices.Collect(store.IterVariables()), trained):
		return errors.New("no layer of phe.New has learned; take a training step before, or read the checkpoint at once (Immediate)")
	}
	for v := range store.IterVariables() {
		value, err := tensors.FromScalar(float32(rows)), error(nil)
		if name := priorName.FindStringSubmatch(v.Name()); name != nil {
			if value, err = store.GetVariable(model.JoinPath(v.Scope(), name[1]+name[2])).Value(); err == nil {
				value, err = value.LocalClone()
			}
		} else if v.Name() != ParamRows {
			continue
		}
		if err != nil || v.SetValue(value) != nil {
			return errors.Errorf("%s cannot be set: its table has no value, or another shape; train a step first", v.Path())
		}
	}
	return ClearOptimizer(store, opt)
}

// RepeatLabels returns a loss for predictions of several samples, [samples·batch, …]. It repeats the labels, with their weights and masks.
// So it is the mean over samples of each sample's loss (Eq. 2), and never the loss of mean logits.
func RepeatLabels(of loss.LossFn) loss.LossFn {
	return func(labels, predictions []*Node) *Node {
		repeated, p := make([]*Node, len(labels)), predictions[0]
		for i, label := range labels {
			if label.IsScalar() || p.IsScalar() || p.Shape().Dim(0)%label.Shape().Dim(0) != 0 {
				panic(errors.Errorf("labels are %s and predictions %s; give [batch, …] and [samples·batch, …]", label.Shape(), p.Shape()))
			}
			repeated[i] = Concatenate(slices.Repeat([]*Node{label}, p.Shape().Dim(0)/label.Shape().Dim(0)), 0)
		}
		return of(repeated, predictions)
	}
}

// AverageSamples returns the forecast of a posterior, [batch, …]: the mean over samples of probabilities [samples·batch, …]. A probability
// of mean logits would be too sure, because it ignores the spread of the beliefs.
func AverageSamples(probabilities *Node, batch int) *Node {
	return ReduceMean(Reshape(probabilities, append([]int{-1, batch}, probabilities.Shape().Dimensions[1:]...)...), 0)
}
