package report

import (
	"testing"
)

// Prop. 3.1 to the last digit.
func TestExactOrderGap(t *testing.T) {
	gap, err := exactOrderGap(200, 100)
	if err != nil || !(gap < 1e-12) || gap == 0 { // sums in another order round differently
		t.Errorf("gap %g, error %v", gap, err)
	}
}
