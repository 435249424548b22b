package main

// counts breaks the predictive laws of counts.
var counts = []mutant{
	{
		file: "phe/count/count.go", breaks: "a count's transform is an empty interval",
		old: "return d.CDF(y - 1), d.CDF(y)", new: "return d.CDF(y), d.CDF(y)", tests: "./phe/count",
	},
	{
		file: "phe/count/count.go", breaks: "a median must be passed, not reached",
		old: "if p >= 0.5 {\n\t\t\tbreak", new: "if p > 0.5 {\n\t\t\tbreak", tests: "./phe/count",
	},
	{
		file: "phe/count/count.go", breaks: "likelihoods are summed over samples",
		old: "math.Log(sum/float64(n))", new: "math.Log(sum)", tests: "./phe/count",
	},
	{
		file: "phe/count/cells.go", breaks: "the open cell's law has no density",
		old: " + math.Log(-math.Expm1(-tailExponent*math.Log1p(1/float64(y))))", new: "", tests: "./phe/count",
	},
	{
		file: "phe/count/cells.go", breaks: "the open cell's distribution lags by one",
		old: "math.Log(float64(y)+1)", new: "math.Log(float64(y))", tests: "./phe/count",
	},
	{
		file: "phe/count/cells.go", breaks: "the open cell's mean is one too large",
		old: "first-1+", new: "first+", tests: "./phe/count",
	},
	{
		file: "phe/count/cells.go", breaks: "cells may begin above 1",
		old: "len(lower) == 0 || lower[0] != 1 {", new: "len(lower) == 0 || lower[0] < 1 {", tests: "./phe/count",
	},
	{
		file: "phe/count/cells.go", breaks: "cells may be empty",
		old: "if first <= lower[k] {", new: "if first < lower[k] {", tests: "./phe/count",
	},
	{
		file: "phe/count/cells.go", breaks: "cells change with their caller's list",
		old: "cellsFrom(slices.Clone(lower))", new: "cellsFrom(lower)", tests: "./phe/count",
	},
	{
		file: "experiments/packsize/cells.go", breaks: "a pack's cell holds what is above it, too",
		old: "lower = append(lower, y, y+1)", new: "lower = append(lower, y)", tests: "./experiments/packsize -run TestCells",
	},
	{
		file: "phe/count/histogram.go", breaks: "a quantile is of 1, not of the total",
		old: "part := h.total() * q", new: "part := q", tests: "./phe/count",
	},
	{
		file: "phe/count/negativebinomial.go", breaks: "no count is likelier than it is",
		old: "log := -k * math.Log1p(m/k)", new: "log := -k * math.Log1p(k/m)", tests: "./phe/count",
	},
	{
		file: "phe/count/negativebinomial.go", breaks: "the wrong tail of the beta function",
		old: "return 1 - mathext.RegIncBeta(float64(y)+1, k, 1/(1+k/m))", new: "return 1 - mathext.RegIncBeta(float64(y), k, 1/(1+k/m))", tests: "./phe/count",
	},
}

// tallies breaks the score of a stream's forecasts, and the census of its items.
var tallies = []mutant{
	{
		file: "phe/score/outcome.go", breaks: "a score of a forecast that is no number reaches JSON",
		old: "math.IsNaN(s) || math.IsInf(s, 0)", new: "math.IsInf(s, 0)", tests: "./phe/score -run TestAnything|TestOfClasses",
	},
	{
		file: "phe/score/outcome.go", breaks: "a score of two classes counts both",
		old: "len(p) == 2 && k == 0", new: "len(p) == 1 && k == 0", tests: "./phe/score -run TestOfClasses",
	},
	{
		file: "phe/score/outcome.go", breaks: "a score's square overflows",
		old: "mostError        = 1e100", new: "mostError        = 1e154", tests: "./phe/score -run TestLargestError",
	},
	{
		file: "phe/score/tally.go", breaks: "a score that is not known counts as perfect",
		old: "(t.Weight - t.Sum.Unknown)", new: "t.Weight", tests: "./phe/score -run TestMeans",
	},
	{
		file: "phe/score/blocks.go", breaks: "a score loses every second block when blocks join",
		old: "b.Tally[i].Merge(b.Tally[2*i+1])", new: "b.Tally[i].Merge(Tally{})", tests: "./phe/score -run TestBlocks",
	},
	{
		file: "phe/score/blocks.go", breaks: "the late score starts before the tenth",
		old: "if 10*seen >= rows {", new: "if 10*(seen+t.Rows) >= rows {", tests: "./phe/score -run TestLate",
	},
	{
		file: "phe/score/calibration.go", breaks: "a count's weight goes to one bin",
		old: "if first >= last {", new: "if first >= last || to > from {", tests: "./phe/score -run TestCalibratedCounts",
	},
	{
		file: "phe/score/curve.go", breaks: "forecasts that tie count as wrong",
		old: "(below + n/2)", new: "below", tests: "./phe/score -run TestAUC|TestPairwise",
	},
	{
		file: "phe/score/curve.go", breaks: "a probability of 1 and a little more panics",
		old: "probability = min(max(probability, 0), 1)", new: "probability = max(probability, 0)", tests: "./phe/score -run TestAUC",
	},
	{
		file: "phe/census/census.go", breaks: "the update is not conservative",
		old: "*p = max(*p, n)", new: "*p++", tests: "./phe/census -run TestCounts",
	},
	{
		file: "phe/census/cardinality.go", breaks: "empty registers count as if they held 0",
		old: "m*ofEmpty(empty/m)", new: "empty", tests: "./phe/census -run TestCardinality",
	},
	{
		file: "phe/census/cardinality.go", breaks: "a register does not keep the longest pattern",
		old: "*p = max(*p, uint8(", new: "*p = min(255, uint8(", tests: "./phe/census -run TestRegister",
	},
	{
		file: "phe/census/top.go", breaks: "an item that is as frequent as the last one drives it out",
		old: "count <= c.Top[MostNamed-1].Count", new: "count < c.Top[MostNamed-1].Count", tests: "./phe/census -run TestRank",
	},
	{
		file: "phe/census/top.go", breaks: "a name of any length stays in memory",
		old: "len(name) <= MostName && utf8.ValidString(name)", new: "utf8.ValidString(name)", tests: "./phe/census -run TestLongNames",
	},
	{
		file: "phe/census/top.go", breaks: "a key in JSON has not all of its bits for every reader",
		old: "`json:\"key,string\"`", new: "`json:\"key\"`", tests: "./phe/census -run TestKeyInJSON",
	},
	{
		file: "phe/stream/inspect.go", breaks: "what is believed of a name that the census cut is made up",
		old: "if key != top.Key { // the census has cut the name, and no item has the short name", new: "if key == top.Key+1 {", tests: "./phe/stream -run TestLongName",
	},
}
