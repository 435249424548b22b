package main

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
