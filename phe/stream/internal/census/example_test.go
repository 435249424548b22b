package census_test

import (
	"fmt"

	"gophe/phe/stream/internal/census"
)

// A column has three fruits. Keys identify the items; package hash makes them from names.
func Example() {
	keys := map[string]uint64{"apple": 1, "pear": 2, "quince": 3}
	fruits := census.New(1)
	for _, name := range []string{"apple", "pear", "apple", "quince", "apple", "pear"} {
		before := fruits.Add(0, keys[name], name)
		fmt.Println(name, "was seen", before, "times")
	}
	column := fruits.Columns[0]
	fmt.Printf("%d items, %d of them known, about %.0f different\n", column.Items, column.Known, fruits.Cardinality(0))
	for _, top := range column.Top {
		fmt.Println(top.Name, top.Count)
	}
	// Output:
	// apple was seen 0 times
	// pear was seen 0 times
	// apple was seen 1 times
	// quince was seen 0 times
	// apple was seen 2 times
	// pear was seen 1 times
	// 6 items, 3 of them known, about 3 different
	// apple 3
	// pear 2
	// quince 1
}
