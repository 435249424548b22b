package data

// bank declares UCI Bank Marketing (bank-full.csv): does a client whom a Portuguese bank calls take out a deposit?
//
// Nothing is missing: "unknown" is an item like any other, as in the authors' code. The incremental column is the
// outcome of the previous campaign, which is unknown in 82 % of the rows.
func bank() declaration {
	return declaration{
		name:   "bank",
		source: "bank",
		columns: []field{
			{"age", numeric},
			{"job", categorical},
			{"marital", categorical},
			{"education", categorical},
			{"default", categorical},
			{"balance", numeric}, // may be negative
			{"housing", categorical},
			{"loan", categorical},
			{"contact", categorical},
			{"day", numeric},
			{"month", categorical},
			{"duration", numeric},
			{"campaign", numeric},
			{"pdays", numeric}, // −1: never called before
			{"previous", numeric},
			{"poutcome", categorical},
			{"y", label},
		},
		classes:      []string{"no", "yes"},
		incremental:  "poutcome",
		completeRows: 45211,
	}
}
