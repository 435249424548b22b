package main

// beliefs breaks the arithmetic of package phe.
var beliefs = []mutant{
	{
		file: "phe/gaussian.go", breaks: "the deviations enter the KL exchanged",
		old: "Sub(q.logStdDev, p.logStdDev)", new: "Sub(p.logStdDev, q.logStdDev)", tests: "./phe -run TestKL",
	},
	{
		file: "phe/gaussian.go", breaks: "KL measures the shift in the posterior's deviations",
		old: "Div(Sub(q.Mean, p.Mean), p.StdDev)", new: "Div(Sub(q.Mean, p.Mean), q.StdDev)", tests: "./phe -run TestKL",
	},
	{
		file: "phe/gaussian.go", breaks: "KL is doubled",
		old: "OnePlus(logRatio))), 0.5)", new: "OnePlus(logRatio))), 1)", tests: "./phe -run TestKL",
	},
	{
		file: "phe/gaussian.go", breaks: "KL's gradient at q = p is a rounding error",
		old: "Add(Exp(logRatio), shift)", new: "Add(Square(Div(q.StdDev, p.StdDev)), shift)", tests: "./phe -run TestKL",
	},
	{
		file: "phe/gaussian.go", breaks: "samples spread by the variance",
		old: "Mul(InsertAxes(q.StdDev, 0), noise)", new: "Mul(InsertAxes(Square(q.StdDev), 0), noise)", tests: "./phe -run TestSample",
	},
	{
		file: "phe/gaussian.go", breaks: "log σ is taken for log σ²",
		old: "AddScalar(Exp(logStdDev), minStdDev)", new: "AddScalar(Exp(MulScalar(logStdDev, 0.5)), minStdDev)", tests: "./phe -run TestSample|TestKL",
	},
	{
		file: "phe/elbo.go", breaks: "the two losses are exchanged",
		old: "if l == LogAverage {", new: "if l == Expected {", tests: "./phe -run TestReduce|TestLogMeanExp",
	},
	{
		file: "phe/elbo.go", breaks: "the samples' likelihoods are summed, not averaged",
		old: "-math.Log(float64(x.Shape().Dimensions[0]))", new: "-0*math.Log(float64(x.Shape().Dimensions[0]))", tests: "./phe -run TestReduce|TestLogMeanExp",
	},
	{
		file: "phe/elbo.go", breaks: "padded rows count in the mean",
		old: "Div(ReduceSum(Mul(dataTerm, mask), -1), ReduceSum(mask, -1))", new: "ReduceMean(Mul(dataTerm, mask), -1)", tests: "./phe -run TestNegativeELBO",
	},
	{
		file: "phe/elbo.go", breaks: "the KL's weight does not count",
		old: "MulScalar(kl, klWeight)", new: "MulScalar(kl, 1)", tests: "./phe -run TestNegativeELBO",
	},
	{
		file: "phe/elbo.go", breaks: "a batch stands for itself, not for the training set",
		old: "Mul(ReduceAllSum(mean), numRows)", new: "ReduceAllSum(mean)", tests: "./phe -run TestNegativeELBO",
	},
	{
		file: "phe/elbo.go", breaks: "the KL is subtracted",
		old: "return Sub(MulScalar(kl, klWeight), logLikelihood)", new: "return Neg(Add(MulScalar(kl, klWeight), logLikelihood))", tests: "./phe -run TestNegativeELBO",
	},
	{
		file: "phe/belief/table.go", breaks: "KL is told of the prior from the posterior",
		old: "v, v0 := t.Variance[i], prior.Variance[i]", new: "v0, v := t.Variance[i], prior.Variance[i]", tests: "./phe/belief -run TestKL",
	},
	{
		file: "phe/belief/exact.go", breaks: "an observation's noise does not count",
		old: "y/m.noiseVariance", new: "y", tests: "./phe/belief -run TestProposition31|TestSupplementF",
	},
	{
		file: "phe/belief/exact.go", breaks: "precision grows by the noise's variance",
		old: "1/m.noiseVariance, v", new: "m.noiseVariance, v", tests: "./phe/belief -run TestProposition31|TestSupplementF",
	},
	{
		file: "phe/belief/exact.go", breaks: "gradient descent ascends",
		old: "m.e[i] -= m.rate", new: "m.e[i] += m.rate", tests: "./phe/belief -run TestSupplementF|TestLinearDescent",
	},
	{
		file: "phe/noise.go", breaks: "all steps share noise",
		old: "mix(AddScalar(step, 0x9e3779b9))", new: "mix(MulScalar(step, 0))", tests: "./phe -run TestNo",
	},
	{
		file: "phe/noise.go", breaks: "the key counts in one round only",
		old: "return mix(Add(h, broadcast(key)))", new: "return mix(h)", tests: "./phe -run TestNo",
	},
	{
		file: "phe/noise.go", breaks: "all uses of a step share noise",
		old: "use*0x85ebca6b+1", new: "use*0+1", tests: "./phe -run TestNo",
	},
	{
		file: "phe/noise.go", breaks: "the cells' lower ends are drawn, −1 included",
		old: "1-1<<24)", new: "-1<<24)", tests: "./phe -run TestNo",
	},
	{
		file: "phe/noise.go", breaks: "the tail's polynomial begins too late",
		old: "float32(5)", new: "float32(9)", tests: "./phe -run TestNo",
	},
	{
		file: "phe/adam.go", breaks: "ε is GoMLX's 1e-7",
		old: "0.9, 0.999, 1e-8", new: "0.9, 0.999, 1e-7", tests: "./phe -run TestAdam",
	},
	{
		file: "phe/adam.go", breaks: "the second moment's correction stands outside the root",
		old: "Sqrt(Div(second[i], c2))", new: "Div(Sqrt(second[i]), c2)", tests: "./phe -run TestAdam",
	},
	{
		file: "phe/adam.go", breaks: "steps count from 1",
		old: "parameters[0].DType()), 1)", new: "parameters[0].DType()), 2)", tests: "./phe -run TestAdam",
	},
	{
		file: "phe/assembly.go", breaks: "the weighted sum is a mean",
		old: "return ReduceSum(Mul(embeddings, InsertAxes(weights, -1)), -2)", new: "return ReduceMean(Mul(embeddings, InsertAxes(weights, -1)), -2)", tests: "./phe -run TestAssemblies",
	},
	{
		file: "phe/assembly.go", breaks: "the maximum is a minimum",
		old: "ReduceMax(embeddings, -2)", new: "ReduceMin(embeddings, -2)", tests: "./phe -run TestAssemblies",
	},
	{
		file: "phe/encoder.go", breaks: "a weight scales the variance by itself, not by its square",
		old: "Mul(Square(w), variance)", new: "Mul(w, variance)", tests: "./phe -run TestLocal",
	},
	{
		file: "phe/encoder.go", breaks: "the variance of a mean of K is divided by K",
		old: "DivScalar(variance, k*k)", new: "DivScalar(variance, k)", tests: "./phe -run TestLocal",
	},
	{
		file: "phe/encoder.go", breaks: "E and W begin from the same draws",
		old: "means(noise.Normal(noiseInitialW,", new: "means(noise.Normal(noiseInitialE,", tests: "./phe -run TestInitialTables",
	},
	{
		file: "phe/encoder.go", breaks: "E and W share the noise of a sample",
		old: "weights = fetch(noiseW, tables.W, slots.Weights)", new: "weights = fetch(noiseE, tables.W, slots.Weights)", tests: "./phe -run TestTablesDrawApart",
	},
	{
		file: "phe/table.go", breaks: "all runs read the first run's rows",
		old: "runs), 0), offset)", new: "runs), 0), 0*offset)", tests: "./phe -run TestStacked",
	},
	{
		file: "phe/table.go", breaks: "W's divergence does not count",
		old: "kl = Add(kl, KL(t.W, prior.W))", new: "kl = Add(kl, MulScalar(KL(t.W, prior.W), 0))", tests: "./phe -run TestMomentsGradient|TestLayer",
	},
	{
		file: "phe/table.go", breaks: "the standard prior of W is W's own belief",
		old: "prior.W = StandardNormal(t.W.Mean)", new: "prior.W = t.W", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/linear.go", breaks: "the variance lacks what W's spread adds",
		old: "v = Add(Mul(Add(Square(l.WeightMean), l.WeightVariance), v), Mul(l.WeightVariance, Square(l.Mean)))",
		new: "v = Mul(Add(Square(l.WeightMean), l.WeightVariance), v)", tests: "./phe -run TestQuadratureMoments",
	},
	{
		file: "phe/linear.go", breaks: "the head projects deviations as it does variances",
		old: "project(Square(tables.E.StdDev), Square(head))", new: "project(tables.E.StdDev, Square(head))", tests: "./phe -run TestQuadratureMoments",
	},
	{
		file: "phe/linear.go", breaks: "the gradient reaches the items that should not learn",
		old: "Where(BroadcastToShape(trained, x.Shape()), x, StopGradient(x))", new: "Where(BroadcastToShape(trained, x.Shape()), StopGradient(x), x)", tests: "./phe -run TestLinearTrainedMask",
	},
	{
		file: "phe/likelihood/log.go", breaks: "labels are exchanged",
		old: "AddScalar(MulScalar(y, 2), -1)", new: "AddScalar(MulScalar(y, -2), 1)", tests: "./phe/likelihood -run TestBernoulli",
	},
	{
		file: "phe/likelihood/log.go", breaks: "the Gaussian's normaliser lacks σ",
		old: "-math.Log(stdDev)-0.5", new: "-0.5", tests: "./phe/likelihood -run TestGaussianLogLikelihood",
	},
	{
		file: "phe/likelihood/log.go", breaks: "Γ(y) for y!",
		old: "logGamma(AddScalar(y, 1))", new: "logGamma(AddScalar(y, 0))", tests: "./phe/likelihood -run TestNegativeBinomial",
	},
	{
		file: "phe/online.go", breaks: "the incremental column is the one that does not learn",
		old: "embeddings, StopGradient(embeddings))", new: "StopGradient(embeddings), embeddings)", tests: "./phe/tabular -run TestContract/PHE/three_classes,_rows",
	},
	{
		file: "phe/backend/loop.go", breaks: "every step is step 0",
		old: "l.call(i, current, data)", new: "l.call(0*i, current, data)", tests: "./phe ./phe/tabular -run TestLoop|TestStepsAgainstPlainGo",
	},
}
