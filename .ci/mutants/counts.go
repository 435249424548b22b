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
