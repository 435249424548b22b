package sales_test

import (
	"fmt"

	"gophe/data/files"
	"gophe/data/sales"
)

func ExampleLoad() {
	sales, err := sales.Load(files.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	stream, err := sales.Daily(sales.OverlappingWindows(10), 62)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sales.NumRows(), "sales; row 0 is of", sales.Categorical[sales.Incremental].Token(0))
	fmt.Println(len(stream.Initial), "windows, then", len(stream.Steps), "days, the first with", len(stream.Steps[0]))
	// Output:
	// 531285 sales; row 0 is of StockCode_10002
	// 44480 windows, then 261 days, the first with 1152
}
