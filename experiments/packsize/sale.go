// Package packsize forecasts the quantities of Online Retail's sales from pooled counts (package counttree). It makes the contexts
// of a sale: product, customer, price, window and running levels, and takes a learner of them along the days of a stream.
package packsize

// Sale holds the facts of a sale that are known before its quantity. Product, Customer and Country are numbers that identify them, such as
// hashes of their names: there is no vocabulary.
type Sale struct {
	Product, Customer, Country uint64
	Anonymous                  bool // no customer is named; Customer is ignored
	Price                      float64
	Minute                     int // since a midnight, a Wednesday's in Online Retail
}

// Line is a sale and its quantity.
type Line struct {
	Sale
	Quantity int
}

// windowLength is the number of a product's earlier sales that a forecast looks at, as in the paper (Supp. E.4).
const windowLength = 9

const minutesPerDay = 24 * 60
