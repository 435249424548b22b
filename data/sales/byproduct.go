package sales

import (
	"fmt"

	"github.com/pkg/errors"

	"gophe/data/splits"
)

// ByProduct returns the authors' stream for continual learning. The products come in two or more groups (the paper: ten, of
// about 400 products). Initial holds the training windows of group 1, and each step holds the next group's. Each group has a
// Test: "group 1", ….
//
// RandomState(1234) permutes the products from the order of Sales; the authors may use the file's order. Groups have the same
// size, and the last takes the remainder. The first ⌈2n/3⌉ of a product's n sales train and the others test, although the
// paper's text calls the cut random. The sales of each part, product after product, make windows of consecutive sales. The
// authors' windows overlap: one begins at every sale. Otherwise windows follow one another, and the rest is dropped.
//
// As in the authors' code a window may hold the last sales of one product and the first of the next. Time may therefore run
// backwards in it. No sale is in windows of both parts.
func (s *Sales) ByProduct(groups, length int, overlapping bool) (*Stream, error) {
	products := s.products()
	if groups < 2 || groups > len(products) {
		return nil, errors.Errorf("stream by product: %d groups of %d products, want 2 to %d", groups, len(products), len(products))
	}
	if length < 1 {
		return nil, errors.Errorf("stream by product: windows of %d sales, want at least 1", length)
	}
	stream := &Stream{Sales: s, Windows: newWindows(length)}
	for g, group := range splits.Groups(splits.Shuffled(splits.NewRandomState(), products), groups) {
		train, test := cutProducts(group)
		learned := stream.Windows.addRuns(train, overlapping)
		tested := stream.Windows.addRuns(test, overlapping)
		if len(learned) == 0 || len(tested) == 0 {
			return nil, errors.Errorf("stream by product: group %d has %d training and %d test sales, too few for windows of %d; "+
				"choose fewer groups or shorter windows", g+1, len(train), len(test), length)
		}
		if g == 0 {
			stream.Initial = learned
		} else {
			stream.Steps = append(stream.Steps, learned)
		}
		stream.Tests = append(stream.Tests, splits.Test{
			Name: fmt.Sprintf("group %d", g+1), Items: s.codes(group), Train: len(learned), Rows: tested,
		})
	}
	return stream, nil
}

// cutProducts returns the first two thirds of each product's rows, rounded up, and the other rows, product after product.
func cutProducts(products []splits.Span) (train, test []int32) {
	for _, product := range products {
		rows := product.Rows()
		cut := (2*len(rows) + 2) / 3
		train, test = append(train, rows[:cut]...), append(test, rows[cut:]...)
	}
	return train, test
}

// codes returns the StockCodes of products.
func (s *Sales) codes(products []splits.Span) []string {
	codes := make([]string, len(products))
	for i, product := range products {
		codes[i] = s.Categorical[s.Incremental].Values[product.First]
	}
	return codes
}
