package data

import (
	"fmt"

	"github.com/pkg/errors"
)

// ByProduct is the authors' stream for continual learning: the products come in groups (the paper: ten, of about 400),
// two or more. Initial is the training windows of group 1, each step those of the next group, and there is a Test for
// each: "group 1", ….
//
// The products, in the order of Sales (whether the authors take the file's is not known), are permuted by
// RandomState(1234) and cut into groups of the same size; the last takes the remainder. Of a product's n sales the first
// ⌈2n/3⌉ train and the others test; the paper's text calls the cut random. Each part's sales, product after product,
// make windows of length consecutive ones: overlapping, one for every start, which is the authors' way; or else one
// after the other, what is left over dropped.
//
// As in the authors' code a window does not end where a product does: it may hold the last sales of one product and
// the first of the next, so that time may run backwards within it. No sale is in windows of both parts.
func (s *Sales) ByProduct(groups, length int, overlapping bool) (*SalesStream, error) {
	products := s.products()
	if groups < 2 || groups > len(products) {
		return nil, errors.Errorf("stream by product: %d groups of %d products, want 2 to %d", groups, len(products), len(products))
	}
	if length < 1 {
		return nil, errors.Errorf("stream by product: windows of %d sales, want 1 or more", length)
	}
	permuted := make([]span, len(products))
	for i, j := range NewRandomState(splitSeed).Permutation(len(products)) {
		permuted[i] = products[j]
	}
	stream := &SalesStream{Sales: s, Windows: newWindows(length)}
	for g, group := range cutGroups(permuted, groups) {
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
		stream.Tests = append(stream.Tests, Test{
			Name: fmt.Sprintf("group %d", g+1), Items: s.codes(group), Train: len(learned), Rows: tested,
		})
	}
	return stream, nil
}

// cutProducts returns the first two thirds of each product's rows, rounded up, and the others, product after product.
func cutProducts(products []span) (train, test []int32) {
	for _, product := range products {
		first, end := product.first, product.end
		cut := first + (2*(end-first)+2)/3
		for row := first; row < end; row++ {
			if row < cut {
				train = append(train, int32(row))
			} else {
				test = append(test, int32(row))
			}
		}
	}
	return train, test
}

// codes returns the products' StockCodes.
func (s *Sales) codes(products []span) []string {
	codes := make([]string, len(products))
	for i, product := range products {
		codes[i] = s.Categorical[s.Incremental].Values[product.first]
	}
	return codes
}
