package main

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
