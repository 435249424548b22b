package tabular_test

import (
	"fmt"
	"testing"

	"gophe/phe"
	"gophe/phe/internal/nettest"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
	"gophe/phe/models/tabular"
)

// excerptItems is the number of items that an excerpt of a few records has room for. The data has the same number, so the noise of
// scheme Items has one shape in excerpts and in whole tables.
const excerptItems = 64

// excerptData has rows of two columns of 32 values each. The first 32 rows use all items.
func excerptData(numbers, classes int) tabular.Data {
	const values, rows = excerptItems / 2, 80
	var d tabular.Data
	for i := range excerptItems {
		d.Items = append(d.Items, fmt.Sprintf("%s_value%d", toyNames[i/values], i%values))
		d.ItemColumns = append(d.ItemColumns, int32(i/values))
	}
	for row := range rows {
		value := row % values
		d.Index = append(d.Index, int32(value), int32(values+(value+row/values*5)%values))
		for n := range numbers {
			d.Numbers = append(d.Numbers, float32((row*7+n*3)%11)/11)
		}
		d.Labels = append(d.Labels, int32(value%classes))
	}
	return d
}

// A batch that is not pinned takes only the rows of the tables that its records use to the device. Every call must give the same as
// with whole tables, and leave all other rows unchanged. With these sizes both draw the same noise.
func TestExcerptEqualsPinned(t *testing.T) {
	schemes := []phe.Scheme{phe.Local, phe.Quadrature, phe.Moments, phe.Fresh, phe.Items, phe.Table}
	for _, m := range methods {
		for _, scheme := range schemes {
			for _, classes := range []int{2, 3} {
				if scheme.NeedsOneLogit() && classes > 2 || m.estimate == phe.Point && scheme != phe.Local {
					continue // a point estimate is one under every scheme
				}
				name := fmt.Sprintf("%s/%s/%d classes", m.name, scheme, classes)
				if nettest.Brief(t) && name != "PHE/local/2 classes" {
					continue
				}
				c := m.config(1, classes)
				c.Scheme, c.Scope = scheme, phe.AllParameters
				if scheme == phe.Quadrature {
					c.Loss = phe.Expected
				}
				if m.rows == phe.Hashed {
					c.Encoder.NumBuckets, c.Encoder.NumWeights = 1009, 211
				} else {
					c.Encoder.Capacity = 331
				}
				t.Run(name, func(t *testing.T) { testExcerpt(t, c) })
			}
		}
	}
}

func testExcerpt(t *testing.T, c tabular.Config) {
	d := excerptData(c.Numbers, c.Classes)
	whole := pinned(t, c, d, excerptItems, 1, 2)
	part := newLed(t, c, d, learn.Options{Seeds: []int64{1, 2}, MaxUpdated: excerptItems})

	chunks := [][]int32{upTo(0, 32), upTo(40, 53)}
	if c.Scheme == phe.Items && c.Encoder.Estimate == phe.Posterior {
		chunks = chunks[:1] // the noise of fewer items has another shape
	}
	learned := upTo(0, 64) // all items
	check(t, whole.Fit(learned, 1))
	check(t, part.Fit(learned, 1))
	sameState(t, "fit", part, whole)
	check(t, part.Restore(snapshot(t, whole))) // roundings must not add up
	check(t, whole.Replay(learned, 1))
	check(t, part.Replay(learned, 1))
	sameState(t, "replay", part, whole)
	whole.Settle()
	part.Settle()
	for _, chunk := range chunks {
		check(t, part.Restore(snapshot(t, whole)))
		sameForecasts(t, part, whole, chunk)
		check(t, whole.Update(chunk, 1))
		check(t, part.Update(chunk, 1))
		sameState(t, "update", part, whole)
		sameForecasts(t, part, whole, chunk)
	}
}

// excerptTolerance allows for sums that add up in another order. Adam divides their roundings by the size of a gradient.
const excerptTolerance = 1e-5

func sameState(t *testing.T, after string, got, want learntest.Led) {
	t.Helper()
	is, should := snapshot(t, got), snapshot(t, want)
	if is.Counts != should.Counts {
		t.Errorf("after %s the counts are %+v, and %+v with pinned data", after, is.Counts, should.Counts)
	}
	nettest.Same(t, "parameters after "+after, is.Parameters, should.Parameters, excerptTolerance)
}

func sameForecasts(t *testing.T, got, want learntest.Led, records []int32) {
	t.Helper()
	is, should := nettest.Predict(t, got, records, 3), nettest.Predict(t, want, records, 3)
	nettest.Same(t, "forecasts", [][]float32{is}, [][]float32{should}, excerptTolerance)
}
