package main

// sharing breaks the rule by which many machines hold one belief, and the deltas of a stream's learner.
var sharing = []mutant{
	{
		file: "phe/belief/state.go", breaks: "a chunk may count twice",
		old: "if s.Ledger.Has(c.Chunk) {", new: "if s.Ledger.Has(0) && c.Chunk == 0 {", tests: "./phe/belief ./phe/stream/shared",
	},
	{
		file: "phe/belief/state.go", breaks: "no prior is stale",
		old: "if !s.Bound.Allows(c.BaseRows, missed) {", new: "if !s.Bound.Allows(c.BaseRows, 0) {", tests: "./phe/belief ./phe/stream/shared",
	},
	{
		file: "phe/belief/state.go", breaks: "a chunk without rows is no news",
		old: "missed = 1 // chunks without a row that could be learned still count as news", new: "missed = 0", tests: "./phe/belief",
	},
	{
		file: "phe/belief/state.go", breaks: "a delta that fits only its own prior is refused, not learned again",
		old: "case errors.Is(err, ErrStale):", new: "case errors.Is(err, ErrStale) && missed == 0:", tests: "./phe/stream/shared",
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
		file: "phe/stream/shared/terms.go", breaks: "the fold does not forget",
		old: "x.touches > 0 {", new: "x.touches > 1<<40 {", tests: "./phe/stream/shared",
	},
	{
		file: "phe/stream/shared/terms.go", breaks: "a learner keeps what it learned in vain",
		old: "t.before.Reset(t.tables)", new: "t.known.Reset(t.facts)", tests: "./phe/stream/shared",
	},
	{
		file: "phe/stream/shared/patch.go", breaks: "a chunk learned in vain stays in the learner",
		old: "t.image.Reset(t.parts)", new: "_ = t.image.Take(t.parts, t.patch)", tests: "./phe/stream/shared",
	},
	{
		file: "phe/stream/shared/patch.go", breaks: "a dropped table stays in a machine's patches",
		old: "t.parts = t.parts[:n]", new: "_ = n", tests: "./phe/stream/shared",
	},
	{
		file: "phe/stream/trace.go", breaks: "a traced row is scored and not counted",
		old: "before := l.census.Add(it.Column, it.Key, it.Name)", new: "before := l.census.Seen(it.Key)", tests: "./phe/stream/shared",
	},
}
