package main

// printing breaks the output on a terminal: tables, and the names that errors suggest.
var printing = []mutant{
	{
		file: "experiments/terminal/terminal.go", breaks: "a pipe gets aligned columns in place of Markdown",
		old: "if !ok || !term.IsTerminal(int(f.Fd())) {", new: "if !ok {", tests: "./experiments/terminal -run TestPrint",
	},
	{
		file: "experiments/terminal/table.go", breaks: "a table is wider than the terminal",
		old: "over := sum(widths) + gap*(len(widths)-1) - total", new: "over := sum(widths) - total", tests: "./experiments/terminal -run TestRenderFits",
	},
	{
		file: "experiments/terminal/table.go", breaks: "the parts of a wide table do not name their rows",
		old: "columns, left = slices.Clone(first), room", new: "columns, left = nil, room", tests: "./experiments/terminal -run TestParts",
	},
	{
		file: "experiments/terminal/wrap.go", breaks: "a number is parted from its deviation",
		old: `tie+"±"+tie`, new: `" ± "`, tests: "./experiments/terminal -run TestWrap",
	},
	{
		file: "experiments/nearest/nearest.go", breaks: "letters in the wrong order get no suggestion",
		old: "for i := 1; i < len(letters); i++ {", new: "for i := len(letters); i < len(letters); i++ {", tests: "./experiments/nearest",
	},
	{
		file: "experiments/nearest/nearest.go", breaks: "a name of other letters is suggested",
		old: "slips < least && slips < len(n)/2+1", new: "slips < least", tests: "./experiments/nearest",
	},
}
