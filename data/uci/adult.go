package uci

// adult declares UCI Adult (Census Income): does a person earn more than 50,000 dollars a year?
//
// The authors drop rows with a missing value. 45,222 of the file's 48,842 rows remain, although the paper's text says 48,842.
func adult() Declaration {
	return Declaration{
		Name:   "adult",
		Source: "adult",
		Columns: []Field{
			{"age", Numeric},
			{"workclass", Categorical},
			{"fnlwgt", Numeric},
			{"education", Categorical},
			{"education-num", Numeric},
			{"marital-status", Categorical},
			{"occupation", Categorical},
			{"relationship", Categorical},
			{"race", Categorical},
			{"sex", Categorical},
			{"capital-gain", Numeric},
			{"capital-loss", Numeric},
			{"hours-per-week", Numeric},
			{"native-country", Categorical},
			{"income", Label},
		},
		Classes:      []string{"<=50K", ">50K"},
		Missing:      "?",
		Incremental:  "education",
		CompleteRows: 45222,
	}
}
