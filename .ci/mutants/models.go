package main

// models breaks the networks of the three studies.
var models = []mutant{
	{
		file: "phe/tabular/network.go", breaks: "the bias does not count",
		old: "InsertAxes(w[2], 1))", new: "MulScalar(InsertAxes(w[2], 1), 0))", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/tabular/network.go", breaks: "numbers do not count",
		old: "p.Inputs[numbers], w[1])", new: "p.Inputs[numbers], MulScalar(w[1], 0))", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/tabular/network.go", breaks: "two models of other classes share files",
		old: `, "classes": m.Classes})`, new: `})`, tests: "./phe/tabular -run TestFilesTellModelsApart",
	},
	{
		file: "phe/tabular/model.go", breaks: "indices of a table are not checked",
		old: "if err := b.Check(m); err != nil {", new: "if err := error(nil); err != nil {", tests: "./phe/tabular -run TestBatchRefusesData",
	},
	{
		file: "phe/dkf/model.go", breaks: "indices of windows are not checked",
		old: "if err := b.Check(m); err != nil {", new: "if err := error(nil); err != nil {", tests: "./phe/dkf -run TestRefusesData",
	},
	{
		file: "phe/tabular/model.go", breaks: "rows with a label out of range are taken",
		old: "if y < 0 || int(y) >= c.Classes {", new: "if int(y) >= c.Classes {", tests: "./phe/tabular -run TestBatchRefusesData",
	},
	{
		file: "phe/tabular/model.go", breaks: "a record of a class too large is taken",
		old: "r.Class < -1 || r.Class >= m.Classes:", new: "r.Class < -1 || r.Class > m.Classes:", tests: "./phe/tabular -run TestEncodeRefusesRecords",
	},
	{
		file: "phe/tabular/model.go", breaks: "a record of numbers that are none is taken",
		old: "math.IsNaN(x) || math.IsInf(float64(y), 0)", new: "math.IsInf(float64(y), 0)", tests: "./phe/tabular -run TestEncodeRefusesRecords",
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
		old: "ReduceSum(m.divergence(l, w, q, z), 1)", new: "MulScalar(ReduceSum(m.divergence(l, w, q, z), 1), 0)", tests: "./phe/dkf -run TestAgainstPlainGo",
	},
	{
		file: "phe/dkf/network.go", breaks: "the mean ELBO is the sum",
		old: "Averaged: m.Filter.Objective == MeanELBO}", new: "Averaged: false}", tests: "./phe/dkf -run TestByHand",
	},
	{
		file: "phe/dkf/network.go", breaks: "what is predicted in training is summed over a window's events",
		old: "Targets: Reshape(later.targets, -1), Averaged: true}", new: "Targets: Reshape(later.targets, -1), Averaged: false}", tests: "./phe/dkf -run TestAgainstPlainGo",
	},
	{
		file: "phe/dkf/network.go", breaks: "an event is judged by the count before it",
		old: "Targets: Reshape(later.targets, -1), Averaged", new: "Targets: Reshape(w.events(0, m.Length-1).targets, -1), Averaged", tests: "./phe/dkf -run TestAgainstPlainGo",
	},
	{
		file: "phe/dkf/network.go", breaks: "samples and events of a window are exchanged",
		old: "TransposeAllAxes(outputs, 2, 0, 1, 3, 4)", new: "TransposeAllAxes(outputs, 1, 0, 2, 3, 4)", tests: "./phe/dkf -run TestAgainstPlainGo",
	},
	{
		file: "phe/dkf/network.go", breaks: "the last event draws the embeddings of its history",
		old: "m.embed(p.Redrawn(p.Samples, 1), ", new: "m.embed(p, ", tests: "./phe/dkf -run TestAgainstPlainGo",
	},
	{
		file: "phe/dkf/model.go", breaks: "events that windows share are events of their own",
		old: "at[e], events = number, append(events, e)", new: "events = append(events, e)", tests: "./phe/dkf -run TestEncode",
	},
	{
		file: "phe/dkf/model.go", breaks: "any event may be without a count",
		old: "case e.Count == -1 && !last:", new: "case false:", tests: "./phe/dkf -run TestEncodeRefuses",
	},
	{
		file: "phe/dkf/model.go", breaks: "cells of a histogram are counts",
		old: "targets[i] = float32(m.Cells.Of(int(y)))", new: "targets[i] = y", tests: "./phe/dkf -run TestAgainstPlainGo",
	},
	{
		file: "phe/ncf/network.go", breaks: "users and items are added, not multiplied",
		old: "Mul(user, item)", new: "Add(user, item)", tests: "./phe/ncf -run TestAgainstPlainGo/PHE$",
	},
	{
		file: "phe/ncf/network.go", breaks: "an item's labels are summed, not averaged",
		old: "share := Div(member, MaxScalar(ReduceAndKeep(member, ReduceSum, -1), 1))", new: "share := member", tests: "./phe/ncf -run TestAgainstPlainGo/PHE,_embedded_labels",
	},
	{
		file: "phe/ncf/network.go", breaks: "labels share the ratings' noise",
		old: "p.Redrawn(p.Samples, 1).Embed(index)", new: "p.Embed(index)", tests: "./phe/ncf -run TestAgainstPlainGo/PHE,_rows",
	},
	{
		file: "phe/ncf/network.go", breaks: "ratings have twice the deviation",
		old: "likelihood.Gaussian{StdDev: m.StdDev}", new: "likelihood.Gaussian{StdDev: 2 * m.StdDev}", tests: "./phe/ncf -run TestAgainstPlainGo/PHE$",
	},
	{
		file: "phe/ncf/network.go", breaks: "labels are looked for among the items before them",
		old: "AddScalar(label, p.NumItems()-width)", new: "AddScalar(label, p.NumItems()-width-1)", tests: "./phe/ncf -run TestAgainstPlainGo/PHE,_embedded_labels",
	},
	{
		file: "phe/ncf/network.go", breaks: "every item has the labels of the one after",
		old: "BitwiseShiftRightLogical(BroadcastToDims(Reshape(sets, n, 1), n, width), bit)", new: "BitwiseShiftRightLogical(BroadcastToDims(Reshape(sets, n, 1), n, width), AddScalar(bit, 1))", tests: "./phe/ncf -run TestAgainstPlainGo/PHE$",
	},
	{
		file: "phe/ncf/model.go", breaks: "a user and an item of one name are one",
		old: `append(d.Items, "-"+r.Item)`, new: `append(d.Items, r.Item)`, tests: "./phe/ncf -run TestEncodeTokens",
	},
	{
		file: "phe/ncf/model.go", breaks: "a label is another's bit",
		old: "set |= 1 << i", new: "set |= 1 << (i + 1)", tests: "./phe/ncf -run TestEncodeEqualsData",
	},
	{
		file: "phe/ncf/model.go", breaks: "an item has the labels of its first rating",
		old: "of := labelled{r.Item, set}", new: "of := labelled{r.Item, 0}", tests: "./phe/ncf -run TestItemWithOtherLabels",
	},
	{
		file: "phe/ncf/model.go", breaks: "labels have no rows where they are embedded",
		old: "append(b.Items, m.Config.Labels...), len(m.Config.Labels)", new: "append(b.Items, m.Config.Labels...), 0*len(m.Config.Labels)", tests: "./phe/ncf -run TestEncodeTokens",
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
