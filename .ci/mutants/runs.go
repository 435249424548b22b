package main

// runs breaks the order in which methods meet data, the scores in the result file, and the way a stopped run goes on. Left
// out because nothing changes: a frozen model whose update has no epochs.
var runs = []mutant{
	{
		file: "experiments/protocol/stream.go", breaks: "a step is learned before it is predicted",
		old: "\tscores, err := Test(l, rows, seeds, step, judge)\n\ttiming.Predict", new: "\tif update != nil {\n\t\tif err := update(); err != nil {\n\t\t\treturn nil, timing, err\n\t\t}\n\t}\n\tscores, err := Test(l, rows, seeds, step, judge)\n\ttiming.Predict",
		tests: "./experiments/protocol",
	},
	{
		file: "experiments/protocol/stream.go", breaks: "a failed prediction is learned",
		old: "if err != nil || update == nil {", new: "if update == nil {", tests: "./experiments/protocol",
	},
	{
		file: "experiments/protocol/stream.go", breaks: "all seeds are scored as one",
		old: "len(predictions)/seeds", new: "len(predictions)+0*seeds", tests: "./experiments/protocol",
	},
	{
		file: "experiments/run/trial.go", breaks: "the frozen model learns",
		old: "\tif a.frozen {\n\t\treturn nil\n\t}\n\treturn func() error", new: "\treturn func() error", tests: "./experiments/run -run TestStepsByHand|TestSharedInitialModel|TestOnePass",
	},
	{
		file: "experiments/learner/learner.go", breaks: "a replay lacks the step's own rows",
		old: "p.Steps[:step+1]", new: "p.Steps[:step]", tests: "./experiments/run -run TestStepsByHand",
	},
	{
		file: "experiments/learner/learner.go", breaks: "all steps are step 0 to the learner",
		old: "d.PredictDraw(d.All.Take(rows), uint64(step))", new: "d.PredictDraw(d.All.Take(rows), 0*uint64(step))", tests: "./experiments/run -run TestStepsByHand",
	},
	{
		file: "experiments/run/trial.go", breaks: "predictions of all steps share noise",
		old: "len(j.seeds), state.Next, j.task.Judge(a.config, rows), update)", new: "len(j.seeds), 0, j.task.Judge(a.config, rows), update)", tests: "./experiments/run -run TestStepsByHand",
	},
	{
		file: "experiments/learner/learner.go", breaks: "an update learns the step after",
		old: "d.All.Take(p.Steps[step])", new: "d.All.Take(p.Steps[(step+1)%len(p.Steps)])", tests: "./experiments/run -run TestStepsByHand",
	},
	{
		file: "experiments/run/trial.go", breaks: "a method goes on from the method before",
		old: "if err := a.learner.SetState(state.Learner); err != nil {", new: "if err := error(nil); err != nil {", tests: "./experiments/run -run TestStepsByHand|TestMethodsAreIndependent",
	},
	{
		file: "experiments/run/trial.go", breaks: "a stopped stream goes on from its first parameters",
		old: "if state.Learner, err = a.learner.State(); err != nil {", new: "if _, err = a.learner.State(); err != nil {", tests: "./experiments/run -run TestInterruptAndResume$",
	},
	{
		file: "experiments/run/trial.go", breaks: "a score that is no number is written down",
		old: "if !task.IsFinite(score) {", new: "if false {", tests: "./experiments/run -run TestDiverged",
	},
	{
		file: "experiments/task/score.go", breaks: "rows are not counted",
		old: "run.Rows = append(run.Rows, rows)", new: "run.Rows = append(run.Rows, 1)", tests: "./experiments/run -run TestRunComplete|TestStepsByHand",
	},
	{
		file: "experiments/run/trial.go", breaks: "the frozen model is not tested after the stream",
		old: "score.After = state.Next\n", new: "score.After = 0 * state.Next\n", tests: "./experiments/run -run TestEveryProtocol|TestStepsByHand",
	},
	{
		file: "experiments/run/job.go", breaks: "a stopped initial phase begins from fresh parameters",
		old: "err = learner.Restore(j.state.Initial.Device)", new: "err = nil", tests: "./experiments/run -run TestInterruptAndResume$",
	},
	{
		file: "experiments/run/job.go", breaks: "the initial phase learns the first step's rows",
		old: "learner.All.Take(j.plan.Initial)", new: "learner.All.Take(j.plan.Steps[0])", tests: "./experiments/run -run TestStepsByHand",
	},
	{
		file: "experiments/run/job.go", breaks: "two families share a checkpoint",
		old: "j.family.name, fmt.Sprint(j.seeds))", new: "fmt.Sprint(j.seeds))", tests: "./experiments/run -run TestInterruptAndResume$",
	},
	{
		file: "experiments/run/job.go", breaks: "a test's rows share the step's noise",
		old: "len(j.seeds), after+1, j.task.Judge(c, t.Rows))", new: "len(j.seeds), 0*after, j.task.Judge(c, t.Rows))", tests: "./experiments/run -run TestStepsByHand",
	},
	{
		file: "experiments/run/host.go", breaks: "a rule from nothing skips the initial rows",
		old: "learner.LearnRows(rows)", new: "learner.LearnRows(nil)", tests: "./experiments/run -run TestOnePassByHand",
	},
	{
		file: "experiments/learner/host.go", breaks: "a rule learns the step after",
		old: "h.LearnRows(p.Steps[step])", new: "h.LearnRows(p.Steps[(step+1)%len(p.Steps)])", tests: "./experiments/run -run TestOnePassByHand",
	},
	{
		file: "experiments/run/host.go", breaks: "all seeds learn alike",
		old: "from := task.Beginning{Seed: seed,", new: "from := task.Beginning{Seed: 0 * seed,", tests: "./experiments/run -run TestOnePassSeeds",
	},
	{
		file: "experiments/task/onepass.go", breaks: "the initial model's head is transposed",
		old: "theta[(column*c.Outputs+o)*c.Dim+d]", new: "theta[(column*c.Outputs+o)*c.Dim+c.Dim-1-d]", tests: "./experiments/run -run TestOnePassFromSurePosterior",
	},
	{
		file: "experiments/task/onepass.go", breaks: "the initial model's bias is left out",
		old: "block[c.Numbers*c.Outputs+o] = float64(b.Theta[2][o])", new: "block[c.Numbers*c.Outputs+o] = 0 * float64(b.Theta[2][o])", tests: "./experiments/run -run TestOnePassFromSurePosterior",
	},
	{
		file: "experiments/onehot/refitted.go", breaks: "a regression never forgets to be fitted anew",
		old: "if r.state.Fitted && r.state.Since < r.every {", new: "if false {", tests: "./experiments/onehot -run TestRefittedEvery",
	},
	{
		file: "experiments/onehot/adpredictor.go", breaks: "a weight's variance ignores what the row says",
		old: "1 - x*x**s/variance*w", new: "1 - 0*x*x**s/variance*w", tests: "./experiments/onehot -run TestAdPredictorMoments",
	},
	{
		file: "experiments/protocol/plan.go", breaks: "the initial phase learns the held-out rows",
		old: "Initial: split.Initial.Scored}", new: "Initial: split.Initial.HeldOut}", tests: "./experiments/protocol -run TestOnlinePlan|TestOrderPlan",
	},
	{
		file: "experiments/protocol/plan.go", breaks: "forgetting is tested on the second group",
		old: "groupTests(groups[:1])", new: "groupTests(groups[1:])", tests: "./experiments/protocol -run TestAdaptationPlan",
	},
	{
		file: "experiments/protocol/plan.go", breaks: "no test follows the last step",
		old: "steps == len(p.Steps) ||", new: "", tests: "./experiments/run -run TestEveryProtocol|TestStepsByHand",
	},
	{
		file: "experiments/task/baselines.go", breaks: "a rival learns a step before it predicts it",
		old: "\t\tif p.Scored {\n\t\t\ts, err", new: "\t\t_ = r.Learn(rows)\n\t\tif p.Scored {\n\t\t\ts, err", tests: "./experiments/run -run TestRivals",
	},
	{
		file: "experiments/task/baselines.go", breaks: "a frozen rival learns",
		old: "\t\tif !frozen {\n\t\t\tif err := r.Learn", new: "\t\tif true {\n\t\t\tif err := r.Learn", tests: "./experiments/ownmethod -run TestFrozen",
	},
	{
		file: "experiments/ownmethod/rival.go", breaks: "a caller's method may forecast what is no probability",
		old: "!(math.Abs(sum-1) <= sumTolerance)", new: "math.Abs(sum-1) > sumTolerance", tests: "./experiments/ownmethod -run TestErrors",
	},
	{
		file: "experiments/ownmethod/rival.go", breaks: "a caller's method sees another row's items",
		old: "data.Index[int(r.row)*columns:]", new: "data.Index[max(0, int(r.row)-1)*columns:]", tests: "./experiments/ownmethod -run TestOrder",
	},
	{
		file: "experiments/run/existing.go", breaks: "numbers of a caller's earlier code are kept",
		old: "isFinished(r.file, r.spec.Seeds) && len(r.options.Own)+len(was.Own) == 0", new: "isFinished(r.file, r.spec.Seeds)", tests: "./experiments/run -run TestOwnMethodAgain",
	},
	{
		file: "experiments/baseline/averages.go", breaks: "a film's mean is not drawn towards the others'",
		old: "(a.itemRows[i] + drawnBy)", new: "(a.itemRows[i] + 1e-9)", tests: "./experiments/run -run TestRatingRivals",
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
		file: "experiments/result/result.go", breaks: "runs stand in the order in which they ended",
		old: "m.Runs = slices.Insert(m.Runs, at, run)", new: "_ = at\n\tm.Runs = append(m.Runs, run)", tests: "./experiments/result",
	},
	{
		file: "experiments/result/result.go", breaks: "a seed's old run stays",
		old: "m.Runs[at] = run\n", new: "_ = m.Runs[at]\n", tests: "./experiments/result",
	},
	{
		file: "experiments/result/result.go", breaks: "the last tally counts, not their sum",
		old: "[i].Error += c.Error", new: "[i].Error = c.Error", tests: "./experiments/result",
	},
	{
		file: "experiments/result/result.go", breaks: "a transform is not spread over its interval",
		old: " / (to - from)", new: "", tests: "./experiments/result",
	},
	{
		file: "experiments/measure/classes.go", breaks: "ties go to the higher class",
		old: "if p > row[best] {", new: "if p >= row[best] {", tests: "./experiments/measure",
	},
	{
		file: "experiments/measure/classes.go", breaks: "the likelihood is the first class's",
		old: "logProbabilities[i*classes+int(y)]", new: "logProbabilities[i*classes+0*int(y)]", tests: "./experiments/measure",
	},
	{
		file: "experiments/measure/metric.go", breaks: "forgetting is a gain",
		old: "m.Scale * (at(0) - at(", new: "-m.Scale * (at(0) - at(", tests: "./experiments/measure -run TestMeasure",
	},
	{
		file: "experiments/measure/metric.go", breaks: "days weigh alike in the root mean square",
		old: "stat.Mean(squares, weights)", new: "stat.Mean(squares, nil)", tests: "./experiments/measure -run TestRootMeanSquare",
	},
	{
		file: "experiments/measure/measure.go", breaks: "regret is of accuracies, not of rows",
		old: "(best.Accuracy[t] - run.Accuracy[t]) * float64(n)", new: "(best.Accuracy[t] - run.Accuracy[t])", tests: "./experiments/measure -run TestMeasure|TestRegret",
	},
	{
		file: "experiments/measure/metric.go", breaks: "more is better in an absolute error",
		old: "Sold, 3, 2, true, 1, meanOfSteps},\n\t{CappedError", new: "Sold, 3, 2, false, 1, meanOfSteps},\n\t{CappedError", tests: "./experiments/report -run TestReadmeTables",
	},
	{
		file: "experiments/measure/metric.go", breaks: "the error of a rating is a share, not percent",
		old: "100, meanOfSteps},\n\t{RootError", new: "1, meanOfSteps},\n\t{RootError", tests: "./experiments/report -run TestRatingPassTable",
	},
	{
		file: "experiments/measure/metric.go", breaks: "tests before the end count as tests at the end",
		old: "s.After == run.Tests[len(run.Tests)-1].After {", new: "s.After <= run.Tests[len(run.Tests)-1].After {", tests: "./experiments/measure -run TestMeasure",
	},
	{
		file: "experiments/measure/metric.go", breaks: "adaptation counts the steps before the first change",
		old: "run.Accuracy[first:]", new: "run.Accuracy[0*first:]", tests: "./experiments/measure -run TestMeasure",
	},
}
