package main

// printing breaks the visible output: tables, figures with their captions, and the names that errors suggest.
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
	{
		file: "experiments/terminal/table.go", breaks: "a column is narrower than its widest cell",
		old: "widths[i] = max(widths[i], natural(cell))", new: "widths[i] = max(widths[i], natural(cell)-1)", tests: "./experiments/terminal -run TestRender$",
	},
	{
		file: "experiments/nearest/nearest.go", breaks: "an error lists thirty names",
		old: "case len(names) > mostListed:", new: "case len(names) > 2*mostListed:", tests: "./experiments/nearest",
	},
	{
		file: "experiments/nearest/nearest.go", breaks: "the last name that is close enough is suggested, not the closest",
		old: "best, least = n, slips", new: "best = n", tests: "./experiments/nearest",
	},
	{
		file: "experiments/report/glance.go", breaks: "the strongest rival is the weakest",
		old: "(*mean < *best) == metric.Less", new: "(*mean < *best) != metric.Less", tests: "./experiments/report -run TestReadmeTables",
	},
	{
		file: "experiments/report/glance.go", breaks: "PHE is a rival of itself",
		old: "if ofPHE(m.Name) {", new: "if false {", tests: "./experiments/report -run TestReadmeTables",
	},
	{
		file: "figures/edge.go", breaks: "the caption is silent about a band that goes on beyond the panel",
		old: "if inside && (c.mean[i]-sd < low || c.mean[i]+sd > high) {", new: "if inside && c.mean[i]-sd < low && c.mean[i]-sd > high {", tests: "./figures -run TestBeyondEdge",
	},
	{
		file: "figures/edge.go", breaks: "every line that leaves its panel soars",
		old: "c.mean[i] > high+steep*(high-low)", new: "c.mean[i] > high+0*steep*(high-low)", tests: "./figures -run TestSoaring",
	},
	{
		file: "figures/focus.go", breaks: "lines out of focus keep their bands",
		old: "c.look.width, c.stdDev = vg.Points(0.8), nil", new: "c.look.width = vg.Points(0.8)", tests: "./figures -run TestPaysFocus",
	},
	{
		file: "figures/focus.go", breaks: "the caption does not name the methods that a figure leaves out",
		old: "left = append(left, m.label)", new: "_ = m.label", tests: "./figures -run TestFigure10LeavesOut",
	},
}
