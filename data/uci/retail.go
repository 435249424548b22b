package uci

// Retail declares UCI Online Retail: what quantity will a line of an invoice sell, given the product's earlier sales?
//
// Lines that sell nothing (returns, corrections) are dropped. The authors do so, and the paper says it of cancellations.
// 531,285 of 541,909 lines remain. A quarter of them name no customer, and the missing customer is an item like any other.
func Retail() Declaration {
	return Declaration{
		Name:   "retail",
		Source: "retail",
		Columns: []Field{
			{"InvoiceNo", ignored},
			{"StockCode", Categorical},
			{"Description", ignored},
			{"Quantity", count},
			{"InvoiceDate", moment},
			{"UnitPrice", Numeric}, // two are negative: debts written off
			{"CustomerID", Optional},
			{"Country", Categorical},
		},
		Positive:     "Quantity",
		Incremental:  "StockCode",
		CompleteRows: 531285,
	}
}
