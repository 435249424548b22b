// Package packsize forecasts the quantities of Online Retail's sales from pooled counts (package counttree). It makes the contexts
// of a sale: product, customer, price, window and running levels, and takes a learner of them along the days of a stream.
package packsize

// Sale is what is known of a sale before its quantity. Product, Customer and Country are numbers that identify them, such as
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

// windowLength is how many earlier sales of a product a forecast looks at: the paper's (Supp. E.4).
const windowLength = 9

const minutesPerDay = 24 * 60
