package baseline

// Names lists the baselines in the order of the table.
func Names() []string {
	var names []string
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

// baselines are ordered by what they look at: the window, running medians, running distributions.
func baselines() []named {
	point := func(name string, say func(*history, line, []float64) float64) named {
		return named{name, func(products, customers int) rule { return &pointRule{newHistory(products, customers), say} }}
	}
	return []named{
		point("Last value", lastValue),
		point("Mean of nine", meanOfNine),
		point("Median of nine", medianOfNine),
		point("Exponential smoothing", exponentialSmoothing),
		point("Product median", productMedian),
		point("Customer median", func(h *history, l line, _ []float64) float64 { return h.customerMedian(l, 1) }),
		point("Customer median from 3 sales", func(h *history, l line, _ []float64) float64 { return h.customerMedian(l, 3) }),
		point("Product × customer last", productCustomerLast),
		{"Gamma–Poisson filter", func(products, _ int) rule { return newGammaPoisson(products, 0.95) }},
		{"Product histogram", func(products, customers int) rule { return newCounting(products, customers, 1, 0) }},
		{"Counting rule", func(products, customers int) rule { return newCounting(products, customers, 0.995, 0.9) }},
	}
}
