package baseline

import "slices"

// Baselines of classification. They learn from every label that the stream has shown.
const (
	Majority     = "Majority"     // predicts how often each class was seen
	ItemMajority = "ItemMajority" // the same, counted for each item of the incremental column
	Truth        = "Known truth"  // knows the probabilities from which a generated table's labels were drawn; learns nothing
)

// Biases is the strongest baseline of ratings: the global mean, plus the film's deviation, plus the user's deviation from that.
const Biases = "Biases"

// Has tells whether a baseline has the name.
func Has(name string) bool {
	others := []string{Majority, ItemMajority, Truth, "Global mean", "User mean", "Film mean", Biases}
	return slices.Contains(others, name) || slices.Contains(SalesNames(), name)
}

// SalesNames lists the baselines of sales in the order of the table.
func SalesNames() (names []string) {
	for _, b := range baselines() {
		names = append(names, b.name)
	}
	return names
}

// named is a baseline before it has seen a sale.
type named struct {
	name  string
	build func(products, customers int) rule
}

// baselines returns the rules in three groups: rules of the window, running medians, running distributions.
func baselines() []named {
	point := func(name string, say func(*history, line, []float64) float64) named {
		return named{name, func(products, customers int) rule { return &pointRule{newHistory(products, customers), say} }}
	}
	return []named{
		point("Last value", ofWindow(lastValue)),
		point("Mean of nine", ofWindow(meanOfNine)),
		point("Median of nine", ofWindow(medianOfNine)),
		point("Exponential smoothing", ofWindow(exponentialSmoothing)),
		point("Product median", productMedian),
		point("Customer median", func(h *history, l line, _ []float64) float64 { return h.customerMedian(l, 1) }),
		point("Customer median from 3 sales", func(h *history, l line, _ []float64) float64 { return h.customerMedian(l, 3) }),
		point("Product × customer last", productCustomerLast),
		{"Gamma–Poisson filter", func(products, _ int) rule { return newGammaPoisson(products, 0.95) }},
		{"Product histogram", func(products, customers int) rule { return newCounting(products, customers, 1, 0) }},
		{"Counting rule", func(products, customers int) rule { return newCounting(products, customers, 0.995, 0.9) }},
	}
}
