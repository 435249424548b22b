package tabular_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gophe/phe"
	"gophe/phe/phetest"
	"gophe/phe/tabular"
)

// adultLike has Adult's shape: 8 categorical columns, 98 items, 5 numbers, batches of 128, chunks of 80.
func adultLike(rows int) (tabular.Config, tabular.Data) {
	c := tabular.Default()
	c.Columns, c.Numbers, c.Classes, c.Incremental = strings.Split("abcdefgh", ""), 5, 2, 1
	rng := rand.New(rand.NewPCG(1, 1))
	var d tabular.Data
	for i := range 98 {
		d.Items, d.ItemColumns = append(d.Items, fmt.Sprint("item_", i)), append(d.ItemColumns, int32(i%8))
	}
	for range rows {
		for column := range int32(8) {
			d.Index = append(d.Index, column+8*rng.Int32N(12))
		}
		for range 5 {
			d.Numbers = append(d.Numbers, rng.Float32())
		}
		d.Labels = append(d.Labels, rng.Int32N(2))
	}
	return c, d
}

var benchSchemes = []phe.Scheme{phe.Rows, phe.Items, phe.Table, phe.Local, phe.Moments, phe.Quadrature}

func bench(b *testing.B, scheme phe.Scheme, runs int) phetest.Led {
	b.Helper()
	c, d := adultLike(1280)
	c.Scheme = scheme
	if scheme == phe.Quadrature {
		c.Loss = phe.Expected
	}
	seeds := make([]int64, runs)
	for i := range seeds {
		seeds[i] = int64(i)
	}
	return pinned(b, c, d, 80, seeds...)
}

// An epoch of ten steps on 128 rows each.
func BenchmarkInitialStep(b *testing.B) {
	for _, runs := range []int{1, 5} {
		for _, scheme := range benchSchemes {
			b.Run(fmt.Sprintf("%s/runs=%d", scheme, runs), func(b *testing.B) {
				l, rows := bench(b, scheme, runs), upTo(0, 1280)
				check(b, l.Fit(rows, 1)) // compile
				b.ResetTimer()
				for range b.N {
					check(b, l.Fit(rows, 1))
				}
				b.ReportMetric(10*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
			})
		}
	}
}

// 15 steps on 80 rows.
func BenchmarkUpdate(b *testing.B) {
	for _, scheme := range benchSchemes {
		b.Run(string(scheme), func(b *testing.B) {
			l, rows := bench(b, scheme, 1), upTo(0, 80)
			check(b, l.Update(rows, 15))
			b.ResetTimer()
			for range b.N {
				check(b, l.Update(rows, 15))
			}
			b.ReportMetric(15*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// 80 rows under 100 samples.
func BenchmarkPredict(b *testing.B) {
	for _, scheme := range benchSchemes {
		b.Run(string(scheme), func(b *testing.B) {
			l, rows := bench(b, scheme, 1), upTo(0, 80)
			_, err := l.Predict(rows, 0)
			check(b, err)
			b.ResetTimer()
			for i := range b.N {
				_, err := l.Predict(rows, i+1)
				check(b, err)
			}
			b.ReportMetric(80*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
