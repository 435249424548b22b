package data

// retail declares UCI Online Retail: what quantity will a line of an invoice sell, given the product's earlier sales?
//
// Lines that sell nothing (returns, corrections) are dropped. The authors do so, and the paper says it of cancellations.
// 531,285 of 541,909 lines remain. A quarter of them name no customer, and the missing customer is an item like any other.
func retail() declaration {
	return declaration{
		name:   "retail",
		source: "retail",
		columns: []field{
			{"InvoiceNo", ignored},
			{"StockCode", categorical},
			{"Description", ignored},
			{"Quantity", count},
			{"InvoiceDate", moment},
			{"UnitPrice", numeric}, // two are negative: debts written off
			{"CustomerID", optional},
			{"Country", categorical},
		},
		positive:     "Quantity",
		incremental:  "StockCode",
		completeRows: 531285,
	}
}
