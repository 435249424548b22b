package main

// layer breaks the plug-in and the helper that clears its optimiser. The first three survived when phe.Layer had one
// example and no test.
var layer = []mutant{
	{
		file: "phe/layer.go", breaks: "the prior gets the posterior's means and not its deviations",
		old: `[]string{"mean", "log_std_dev"}`, new: `[]string{"mean"}`, tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "KL is always from N(0, 1)",
		old: "return tables.KL(prior)", new: "_ = prior\n\treturn tables.KL(tables.StandardPrior())", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "PosteriorToPrior changes nothing",
		old: "prior.SetValue(value)", new: "posterior.SetValue(value)", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "PosteriorToPrior leaves out the table W",
		old: "for _, table := range l.layout() {", new: "for _, table := range l.layout()[:1] {", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "the optimiser moves the prior",
		old: `variable("prior_mean", all(0), false)`, new: `variable("prior_mean", all(0), true)`, tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "a frozen table thaws",
		old: "return v.NodeValue(g)", new: "return v.SetTrainable(trainable).NodeValue(g)", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "every step draws the same noise",
		old: "return NewNoise(key)", new: "return NewNoise(ZerosLike(key))", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "E and W begin from the same draws",
		old: "NoiseKey(l.seed, table.name)", new: `NoiseKey(l.seed, "E")`, tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "KL has the wrong sign",
		old: "return tables.KL(prior)", new: "return Neg(tables.KL(prior))", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "KL leaves out the table W",
		old: "return tables.KL(prior)", new: "tables.W, prior.W = Gaussian{}, Gaussian{}\n\treturn tables.KL(prior)", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "KL has its two arguments the wrong way round",
		old: "return tables.KL(prior)", new: "return prior.KL(tables)", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "KL pulls at the prior, and the posterior has no gradient",
		old: "return tables.KL(prior)", new: "tables.E.Mean = StopGradient(tables.E.Mean)\n\treturn tables.KL(prior)", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "the prior gets the posterior's deviations and not its means",
		old: `[]string{"mean", "log_std_dev"}`, new: `[]string{"log_std_dev"}`, tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "prior and posterior become one tensor",
		old: "value, err = value.LocalClone()", new: "_ = value", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "the prior begins wider than N(0, 1)",
		old: `variable("prior_log_std_dev", all(0), false)`, new: `variable("prior_log_std_dev", all(1), false)`, tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "the optimiser moves the prior's deviations",
		old: `variable("prior_log_std_dev", all(0), false)`, new: `variable("prior_log_std_dev", all(0), true)`, tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "the prior is sampled",
		old: "tables, _ := l.tables(scope, index.Graph())\n\titems, _ :=", new: "_, tables := l.tables(scope, index.Graph())\n\titems, _ :=", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "Embed always takes one scheme",
		old: "items, index, scheme, samples, l.noise", new: "items, index, Rows, samples, l.noise", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "Embed always draws 10 samples",
		old: "items, index, scheme, samples, l.noise", new: "items, index, scheme, 10, l.noise", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "Logits always draws 10 samples",
		old: "linear.Logits(index, base, scheme, samples,", new: "linear.Logits(index, base, scheme, 10,", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "Logits always takes one scheme",
		old: "linear.Logits(index, base, scheme, samples,", new: "linear.Logits(index, base, Moments, samples,", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "quadrature and points use up random numbers",
		old: "if scheme == Quadrature || l.encoder.config.Estimate == Point {", new: "if false {", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "a scheme that is not linear gives logits all the same",
		old: "if !scheme.NeedsLinearAssembly() {", new: "if false {", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "the linear schemes take the maximum for a sum",
		old: "if scheme.NeedsLinearAssembly() && !assembly.IsLinear() {", new: "if false && !assembly.IsLinear() {", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "a scheme without a name is taken for Items",
		old: "if err := scheme.Validate(); err != nil {", new: "if err := scheme.Validate(); err != nil && false {", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "no samples are drawn, and the mean is not a number",
		old: "if samples < 1 {", new: "if samples < 0 {", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "all items have the first weight row",
		old: "slot[hashes] = found.Weights[i]", new: "slot[hashes] = found.Weights[0]", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "an item in two columns meets the weights of the first",
		old: "numbers[cell{c, item}]\n", new: "numbers[cell{0, item}]\n", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "equal items of a column have two slots",
		old: "if !known {", new: "if true || !known {", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "slots are not padded, and every number of items compiles anew",
		old: "size := paddedSize(len(distinct), len(at))", new: "size := len(distinct)", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "slots are padded to all cells of the batch",
		old: "for range 3 {", new: "for range 0 {", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "a slot is lost where half of an odd number is rounded down",
		old: "(size + 1) / 2; distinct <= half", new: "(size + 1) / 2; distinct <= half+1", tests: "./phe -run Layer",
	},
	{
		file: "phe/optimizer.go", breaks: "the optimiser keeps its moments and its step",
		old: "if names.GetVariable(v.Path()) != nil {", new: "if true || names.GetVariable(v.Path()) != nil {", tests: "./phe -run ClearOptimizer",
	},
	{
		file: "phe/optimizer.go", breaks: "all variables become zero",
		old: "if names.GetVariable(v.Path()) != nil {", new: "if false {", tests: "./phe -run ClearOptimizer",
	},
	{
		file: "phe/optimizer.go", breaks: "the optimiser is cleared as GoMLX does, and the next step finds no variable",
		old: "opt.Clear(names.RootScope())", new: "opt.Clear(store.RootScope())", tests: "./phe -run ClearOptimizer",
	},
	{
		file: "phe/optimizer.go", breaks: "gradient descent goes on with its small steps",
		old: "if _, isSGD := opt.(*optimizer.SGDConfig); isSGD {", new: "if false {", tests: "./phe -run ClearOptimizer",
	},
	{
		file: "phe/optimizer.go", breaks: "every optimiser loses the global step",
		old: "if _, isSGD := opt.(*optimizer.SGDConfig); isSGD {", new: "if true {", tests: "./phe -run ClearOptimizer",
	},
}
