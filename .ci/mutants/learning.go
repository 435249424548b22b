package main

// learning breaks the life along a stream: the steps, orders, noise and updaters of package learn. The content of a call's
// unused room is left out: its steps are not taken and its records are not read, so nothing changes.
var learning = []mutant{
	{
		file: "phe/learn/programs.go", breaks: "an update's prior is N(0, 1)",
		old: "prior, data = m.tables(data), data[m.numEmbedding():]", new: "prior, data = m.tables(state).StandardPrior(), data[m.numEmbedding():]", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/programs.go", breaks: "an update's prior follows its posterior",
		old: "prior, data = m.tables(data), data[m.numEmbedding():]", new: "prior, data = m.tables(state), data[m.numEmbedding():]", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/programs.go", breaks: "the initial phase has no prior",
		old: "prior = m.tables(trained).StandardPrior()", new: "prior = m.tables(trained)", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/programs.go", breaks: "an update's Adam counts the initial phase's steps",
		old: "if !online { // one optimiser for the whole phase", new: "{", tests: "./phe/learn -run TestUpdateIgnoresInitialAdam",
	},
	{
		file: "phe/learn/programs.go", breaks: "Adam begins anew in each epoch of the initial phase",
		old: "if !online { // one optimiser for the whole phase", new: "if false {", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/programs.go", breaks: "the initial phase trains the incremental column alone",
		old: "p.masked = p.masked && online", new: "p.masked = p.masked || false", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/programs.go", breaks: "all minibatches are the first",
		old: "at := Reshape(i, 1)", new: "at := Reshape(MulScalar(i, 0), 1)", tests: "./phe/learn -run TestEpochLearnsEveryMinibatch",
	},
	{
		file: "phe/learn/programs.go", breaks: "all steps of a call share noise",
		old: "At(Add(first, ConvertDType(i, dtypes.Uint32)))", new: "At(Add(first, ConvertDType(MulScalar(i, 0), dtypes.Uint32)))", tests: "./phe/ncf -run TestAgainstPlainGo/PHE$",
	},
	{
		file: "phe/learn/programs.go", breaks: "the closed form is linearised at a draw of E",
		old: "\tt.E = phe.FromLogStdDev(t.E.Mean, nil)\n", new: "", tests: "./phe/learn -run TestClosedForm",
	},
	{
		file: "phe/learn/programs.go", breaks: "the closed form is linearised at a draw of W",
		old: "\t\tt.W = phe.FromLogStdDev(t.W.Mean, nil)\n", new: "", tests: "./phe/learn -run TestClosedForm",
	},
	{
		file: "phe/learn/programs.go", breaks: "an updater's fresh memory has the shapes of another call's",
		old: "key := fmt.Sprint(shapes...)", new: "key := fmt.Sprint(arrays)", tests: "./phe/learn -run TestCloseOneOfThree|TestLearningGivesRows|TestCounts|TestUpdates",
	},
	{
		file: "phe/learn/programs.go", breaks: "programs are freed before their last learner is closed",
		old: "m.users > 0 {", new: "m.users > 1 {", tests: "./phe/learn -run TestCloseOneOfThree",
	},
	{
		file: "phe/learn/graph.go", breaks: "all columns learn but where one should",
		old: "m.Scope == phe.IncrementalColumn\n", new: "m.Scope != phe.IncrementalColumn\n", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/graph.go", breaks: "online learning never moves θ",
		old: "if m.Scope == phe.AllParameters {", new: "if false {", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/graph.go", breaks: "all weights of θ begin from the same draws",
		old: "noiseWeights+uint32(i)", new: "noiseWeights+0*uint32(i)", tests: "./phe/learn -run TestWeights",
	},
	{
		file: "phe/learn/graph.go", breaks: "weights begin without their limit",
		old: "product(w.Dims)), w.Limit)", new: "product(w.Dims)), 1)", tests: "./phe/learn -run TestWeights",
	},
	{
		file: "phe/learn/graph.go", breaks: "training's data term is of the wrong loss",
		old: "m.Loss.Reduce(", new: "phe.LogAverage.Reduce(", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/graph.go", breaks: "the likelihood has no floor",
		old: "m.sampleWeights()), m.LikelihoodFloor)", new: "m.sampleWeights()), 0)", tests: "./phe/learn -run TestLikelihoodFloor",
	},
	{
		file: "phe/learn/graph.go", breaks: "nodes of a quadrature weigh the same",
		old: "return m.Scheme.SampleWeights()", new: "return nil", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/graph.go", breaks: "the ELBO lacks what latent variables cost",
		old: "total = Sub(total, o.Cost)", new: "total = Sub(total, MulScalar(o.Cost, 0))", tests: "./phe/dkf -run TestByHand",
	},
	{
		file: "phe/learn/graph.go", breaks: "the mean ELBO is the sum",
		old: "DivScalar(total, float64(events))", new: "DivScalar(total, 1)", tests: "./phe/dkf -run TestByHand",
	},
	{
		file: "phe/learn/graph.go", breaks: "events that are averaged are summed",
		old: "ReduceMean(terms, 1)", new: "ReduceSum(terms, 1)", tests: "./phe/dkf -run TestAgainstPlainGo",
	},
	{
		file: "phe/learn/learner.go", breaks: "updates take the initial phase's learning rate",
		old: "o.Updater = Adam{c.onlineLearningRate()}", new: "o.Updater = Adam{c.LearningRate}", tests: "./phe/tabular -run TestUpdateLearningRate",
	},
	{
		file: "phe/learn/learner.go", breaks: "an updater that cannot serve is taken",
		old: "if err := o.Updater.Validate(c, n); err != nil {", new: "if err := o.Updater.Validate(c, n); err != nil && false {", tests: "./phe/learn -run TestUpdaterErrors",
	},
	{
		file: "phe/learn/fit.go", breaks: "epochs share an order",
		old: "min(l.BatchSize, x.size), 1, 0, l.counts.Epochs,", new: "min(l.BatchSize, x.size), 1, 0, 0,", tests: "./phe/learn -run TestOrders",
	},
	{
		file: "phe/learn/update.go", breaks: "updates share an order",
		old: "epochs, room, l.counts.Updates,", new: "epochs, room, 0,", tests: "./phe/learn -run TestOrders",
	},
	{
		file: "phe/learn/fit.go", breaks: "replays draw the same records",
		old: "minibatches, l.counts.Updates)", new: "minibatches, 0)", tests: "./phe/learn -run TestOrders",
	},
	{
		file: "phe/learn/fit.go", breaks: "epochs share noise",
		old: "\t\tl.counts.FitSteps = firstStep(l.counts.FitSteps, steps) + uint64(steps)\n", new: "", tests: "./phe/ncf -run TestAgainstPlainGo/PHE$",
	},
	{
		file: "phe/learn/fit.go", breaks: "replays share noise",
		old: "\tl.counts.ReplaySteps = firstStep(l.counts.ReplaySteps, minibatches) + uint64(minibatches)\n", new: "", tests: "./phe/learn -run TestCounts",
	},
	{
		file: "phe/learn/update.go", breaks: "updates share noise",
		old: "first + uint64(max(steps, l.mostSteps(epochs)))", new: "0*first + uint64(max(0*steps, 0*l.mostSteps(epochs)))", tests: "./phe/learn -run TestUpdatesShareNoNoise",
	},
	{
		file: "phe/learn/update.go", breaks: "an update's noise depends on the sizes of those before, though the most is known",
		old: "\treturn epochs * ((l.most + size - 1) / size)\n", new: "\treturn 0 * epochs * ((l.most + size - 1) / size)\n", tests: "./phe/learn -run TestMostUpdated",
	},
	{
		file: "phe/learn/steps.go", breaks: "a loop's steps wrap at the end of an era",
		old: "if after%era+uint64(steps) > era {", new: "if after%era+uint64(steps) > 2*era {", tests: "./phe/learn -run TestFirstStep",
	},
	{
		file: "phe/learn/steps.go", breaks: "an era begins early",
		old: "if after%era+uint64(steps) > era {", new: "if after%era+uint64(steps) >= era {", tests: "./phe/learn -run TestFirstStep",
	},
	{
		file: "phe/learn/steps.go", breaks: "updates of all eras share noise",
		old: "l.keys(purpose, first>>32)", new: "l.keys(purpose, 0*first)", tests: "./phe/learn -run TestUpdatesShareNoNoise",
	},
	{
		file: "phe/learn/predict.go", breaks: "predictions of all eras share noise",
		old: `l.keys("prediction", draw>>draws+block>>blocks<<(64-draws))`, new: `l.keys("prediction", 0)`, tests: "./phe/learn -run TestPredictionsShareNoNoise",
	},
	{
		file: "phe/learn/predict.go", breaks: "blocks of a prediction share noise",
		old: "block&(1<<blocks-1)<<draws)", new: "0*block&(1<<blocks-1)<<draws)", tests: "./phe/learn -run TestPredictionsShareNoNoise",
	},
	{
		file: "phe/learn/predict.go", breaks: "Predict draws the same after every update",
		old: "return l.predictions(b, l.counts.Updates)", new: "return l.predictions(b, 0*l.counts.Updates)", tests: "./phe/learn -run TestPredictDrawsAnew",
	},
	{
		file: "phe/learn/predict.go", breaks: "every run returns the first run's predictions",
		old: "values[r*size*p.Width:(r*size+block.Records)*p.Width]", new: "values[0*r*size*p.Width:(0*r*size+block.Records)*p.Width]", tests: "./phe/tabular -run TestContract/PHE/incremental-column",
	},
	{
		file: "phe/learn/update.go", breaks: "an update takes more records than there is room for",
		old: "if l.most > 0 && b.Records > l.most {", new: "if false {", tests: "./phe/tabular -run TestLearnerErrors",
	},
	{
		file: "phe/learn/fit.go", breaks: "the initial phase's Adam lives on after it",
		old: "\tbackend.Release(l.moments)\n\tl.moments, l.counts.Adam = nil, 0\n", new: "", tests: "./phe/learn -run TestSettle",
	},
	{
		file: "phe/learn/fit.go", breaks: "an optimiser without memory counts on after Settle",
		old: "l.moments, l.counts.Adam = nil, 0", new: "l.moments = nil", tests: "./phe/learn -run TestSettleMakesAdamFresh",
	},
	{
		file: "phe/learn/fit.go", breaks: "the initial phase's Adam counts no steps",
		old: "\tl.counts.Adam += uint64(steps)\n", new: "", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/steps.go", breaks: "all seeds have the first one's noise",
		old: "keys[i] = phe.NoiseKey(seed, purpose)", new: "_ = seed\n\t\tkeys[i] = phe.NoiseKey(l.seeds[0], purpose)", tests: "./phe/tabular -run TestContract/PHE/incremental-column",
	},
	{
		file: "phe/learn/steps.go", breaks: "noise is the same in training, updates and predictions",
		old: "keys[i] = phe.NoiseKey(seed, purpose)", new: "_ = purpose\n\t\tkeys[i] = phe.NoiseKey(seed, \"\")", tests: "./phe/ncf -run TestAgainstPlainGo/PHE$",
	},
	{
		file: "phe/learn/update.go", breaks: "records without targets are learned",
		old: "len(whole.Targets) == 0", new: "len(whole.Targets) < 0", tests: "./phe/tabular -run TestContract/PHE/incremental-column",
	},
	{
		file: "phe/learn/learner.go", breaks: "a fork of other seeds is made",
		old: "if len(seeds) != l.runs {", new: "if false {", tests: "./phe/tabular -run TestLearnerErrors",
	},
	{
		file: "phe/learn/steps.go", breaks: "padding counts as a record",
		old: "if i < len(records) {", new: "if i <= len(records) {", tests: "./phe/learn -run TestMinibatches",
	},
	{
		file: "phe/learn/steps.go", breaks: "records are not shuffled",
		old: "permutation := rng.Perm(len(records))", new: "permutation := rng.Perm(len(records))\n\t\t\tfor i := range permutation {\n\t\t\t\tpermutation[i] = i\n\t\t\t}", tests: "./phe/learn -run TestMinibatches",
	},
	{
		file: "phe/learn/steps.go", breaks: "every call shuffles as the first does",
		old: "uint64(phe.NoiseKey(seed, purpose)), part", new: "uint64(phe.NoiseKey(seed, purpose)), 0*part", tests: "./phe/learn -run TestMinibatches",
	},
	{
		file: "phe/learn/steps.go", breaks: "every epoch's records go into the first epoch's batches",
		old: "e*perEpoch+i/size", new: "0*e*perEpoch+i/size", tests: "./phe/learn -run TestMinibatches",
	},
	{
		file: "phe/learn/steps.go", breaks: "a replay draws the first record only",
		old: "records[rng.IntN(len(records))]", new: "records[0*rng.IntN(len(records))]", tests: "./phe/learn -run TestDrawn",
	},
	{
		file: "phe/learn/steps.go", breaks: "every replay draws as the first does",
		old: `uint64(phe.NoiseKey(seed, "replay order")), part`, new: `uint64(phe.NoiseKey(seed, "replay order")), 0*part`, tests: "./phe/learn -run TestDrawn",
	},
	{
		file: "phe/learn/snapshot.go", breaks: "log σ is told for σ",
		old: "math.Exp(float64(logStdDev))", new: "math.Abs(float64(logStdDev))", tests: "./phe/learn -run TestBeliefs",
	},
	{
		file: "phe/learn/snapshot.go", breaks: "σ is told for σ²",
		old: "stdDev * stdDev", new: "stdDev", tests: "./phe/learn -run TestBeliefs",
	},
	{
		file: "phe/learn/snapshot.go", breaks: "every run's beliefs are the first run's",
		old: "all[run*size : (run+1)*size]", new: "all[0*run*size : (0*run+1)*size]", tests: "./phe/learn -run TestBeliefs",
	},
	{
		file: "phe/learn/updater.go", breaks: "the closed form's gain does not shrink with h·S",
		old: "shrink := Reciprocal(OnePlus(Mul(h, spread)))", new: "shrink := OnesLike(Mul(h, spread))", tests: "./phe/learn -run TestClosedForm",
	},
	{
		file: "phe/learn/updater.go", breaks: "the closed form does not shrink variances",
		old: "Add(parameters[2*k+1], MulScalar(Log(like(keep)), 0.5))", new: "Add(parameters[2*k+1], MulScalar(Log(like(keep)), 0))", tests: "./phe/learn -run TestClosedForm",
	},
	{
		file: "phe/learn/updater.go", breaks: "the closed form shrinks deviations as it should variances",
		old: "MulScalar(Log(like(keep)), 0.5)", new: "Log(like(keep))", tests: "./phe/learn -run TestClosedForm",
	},
	{
		file: "phe/learn/updater.go", breaks: "the closed form moves means the wrong way",
		old: "Sub(mean, like(move))", new: "Add(mean, like(move))", tests: "./phe/learn -run TestClosedForm",
	},
	{
		file: "phe/learn/updater.go", breaks: "the closed form takes deviations for variances",
		old: "Exp(MulScalar(parameters[2*k+1], 2))", new: "Exp(parameters[2*k+1])", tests: "./phe/learn -run TestClosedForm",
	},
	{
		file: "phe/learn/updater.go", breaks: "S sums slopes, not their squares",
		old: "Mul(Square(slopes[k]), variances[k])", new: "Mul(slopes[k], variances[k])", tests: "./phe/learn -run TestClosedForm",
	},
	{
		file: "phe/learn/updater.go", breaks: "runs share S",
		old: "ReduceSum(byRun(Mul(Square(slopes[k]), variances[k])), -1)", new: "BroadcastToDims(ReduceAllSum(Mul(Square(slopes[k]), variances[k])), o.Runs)", tests: "./phe/learn -run TestClosedForm",
	},
	{
		file: "phe/learn/updater.go", breaks: "roundings take all of a variance",
		old: "\t\tkeep = MaxScalar(keep, leastKept)\n", new: "", tests: "./phe/learn -run TestClosedFormOfCertainty",
	},
	{
		file: "phe/learn/updater.go", breaks: "the closed form takes several records at once",
		old: "func (ClosedForm) Records() int { return 1 }", new: "func (ClosedForm) Records() int { return 0 }", tests: "./phe/learn -run TestClosedForm",
	},
	{
		file: "phe/learn/updater.go", breaks: "the closed form takes point estimates",
		old: "c.Encoder.Estimate != phe.Posterior:", new: "false:", tests: "./phe/tabular -run TestClosedFormRefuses",
	},
	{
		file: "phe/learn/updater.go", breaks: "the closed form takes several outputs",
		old: "n.Likelihood().Outputs() != 1:", new: "false:", tests: "./phe/learn -run TestUpdaterErrors",
	},
	{
		file: "phe/learn/updater.go", breaks: "the closed form is to update one column",
		old: "case c.Scope != phe.AllColumns:", new: "case c.Scope == phe.AllParameters:", tests: "./phe/learn -run TestUpdaterErrors",
	},
	{
		file: "phe/likelihood/law.go", breaks: "class 0 is predicted as class 1",
		old: "LogBernoulli(z, zero), weights)", new: "LogBernoulli(Neg(z), zero), weights)", tests: "./phe/tabular -run TestContract/PHE/incremental-column",
	},
	{
		file: "phe/likelihood/law.go", breaks: "Bernoulli's information is p",
		old: "InsertAxes(Mul(p, OneMinus(p)), -1)", new: "InsertAxes(p, -1)", tests: "./phe/likelihood -run TestCurvature",
	},
	{
		file: "phe/likelihood/law.go", breaks: "logits inform only of themselves",
		old: "Sub(own, Mul(InsertAxes(p, -1), InsertAxes(p, -2)))", new: "own", tests: "./phe/likelihood -run TestCurvature",
	},
	{
		file: "phe/likelihood/law.go", breaks: "the Gaussian's information is 1/σ",
		old: "precision := 1 / (g.StdDev * g.StdDev)", new: "precision := 1 / g.StdDev", tests: "./phe/likelihood -run TestCurvature",
	},
	{
		file: "phe/likelihood/law.go", breaks: "a Poisson's gradient has the wrong sign",
		old: "Sub(rate, InsertAxes(targets, 0, -1))", new: "Sub(InsertAxes(targets, 0, -1), rate)", tests: "./phe/likelihood -run TestCurvature",
	},
	{
		file: "phe/likelihood/law.go", breaks: "a negative binomial informs as a Poisson does",
		old: "row := Concatenate([]*Node{Mul(share, mean), zero}, -1)", new: "row := Concatenate([]*Node{mean, zero}, -1)", tests: "./phe/likelihood -run TestCurvature",
	},
	{
		file: "phe/likelihood/law.go", breaks: "samples and outputs of a forecast are exchanged",
		old: "TransposeAllAxes(outputs, 1, 0, 2)", new: "TransposeAllAxes(outputs, 1, 2, 0)", tests: "./phe/likelihood -run TestForecasts",
	},
}
