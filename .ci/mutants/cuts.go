package main

// cuts breaks the splits of data: which rows are learned, in which order, and which are never seen.
var cuts = []mutant{
	{
		file: "data/cuts/block.go", breaks: "a block is cut 75/25",
		old: "ScoredFraction = 0.8", new: "ScoredFraction = 0.75", tests: "./data/tables -run TestOnlineSplit",
	},
	{
		file: "data/cuts/block.go", breaks: "cuts have another seed",
		old: "Seed = 1234", new: "Seed = 1235", tests: "./data/tables -run TestOnlineSplit",
	},
	{
		file: "data/tables/split.go", breaks: "the items' permutation takes no draws",
		old: "random := t.afterItems()", new: "random := cuts.NewRandomState(cuts.Seed)", tests: "./data/tables -run TestOnlineSplit",
	},
	{
		file: "data/cuts/block.go", breaks: "a block is not permuted again",
		old: "permuted := random.Shuffled(rows)", new: "permuted := append([]int32{}, rows...)", tests: "./data/tables -run TestOnlineSplit",
	},
	{
		file: "data/cuts/block.go", breaks: "the scored rows are returned as held out too",
		old: "HeldOut: permuted[cut:]}", new: "HeldOut: permuted[:cut]}", tests: "./data/tables -run TestOnlineSplit",
	},
	{
		file: "data/cuts/random.go", breaks: "no number of a permutation keeps its place",
		old: "j := r.interval(uint32(i))\n", new: "j := r.interval(uint32(i - 1))\n", tests: "./data/cuts -run TestPermutation",
	},
	{
		file: "data/cuts/random.go", breaks: "the largest draw is rejected",
		old: "draw <= largest", new: "draw < largest", tests: "./data/cuts -run TestPermutation",
	},
	{
		file: "data/tables/groups.go", breaks: "two thirds are rounded down",
		old: "(2*len(rows) + 2) / 3", new: "2 * len(rows) / 3", tests: "./data/tables -run TestGroupSplit",
	},
	{
		file: "data/tables/partition.go", breaks: "a stratum's share is rounded down",
		old: "(n*numerator + denominator - 1) / denominator", new: "n * numerator / denominator", tests: "./data/tables -run TestGroupSplit",
	},
	{
		file: "data/tables/partition.go", breaks: "strata are items without classes",
		old: "quota[stratum{values[row], t.Labels[row]}]++", new: "quota[stratum{values[row], 0}]++", tests: "./data/tables -run TestGroupSplit",
	},
	{
		file: "data/cuts/block.go", breaks: "the last group lacks the remainder",
		old: "groups[numGroups-1] = items[(numGroups-1)*size:]", new: "", tests: "./data/tables -run TestItemGroups|TestGroupSplit",
	},
	{
		file: "data/cuts/chunks.go", breaks: "a single row left over is a step",
		old: "for len(rows) >= 2 &&", new: "for len(rows) >= 1 &&", tests: "./data/tables -run TestByGroup|TestStreams|TestSwapped",
	},
	{
		file: "data/tables/bygroup.go", breaks: "the initial phase learns the first group's test",
		old: "Initial: groups[0].Train}", new: "Initial: groups[0].Test}", tests: "./data/tables -run TestByGroup",
	},
	{
		file: "data/tables/growing.go", breaks: "the rows of an item that appears are not drawn from",
		old: "pool = append(pool, newcomers[item][1:]...)", new: "pool = append(pool, newcomers[item][:0]...)", tests: "./data/tables -run TestGrowing",
	},
	{
		file: "data/tables/swapped.go", breaks: "items are exchanged in the first half",
		old: "t.exchange(pair[0], pair[1], after, newMeaning)", new: "t.exchange(pair[0], pair[1], before, newMeaning)", tests: "./data/tables -run TestSwapped",
	},
	{
		file: "data/sales/daily.go", breaks: "the first day is learned before it is met",
		old: "return day(i) >= firstDay", new: "return day(i) > firstDay", tests: "./data/sales -run TestDaily",
	},
	{
		file: "data/sales/daily.go", breaks: "two days are one step",
		old: "day(end) == day(start)", new: "day(end) <= day(start)+1", tests: "./data/sales -run TestDaily",
	},
	{
		file: "data/sales/windows.go", breaks: "windows are padded in silence",
		old: "w.Padding = append(w.Padding, int32(padding))", new: "w.Padding = append(w.Padding, int32(0*padding))", tests: "./data/sales -run Windows",
	},
}

// choosing breaks how a person's file is read, and how hyperparameters are chosen.
var choosing = []mutant{
	{
		file: "experiments/ownfile/read.go", breaks: "a number's unit looks at the stream",
		old: "for _, row := range initial {", new: "for row := range c.Values {", tests: "./experiments/ownfile -run TestScale",
	},
	{
		file: "experiments/ownfile/builder.go", breaks: "a missing number is not told from 0",
		old: "b.put(b.number[numbers], orMissing(cell.Item))", new: "b.put(b.number[numbers], given)", tests: "./experiments/ownfile -run TestRead",
	},
	{
		file: "experiments/protocol/plan.go", breaks: "the first rows of the stream are initial too",
		old: "range slices.Chunk(rows[initial:],", new: "range slices.Chunk(rows[initial-1:],", tests: "./experiments/protocol -run TestInOrder",
	},
	{
		file: "experiments/protocol/plan.go", breaks: "the validation part is learned before it is scored",
		old: "Initial: train}", new: "Initial: append(train, rest...)}", tests: "./experiments/protocol -run TestValidationLeavesTheStreamAlone",
	},
	{
		file: "experiments/protocol/plan.go", breaks: "the rows of the stream are the validation part",
		old: "slices.Chunk(rest, size)", new: "slices.Chunk(slices.Concat(append(p.Steps, rest)...), size)", tests: "./experiments/protocol -run TestValidationLeavesTheStreamAlone",
	},
	{
		file: "experiments/sweep/score.go", breaks: "steps weigh alike, whatever their rows",
		old: "return stat.Mean(scores, weights), true", new: "return stat.Mean(scores, nil), true", tests: "./experiments/sweep -run TestChoice",
	},
	{
		file: "experiments/sweep/score.go", breaks: "any point is a neighbour",
		old: "return steps == 1", new: "return steps > 0", tests: "./experiments/sweep -run TestChoice",
	},
	{
		file: "experiments/sweep/grid.go", breaks: "the spec keeps its own value beside the one that is tried",
		old: "delete(fields, leaf(path))", new: "", tests: "./experiments/sweep -run TestGrid",
	},
}
