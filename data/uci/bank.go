package uci

// bank declares UCI Bank Marketing (bank-full.csv): does a client whom a Portuguese bank calls take out a deposit?
//
// Nothing is missing: "unknown" is an item like any other, as in the authors' code. The incremental column is the
// outcome of the previous campaign, which is unknown in 82 % of the rows.
func bank() Declaration {
	return Declaration{
		Name:   "bank",
		Source: "bank",
		Columns: []Field{
			{"age", Numeric},
			{"job", Categorical},
			{"marital", Categorical},
			{"education", Categorical},
			{"default", Categorical},
			{"balance", Numeric}, // may be negative
			{"housing", Categorical},
			{"loan", Categorical},
			{"contact", Categorical},
			{"day", Numeric},
			{"month", Categorical},
			{"duration", Numeric},
			{"campaign", Numeric},
			{"pdays", Numeric}, // −1: never called before
			{"previous", Numeric},
			{"poutcome", Categorical},
			{"y", Label},
		},
		Classes:      []string{"no", "yes"},
		Incremental:  "poutcome",
		CompleteRows: 45211,
	}
}
