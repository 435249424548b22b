package main

// layer breaks the plug-in. The first three survived when phe.Layer had one example and no test.
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
		old: "NewNoise(key))", new: "NewNoise(ZerosLike(key)))", tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "E and W begin from the same draws",
		old: "NoiseKey(l.seed, table.name)", new: `NoiseKey(l.seed, "E")`, tests: "./phe -run Layer",
	},
	{
		file: "phe/layer.go", breaks: "all items have the first weight row",
		old: "tensors.FromFlatDataAndDimensions(rows.Weights, len(items), columns), nil", new: "tensors.FromFlatDataAndDimensions(make([]int32, len(rows.Weights)), len(items), columns), nil", tests: "./phe -run Layer",
	},
}
