package main

// sharing breaks the rule by which many machines hold one belief, and the deltas of a stream's learner.
var sharing = []mutant{
	{
		file: "phe/belief/state.go", breaks: "a chunk may count twice",
		old: "if s.Ledger.Has(c.Chunk) {", new: "if s.Ledger.Has(0) && c.Chunk == 0 {", tests: "./phe/belief ./phe/stream/shared",
	},
	{
		file: "phe/belief/state.go", breaks: "what was learned from an older version counts",
		old: "c.Base != s.Version || ", new: "", tests: "./phe/belief",
	},
	{
		file: "phe/belief/state.go", breaks: "a checkpoint forgets the stale contributions of an older program",
		old: "s.Verdicts[Refused] += stale", new: "_ = stale", tests: "./phe/belief",
	},
	{
		file: "phe/cluster/learner.go", breaks: "every refusal is final",
		old: "tried && s.Version == c.Base", new: "tried", tests: "./phe/cluster -run TestLearnsAgain",
	},
	{
		file: "phe/belief/ledger.go", breaks: "the ledger forgets chunks above its low mark",
		old: "return chunk <= l.Low || l.Above[chunk]", new: "return chunk <= l.Low", tests: "./phe/belief",
	},
	{
		file: "phe/belief/image.go", breaks: "a patch is applied before it is checked",
		old: "if err := p.walk(parts, func(int, int, float64, float64) {}); err != nil {\n\t\treturn err\n\t}\n\treturn", new: "return", tests: "./phe/belief ./phe/stream/shared",
	},
	{
		file: "phe/stream/shared/patch.go", breaks: "a chunk learned in vain stays in the learner",
		old: "b.image.Reset(b.parts)", new: "_ = b.image", tests: "./phe/stream/shared",
	},
	{
		file: "phe/stream/shared/belief.go", breaks: "a dropped table stays in a machine's patches",
		old: "b.parts = b.parts[:n]", new: "_ = n", tests: "./phe/stream/shared",
	},
}
