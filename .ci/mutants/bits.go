package main

// bits break the promise that the same program, seed and data give the same bits: draws, their order, and their places.
var bits = []mutant{
	{
		file: "phe/hash/carter_wegman.go", breaks: "the carry is lost",
		old: "hi+carry", new: "hi+0*carry", tests: "./phe/hash",
	},
	{
		file: "phe/hash/family.go", breaks: "the seed does not count",
		old: "drawLinear(numHashes, seed, bucketPurpose)", new: "drawLinear(numHashes, 0, bucketPurpose)", tests: "./phe/hash",
	},
	{
		file: "phe/hash/authors.go", breaks: "a and b are drawn in the other order",
		old: "\t\tfunctions[k].a = 1 + uint64(randInterval(source, uint32(prime-2)))\n\t\tfunctions[k].b = uint64(randInterval(source, uint32(prime-1)))",
		new: "\t\tfunctions[k].b = uint64(randInterval(source, uint32(prime-1)))\n\t\tfunctions[k].a = 1 + uint64(randInterval(source, uint32(prime-2)))", tests: "./phe/hash",
	},
	{
		file: "phe/noise.go", breaks: "all steps share noise",
		old: "mix(AddScalar(step, 0x9e3779b9))", new: "mix(MulScalar(step, 0))", tests: "./phe -run TestNo",
	},
	{
		file: "phe/learn/programs.go", breaks: "an update's prior follows its posterior",
		old: "prior, data = m.tables(data), data[m.numEmbedding():]", new: "prior, data = m.tables(state), data[m.numEmbedding():]", tests: "./phe/tabular -run TestStepsAgainstPlainGo",
	},
	{
		file: "phe/learn/update.go", breaks: "an update's noise depends on the sizes of those before, though the most is known",
		old: "\treturn epochs * ((l.most + size - 1) / size)\n", new: "\treturn 0 * epochs * ((l.most + size - 1) / size)\n", tests: "./phe/learn -run TestMostUpdated",
	},
	{
		file: "phe/learn/steps.go", breaks: "all seeds have the first one's noise",
		old: "keys[i] = phe.NoiseKey(seed, purpose)", new: "_ = seed\n\t\tkeys[i] = phe.NoiseKey(l.seeds[0], purpose)", tests: "./phe/tabular -run TestContract/PHE/incremental-column",
	},
	{
		file: "phe/learn/predict.go", breaks: "every run returns the first run's predictions",
		old: "values[r*size*p.Width:(r*size+block.Records)*p.Width]", new: "values[0*r*size*p.Width:(0*r*size+block.Records)*p.Width]", tests: "./phe/tabular -run TestContract/PHE/incremental-column",
	},
	{
		file: "phe/learn/excerpt.go", breaks: "every run learns from the first run's rows",
		old: "table[(r*perRun+row)*width:]", new: "table[(0*r*perRun+row)*width:]", tests: "./phe/ncf -run TestExcerptEqualsWhole/Ada,_two_runs$",
	},
	{
		file: "phe/onepass/embedding.go", breaks: "means move by the deviation",
		old: "b.mean[i] += v * pull", new: "b.mean[i] += math.Sqrt(v) * pull", tests: "./phe/onepass -run TestPrototype|TestToy",
	},
	{
		file: "phe/onepass/row.go", breaks: "items that share a bucket are squared apart",
		old: "s.keys[n] == key {", new: "s.keys[n] == key && n < 0 {", tests: "./phe/onepass -run TestPrototype|TestToy",
	},
	{
		file: "data/cuts/block.go", breaks: "cuts have another seed",
		old: "Seed = 1234", new: "Seed = 1235", tests: "./data/tables -run TestOnlineSplit",
	},
	{
		file: "experiments/spec/identity.go", breaks: "fields that are zero count, so that a new one orphans results",
		old: `[]string{"0", ` + "`\"\"`" + `, "false", "null"}`, new: `[]string{"0"}`, tests: "./experiments/spec -run TestCanonical",
	},
	{
		file: "experiments/spec/identity.go", breaks: "a frozen model is another for each way to update it",
		old: "r.UpdateEpochs, r.Replay, r.GrowBeyond, r.Arrival, r.Draw = 0, false, 0, protocol.AsItComes, 0", new: "r.Replay, r.GrowBeyond, r.Arrival = false, 0, protocol.AsItComes", tests: "./experiments/run -run TestCommittedIdentities",
	},
}

// labels break the promise that no forecast knows its own label, nor a later one.
var labels = []mutant{
	{
		file: "experiments/protocol/stream.go", breaks: "a step is learned before it is predicted",
		old: "\tscores, err := l.Score(rows, step)\n\ttiming.Predict", new: "\tif update != nil {\n\t\tif err := update(); err != nil {\n\t\t\treturn nil, timing, err\n\t\t}\n\t}\n\tscores, err := l.Score(rows, step)\n\ttiming.Predict",
		tests: "./experiments/protocol",
	},
	{
		file: "experiments/protocol/plan.go", breaks: "the validation part is learned before it is scored",
		old: "Initial: train}", new: "Initial: append(train, rest...)}", tests: "./experiments/protocol -run TestValidationLeavesTheStreamAlone",
	},
	{
		file: "experiments/protocol/plan.go", breaks: "the initial phase learns the held-out rows",
		old: "Initial: split.Initial.Scored}", new: "Initial: split.Initial.HeldOut}", tests: "./experiments/protocol -run TestOnlinePlan|TestOrderPlan",
	},
	{
		file: "experiments/run/trial.go", breaks: "the frozen model learns",
		old: "if !a.frozen {\n\t\tupdate, steps", new: "{\n\t\tupdate, steps", tests: "./experiments/run -run TestStepsByHand|TestSharedInitialModel|TestOnePass",
	},
	{
		file: "experiments/task/baselines.go", breaks: "a rival learns a step before it predicts it",
		old: "\t\tif p.Scored {\n\t\t\ts, err", new: "\t\t_ = r.Learn(rows)\n\t\tif p.Scored {\n\t\t\ts, err", tests: "./experiments/run -run TestRivals",
	},
	{
		file: "experiments/baseline/baseline.go", breaks: "a rule knows the day that it forecasts",
		old: "if day >= s.Days[step] {", new: "if day > s.Days[step] {", tests: "./experiments/baseline -run TestForecasts|TestObserves",
	},
	{
		file: "experiments/baseline/ledger.go", breaks: "a rule is given the sale that it forecasts",
		old: "(i+1)*w.Length-1] {", new: "(i+1)*w.Length] {", tests: "./experiments/baseline -run TestForecasts|TestWindowRules",
	},
	{
		file: "experiments/ownfile/read.go", breaks: "a number's unit looks at the stream",
		old: "for _, row := range initial {", new: "for row := range c.Values {", tests: "./experiments/ownfile -run TestScale",
	},
	{
		file: "phe/dkf/window.go", breaks: "an event sees its own count",
		old: "for j := range i {", new: "for j := range i + 1 {", tests: "./phe/dkf -run SeesNoCountOfItsOwn",
	},
	{
		file: "phe/dkf/network.go", breaks: "a forecast sees its own event's count",
		old: "q := m.posterior(l, w.events(0, m.Length-1))", new: "q := m.posterior(l, w.events(1, m.Length))", tests: "./phe/dkf -run SeesNoCountOfItsOwn",
	},
	{
		file: "phe/learn/pin.go", breaks: "a prediction gives its items rows",
		old: "l.hasher.Peek(own.Items)", new: "l.hasher.Items(own.Items)", tests: "./phe/learn -run TestPredictingGivesNoRow",
	},
	{
		file: "data/tables/bygroup.go", breaks: "the initial phase learns the first group's test",
		old: "Initial: groups[0].Train}", new: "Initial: groups[0].Test}", tests: "./data/tables -run TestByGroup",
	},
	{
		file: "phe/stream/learner.go", breaks: "a forecast of a stream knows its own label",
		old: "all := l.laws(seen, true, y, weight)", new: "l.laws(seen, true, y, weight)\n\tall := l.laws(seen, false, y, weight)", tests: "./phe/stream -run TestStepPredictsAndLearns",
	},
	{
		file: "phe/stream/progressive.go", breaks: "a label that comes late is learned at once",
		old: "return f, l.labelBut(delay)", new: "return f, l.labelBut(0 * delay)", tests: "./phe/stream -run TestDelay",
	},
	{
		file: "phe/stream/save.go", breaks: "a file forgets how many waiting records were dropped",
		old: "\tl.wait.Dropped = s.Waiting.Dropped\n", new: "", tests: "./phe/stream -run TestWaitingComesBack",
	},
	{
		file: "phe/stream/save.go", breaks: "a file may name more exact items than there is room for",
		old: "(l.exact == nil || s.Exact > len(l.exact.numbers.keys))", new: "l.exact == nil", tests: "./phe/stream -run TestStateOfAnotherLearner",
	},
	{
		file: "phe/stream/save.go", breaks: "a waiting record may have a law of an exact model that is not there",
		old: "len(a.Laws.Experts) != len(l.main.laws) || a.Laws.Exact != nil && l.exact == nil", new: "len(a.Laws.Experts) != len(l.main.laws)",
		tests: "./phe/stream -run TestStateOfAnotherLearner",
	},
	{
		file: "phe/stream/save.go", breaks: "the exact model's law of a waiting record may have any size",
		old: "\t\t\tlist = append(list, *a.Laws.Exact)\n", new: "", tests: "./phe/stream -run TestStateOfAnotherLearner",
	},
	{
		file: "phe/stream/waiting.go", breaks: "answered records behind one that waits stay in memory",
		old: "len(w.Queue) > 2*len(w.byID)+spareAnswered", new: "false", tests: "./phe/stream -run TestAnsweredRecordsAreFreed",
	},
	{
		file: "phe/stream/schema/schema.go", breaks: "names and classes lose the bytes that are not UTF-8",
		old: "plain(s.each(text.Escape))", new: "plain(s)", tests: "./phe/stream -run TestBytes$",
	},
	{
		file: "phe/text/text.go", breaks: "waiting records lose the bytes that are not UTF-8",
		old: "\t\tif !utf8.ValidString(s) {\n\t\t\texact := make", new: "\t\tif len(s) < 0 {\n\t\t\texact := make", tests: "./phe/stream -run TestBytes$",
	},
	{
		file: "phe/serve/operation.go", breaks: "an answer does not say that records were dropped",
		old: "list.Dropped = after - before", new: "list.Dropped = 0 * (after - before)", tests: "./phe/serve -run TestDroppedIsSaid",
	},
	{
		file: "phe/serve/late.go", breaks: "new limits for waiting records are not in the journal",
		old: "number, err := s.journal.Write(record)", new: "_, number := record, s.applied", tests: "./phe/serve -run TestDroppedIsSaid",
	},
}
