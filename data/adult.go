package data

// adult declares UCI Adult (Census Income): does a person earn more than 50,000 dollars a year?
//
// The authors drop rows with a missing value. 45,222 of the file's 48,842 rows remain, although the paper's text says 48,842.
func adult() declaration {
	return declaration{
		name:   "adult",
		source: "adult",
		columns: []field{
			{"age", numeric},
			{"workclass", categorical},
			{"fnlwgt", numeric},
			{"education", categorical},
			{"education-num", numeric},
			{"marital-status", categorical},
			{"occupation", categorical},
			{"relationship", categorical},
			{"race", categorical},
			{"sex", categorical},
			{"capital-gain", numeric},
			{"capital-loss", numeric},
			{"hours-per-week", numeric},
			{"native-country", categorical},
			{"income", label},
		},
		classes:      []string{"<=50K", ">50K"},
		missing:      "?",
		incremental:  "education",
		completeRows: 45222,
	}
}
