package main

// learning breaks the life along a stream: package online. Left out because nothing changes: gathering other rows than row 0
// into the unused room of an excerpt (they are
// not written back), and a copy less of a snapshot that is restored (GoMLX copies it too).
var learning = []mutant{
	{
		file: "phe/online/model.go", breaks: "an update's prior is N(0, 1)",
		old: "prior, data = m.tables(data), data[m.numEmbedding():]", new: "prior, data = m.tables(state).StandardPrior(), data[m.numEmbedding():]", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/online/model.go", breaks: "an update's prior follows its posterior",
		old: "prior, data = m.tables(data), data[m.numEmbedding():]", new: "prior, data = m.tables(state), data[m.numEmbedding():]", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/online/model.go", breaks: "the initial phase has no prior",
		old: "prior = m.tables(state).StandardPrior()", new: "prior = m.tables(state)", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/online/model.go", breaks: "an update's Adam counts all steps of the stream",
		old: "if !online { // one Adam for the whole phase", new: "{", tests: "./phe/ncf -run TestAgainstPlainGo/Ada$",
	},
	{
		file: "phe/online/model.go", breaks: "Adam begins anew in each epoch of the initial phase",
		old: "if !online { // one Adam for the whole phase", new: "if false {", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/online/model.go", breaks: "all columns learn but where one should",
		old: "m.Scope == phe.IncrementalColumn)", new: "m.Scope != phe.IncrementalColumn)", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/online/model.go", breaks: "updates take the initial phase's learning rate",
		old: "adam.LearningRate = m.onlineLearningRate()", new: "adam.LearningRate = m.LearningRate", tests: "./phe/tabular -run TestUpdateLearningRate",
	},
	{
		file: "phe/online/model.go", breaks: "all minibatches are the first",
		old: "at := Reshape(i, 1)", new: "at := Reshape(MulScalar(i, 0), 1)", tests: "./phe/online -run TestEpochLearnsEveryMinibatch",
	},
	{
		file: "phe/online/model.go", breaks: "all steps of a call share noise",
		old: "At(Add(first, ConvertDType(i, dtypes.Uint32)))", new: "At(first)", tests: "./phe/ncf -run TestAgainstPlainGo/PHE$",
	},
	{
		file: "phe/online/graph.go", breaks: "online learning never moves θ",
		old: "if m.Scope == phe.AllParameters {", new: "if false {", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/online/graph.go", breaks: "all weights of θ begin from the same draws",
		old: "noiseWeights+uint32(i)", new: "noiseWeights+0*uint32(i)", tests: "./phe/online -run TestWeights",
	},
	{
		file: "phe/online/graph.go", breaks: "weights begin without their limit",
		old: "size), w.Limit)", new: "size), 1)", tests: "./phe/online -run TestWeights",
	},
	{
		file: "phe/online/learner.go", breaks: "updates share noise",
		old: "step*m.mostSteps(epochs)", new: "step", tests: "./phe/ncf -run TestAgainstPlainGo/PHE$",
	},
	{
		file: "phe/online/learner.go", breaks: "blocks of a prediction share noise",
		old: "uint32(step)+uint32(start/most)<<20", new: "uint32(step)", tests: "./phe/tabular -run TestPredictInBlocks",
	},
	{
		file: "phe/online/learner.go", breaks: "every run returns the first run's predictions",
		old: "p[r*size*width:(r*size+len(block))*width]", new: "p[0*r*size*width:(0*r*size+len(block))*width]", tests: "./phe/tabular -run TestContract/PHE/incremental-column",
	},
	{
		file: "phe/online/learner.go", breaks: "the initial phase's Adam lives on in a replay",
		old: "\tphe.Release(l.moments)\n\tl.moments = nil\n\tl.model.forgetWhole()", new: "\tl.model.forgetWhole()", tests: "./phe/online -run TestEndInitialPhase",
	},
	{
		file: "phe/online/learner.go", breaks: "all seeds have the first one's noise",
		old: "keys[i] = phe.NoiseKey(seed, purpose)", new: "_ = seed\n\t\tkeys[i] = phe.NoiseKey(l.seeds[0], purpose)", tests: "./phe/tabular -run TestContract/PHE/incremental-column",
	},
	{
		file: "phe/online/learner.go", breaks: "noise is the same in training, updates and predictions",
		old: "keys[i] = phe.NoiseKey(seed, purpose)", new: "_ = purpose\n\t\tkeys[i] = phe.NoiseKey(seed, \"\")", tests: "./phe/ncf -run TestAgainstPlainGo/PHE$",
	},
	{
		file: "phe/online/minibatch.go", breaks: "padding counts as a row",
		old: "if i < len(rows) {", new: "if i <= len(rows) {", tests: "./phe/online -run TestMinibatches",
	},
	{
		file: "phe/online/minibatch.go", breaks: "rows are not shuffled",
		old: "permutation := rng.Perm(len(rows))", new: "permutation := rng.Perm(len(rows))\n\t\t\tfor i := range permutation {\n\t\t\t\tpermutation[i] = i\n\t\t\t}", tests: "./phe/online -run TestMinibatches",
	},
	{
		file: "phe/online/minibatch.go", breaks: "every call shuffles as the first does",
		old: "uint64(phe.NoiseKey(seed, purpose)), uint64(part)", new: "uint64(phe.NoiseKey(seed, purpose)), 0*uint64(part)", tests: "./phe/online -run TestMinibatches",
	},
	{
		file: "phe/online/minibatch.go", breaks: "every epoch's rows go into the first epoch's batches",
		old: "e*perEpoch+i/size", new: "0*e*perEpoch+i/size", tests: "./phe/online -run TestMinibatches",
	},
	{
		file: "phe/online/minibatch.go", breaks: "a replay draws the first row only",
		old: "rows[rng.IntN(len(rows))]", new: "rows[0*rng.IntN(len(rows))]", tests: "./phe/online -run TestDrawn",
	},
	{
		file: "phe/online/snapshot.go", breaks: "Adam's moments are not restored",
		old: "l.moments = moments", new: "_ = moments\n\tl.moments = nil", tests: "./phe/tabular -run TestContract/PHE/incremental-column",
	},
	{
		file: "phe/online/excerpt.go", breaks: "the first run gets the rows that every run learned",
		old: "copy(table[(r*perRun+int(row))*width:][:width]", new: "copy(table[(0*r*perRun+int(row))*width:][:width]", tests: "./phe/online -run TestUpdateLearnsItsRows",
	},
	{
		file: "phe/online/excerpt.go", breaks: "every run learns from the first run's rows",
		old: "table[(r*perRun+row)*width:]", new: "table[(0*r*perRun+row)*width:]", tests: "./phe/ncf -run TestExcerptEqualsWhole/Ada,_two_runs$",
	},
	{
		file: "phe/online/excerpt.go", breaks: "an excerpt takes the rows of E from W too",
		old: "return x.W, tableRoom(", new: "return x.E, tableRoom(", tests: "./phe/ncf -run TestExcerptEqualsWhole/PHE$",
	},
	{
		file: "phe/online/excerpt.go", breaks: "an initial phase of other rows reuses the data of the last",
		old: "!slices.Equal(m.phaseRows, rows)", new: "len(m.phaseRows) != len(rows)", tests: "./phe/online -run TestInitialPhaseFetchesOnce",
	},
	{
		file: "phe/online/beliefs.go", breaks: "log σ is told for σ",
		old: "math.Exp(logStdDev)", new: "math.Abs(logStdDev)", tests: "./phe/online -run TestBelief",
	},
	{
		file: "phe/online/beliefs.go", breaks: "every run's beliefs are the first run's",
		old: "all[run*size : (run+1)*size]", new: "all[0*run*size : (0*run+1)*size]", tests: "./phe/online -run TestBelief",
	},
	{
		file: "phe/online/beliefs.go", breaks: "KL is told of the prior from the posterior",
		old: "distuv.Normal{Mu: b.Mean[i], Sigma: b.StdDev[i]},\n\t\t\tdistuv.Normal{Mu: prior.Mean[i], Sigma: prior.StdDev[i]}",
		new: "distuv.Normal{Mu: prior.Mean[i], Sigma: prior.StdDev[i]},\n\t\t\tdistuv.Normal{Mu: b.Mean[i], Sigma: b.StdDev[i]}", tests: "./phe/online -run TestBelief",
	},
}
