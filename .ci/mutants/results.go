package main

// results breaks the files of results, the identities of methods, and the rules that keep a finished result.
var results = []mutant{
	{
		file: "experiments/result/column.go", breaks: "integers are kept as they are, and read as differences",
		old: "zigzag(int64(v-before))", new: "zigzag(int64(v-0*before))", tests: "./experiments/result",
	},
	{
		file: "experiments/result/column.go", breaks: "a share that is none of its rows is rounded to one",
		old: "if n/float64(denominators[i]) != v {", new: "if false {", tests: "./experiments/result -run TestRatio",
	},
	{
		file: "experiments/result/column.go", breaks: "a number without a seventh digit is kept in fixed point",
		old: "if !(math.Abs(v) < mostFixed) {", new: "if false {", tests: "./experiments/result",
	},
	{
		file: "experiments/result/column.go", breaks: "the second plane of bytes is read as the first",
		old: "c.values[i] |= uint64(b) << (8 * shift)", new: "c.values[i] |= uint64(b) << (0 * shift)", tests: "./experiments/result",
	},
	{
		file: "experiments/result/series.go", breaks: "equal lists are stored again and again",
		old: "if n, ok := c.number[content]; ok {", new: "if n, ok := c.number[content]; ok && n < 0 {", tests: "./experiments/result",
	},
	{
		file: "experiments/result/series.go", breaks: "tests lose their accuracies",
		old: "Accuracy: accuracies[i],", new: "Accuracy: 0 * accuracies[i],", tests: "./experiments/result",
	},
	{
		file: "experiments/result/file.go", breaks: "series of another run are read",
		old: "if checksum(content) != f.Series.SHA256 {", new: "if err != nil {", tests: "./experiments/result",
	},
	{
		file: "experiments/result/file.go", breaks: "the series of a new result are lost in a crash",
		old: "if fresh, err := os.ReadFile(freshPath(f.path)); err == nil", new: "if fresh, err := os.ReadFile(freshPath(f.path)); err != nil", tests: "./experiments/result",
	},
	{
		file: "experiments/result/file.go", breaks: "a result without its series is written over one with them",
		old: "if f.absent {\n\t\treturn errors", new: "if false {\n\t\treturn errors", tests: "./experiments/result",
	},
	{
		file: "experiments/result/file.go", breaks: "a result of the older format is read as one of today's",
		old: "case f.Schema < Schema:", new: "case f.Schema < 0:", tests: "./experiments/result",
	},
	{
		file: "experiments/measure/measure.go", breaks: "a summary is taken anew from a series that was rounded",
		old: "if _, ok := run.Summary[metric]; ok {\n\t\t\t\t\tcontinue", new: "if _, ok := run.Summary[metric]; ok && false {\n\t\t\t\t\tcontinue", tests: "./experiments/measure -run TestSummariesStay",
	},
	{
		file: "experiments/measure/measure.go", breaks: "regret stays when its reference changes",
		old: "delete(run.Summary, Regret)", new: "delete(run.Summary, \"\")", tests: "./experiments/measure -run TestSummariesStay",
	},
	{
		file: "experiments/spec/identity.go", breaks: "fields that are zero count, so that a new one orphans results",
		old: `[]string{"0", ` + "`\"\"`" + `, "false", "null"}`, new: `[]string{"0"}`, tests: "./experiments/spec -run TestCanonical",
	},
	{
		file: "experiments/spec/identity.go", breaks: "the step size of updates does not count",
		old: "c.Encoder.Capacity = 0\n", new: "c.Encoder.Capacity = 0\n\tc.UpdateLearningRate = 0\n", tests: "./experiments/spec -run TestMethodHash",
	},
	{
		file: "experiments/spec/identity.go", breaks: "a frozen model is another for each way to update it",
		old: "r.UpdateEpochs, r.Replay, r.GrowBeyond, r.Arrival, r.Draw = 0, false, 0, protocol.AsItComes, 0", new: "r.Replay, r.GrowBeyond, r.Arrival = false, 0, protocol.AsItComes", tests: "./experiments/run -run TestCommittedIdentities",
	},
	{
		file: "experiments/run/existing.go", breaks: "a finished result of another spec is taken for this one's",
		old: "case f.Manifest.SpecHash != spec.Fingerprint():", new: "case false:", tests: "./experiments/run -run TestKeepRefuses",
	},
	{
		file: "experiments/run/existing.go", breaks: "a plain run starts over a stopped one",
		old: "if s.stopped() {", new: "if false {", tests: "./experiments/run -run TestKeepRefuses",
	},
	{
		file: "experiments/run/run.go", breaks: "an unfinished result takes the place of a finished one",
		old: "if r.guards && r.file.Status != result.Complete {", new: "if false {", tests: "./experiments/run -run TestReplaceKeeps",
	},
	{
		file: "experiments/run/lock.go", breaks: "two processes compute one result",
		old: "if !taken {", new: "if !taken && false {", tests: "./experiments/run -run TestLock",
	},
	{
		file: "experiments/run/checkpoint.go", breaks: "a damaged checkpoint is read",
		old: "if len(rest) < sha256.Size || sha256.Sum256(rest[sha256.Size:]) != [sha256.Size]byte(rest[:sha256.Size]) {", new: "if len(rest) < sha256.Size {", tests: "./experiments/run -run TestCheckpointIntegrity",
	},
	{
		file: "experiments/run/memory.go", breaks: "tables are thought to take no memory",
		old: "tables:  4 * side", new: "tables:  0 * side", tests: "./experiments/run -run TestTooLarge|TestNeedByHand",
	},
}
