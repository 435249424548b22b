package main

// models breaks the networks of the three studies.
var models = []mutant{
	{
		file: "phe/tabular/graph.go", breaks: "every column learns but the incremental one",
		old: "Equal(columns, Const(columns.Graph(), int32(m.Incremental)))", new: "NotEqual(columns, Const(columns.Graph(), int32(m.Incremental)))", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/tabular/graph.go", breaks: "class 0 is predicted as class 1",
		old: "phe.BernoulliLogLikelihood(z, zero)", new: "phe.BernoulliLogLikelihood(Neg(z), zero)", tests: "./phe/tabular -run TestContract/PHE/incremental-column",
	},
	{
		file: "phe/tabular/graph.go", breaks: "the bias does not count",
		old: "InsertAxes(head[2], 1))", new: "MulScalar(InsertAxes(head[2], 1), 0))", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/tabular/graph.go", breaks: "training masks nothing",
		old: "m.TrainSamples, noise, masked)", new: "m.TrainSamples, noise, false)", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/tabular/graph.go", breaks: "training's data term is of the wrong loss",
		old: "m.Loss.Reduce(", new: "phe.LogAverage.Reduce(", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/tabular/model.go", breaks: "rows with a label out of range are taken",
		old: "if y < 0 || int(y) >= c.Classes {", new: "if int(y) >= c.Classes {", tests: "./phe/tabular -run TestNewModelRefusesData",
	},
	{
		file: "phe/dkf/window.go", breaks: "an event sees its own count",
		old: "for j := range i {", new: "for j := range i + 1 {", tests: "./phe/dkf -run SeesNoCountOfItsOwn",
	},
	{
		file: "phe/dkf/window.go", breaks: "time runs backwards",
		old: "Sub(later, earlier)", new: "Sub(earlier, later)", tests: "./phe/dkf -run TestAgainstPlainGo",
	},
	{
		file: "phe/dkf/window.go", breaks: "dropout keeps the share that it should drop",
		old: "float32(2*m.ItemDropout-1)", new: "float32(1-2*m.ItemDropout)", tests: "./phe/dkf -run TestItemDropout|TestAgainstPlainGo",
	},
	{
		file: "phe/dkf/transition.go", breaks: "KL measures the shift in the posterior's deviations",
		old: "Exp(p.logStdDev)", new: "Exp(q.logStdDev)", tests: "./phe/dkf -run TestAgainstPlainGo|TestByHand",
	},
	{
		file: "phe/dkf/transition.go", breaks: "the first event has the transition's prior",
		old: "Concatenate([]*Node{zero, later.mean}, 1)", new: "Concatenate([]*Node{later.mean, zero}, 1)", tests: "./phe/dkf -run TestAgainstPlainGo|TestByHand",
	},
	{
		file: "phe/dkf/gru.go", breaks: "the update gate forgets nothing",
		old: "Mul(update, Sub(h, candidate))", new: "Mul(update, h)", tests: "./phe/dkf -run TestGRU",
	},
	{
		file: "phe/dkf/gru.go", breaks: "the reset gate does not count",
		old: "Mul(reset, part(fromState, 2))", new: "Mul(OnesLike(reset), part(fromState, 2))", tests: "./phe/dkf -run TestGRU",
	},
	{
		file: "phe/dkf/network.go", breaks: "a forecast sees its own event's count",
		old: "q := m.posterior(l, w.events(0, m.Length-1))", new: "q := m.posterior(l, w.events(1, m.Length))", tests: "./phe/dkf -run SeesNoCountOfItsOwn",
	},
	{
		file: "phe/dkf/network.go", breaks: "the ELBO lacks its divergence",
		old: "elbo := Sub(likelihood, m.overSamples(ReduceSum(m.divergence(l, w, q, z), 1)))", new: "elbo := likelihood", tests: "./phe/dkf -run TestAgainstPlainGo",
	},
	{
		file: "phe/dkf/network.go", breaks: "the mean ELBO is the sum",
		old: "DivScalar(elbo, float64(m.Length))", new: "DivScalar(elbo, 1)", tests: "./phe/dkf -run TestAgainstPlainGo|TestByHand",
	},
	{
		file: "phe/ncf/network.go", breaks: "users and films are added, not multiplied",
		old: "Mul(user, film)", new: "Add(user, film)", tests: "./phe/ncf -run TestAgainstPlainGo/PHE$",
	},
	{
		file: "phe/ncf/network.go", breaks: "a film's genres are summed, not averaged",
		old: "share := Div(member, MaxScalar(ReduceAndKeep(member, ReduceSum, -1), 1))", new: "share := member", tests: "./phe/ncf -run TestAgainstPlainGo/PHE,_embedded_genres",
	},
	{
		file: "phe/ncf/network.go", breaks: "genres share the ratings' noise",
		old: "noise.At(Const(index.Graph(), uint32(1)))", new: "noise", tests: "./phe/ncf -run TestAgainstPlainGo/PHE,_rows",
	},
	{
		file: "phe/ncf/network.go", breaks: "ratings have twice the deviation",
		old: "InsertAxes(r.ratings, 0), m.StdDev)", new: "InsertAxes(r.ratings, 0), 2*m.StdDev)", tests: "./phe/ncf -run TestAgainstPlainGo/PHE$",
	},
	{
		file: "phe/ncf/model.go", breaks: "weight rows of an excerpt are numbered as buckets",
		old: "renumber(slots.Weights, x.W)", new: "renumber(slots.Weights, x.E)", tests: "./phe/ncf -run TestExcerptEqualsWhole/PHE$",
	},
	{
		file: "phe/ncf/predictive.go", breaks: "the samples' errors cancel",
		old: "sum += math.Abs(mean - y)", new: "sum += mean - y", tests: "./phe/ncf -run TestPredictive",
	},
	{
		file: "phe/ncf/predictive.go", breaks: "the density is not averaged over the samples",
		old: " - math.Log(float64(len(logs)))", new: "", tests: "./phe/ncf -run TestPredictive",
	},
}
