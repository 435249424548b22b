package lesson

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/figures/draw/drawtest"
	"gophe/phe/disk/filetest"
)

// committed reads a committed result.
func committed(t testing.TB, name string) *result.File {
	t.Helper()
	return filetest.Must(result.OpenFolder("../../experiments/out").Load(name))(t)
}

func TestOrders(t *testing.T) {
	own := OrderOf("one pass", committed(t, "adult-order-one-pass"), "One pass order")
	filetest.Want(t, [2]int{len(own.Deviations), len(own.Deviations[0])}, [2]int{5, 20}, "seeds, and deviations of each")
	filetest.Near(t, stat.Mean(own.Deviations[4], nil), 0, 1e-9, "the mean deviation of a seed")
	run := func(name string, ends ...float64) (m result.Method) {
		m.Name = name
		for seed, end := range ends {
			m.Put(result.Run{Seed: int64(seed), Summary: map[string]float64{measure.FinalAverage: end}})
		}
		return m
	}
	o := OrderOf("one pass", &result.File{Methods: []result.Method{run("order a", 1, 0), run("order b", 3, 4)}}, "order")
	filetest.Near(t, o.Spread, 1.5*math.Sqrt2, 1e-12, "the deviation")
	by := drawtest.BySeries(Orders(o, Order{Name: "PHE", Deviations: [][]float64{{0, 0}}}))
	filetest.Want(t, len(by), 5, "points, of which two of six are alike")
}
