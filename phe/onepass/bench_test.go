package onepass

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
)

// randomRows makes rows of a model's shape, with items of a small vocabulary a column.
func randomRows(c Config, n int) (rows []*Row, targets []float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		row := &Row{}
		for column := range c.Columns {
			cell := Cell{Column: int32(column), Share: 1, Key: rng.Uint64() >> 3}
			if c.WeightRows > 0 {
				cell.Weights = int32(rng.IntN(c.WeightRows))
			}
			row.Add(cell)
			for range c.Hashes {
				slot := uint32(rng.IntN(c.Buckets))
				if c.Assembly == SignedSum {
					slot |= uint32(rng.IntN(2)) << 31
				}
				row.Slots = append(row.Slots, slot)
			}
		}
		for range c.Numbers {
			row.Numbers = append(row.Numbers, rng.Float64())
		}
		rows, targets = append(rows, row), append(targets, float64(rng.IntN(max(2, c.Outputs))))
	}
	return rows, targets
}

// shapes are the shapes of the paper's tables, and of streams with few and with many columns.
func shapes() map[string]Config {
	return map[string]Config{
		"adult":               Paper(8, 6, 1),
		"covertype":           Paper(2, 10, 7),
		"stream, 4 columns":   Stream(Shape{Columns: 4, Interactions: None}),
		"stream, 12 columns":  Stream(Shape{Columns: 12, Interactions: None}),
		"stream, 12 in pairs": Stream(Shape{Columns: 12}),
		"stream, 12 with FM":  Stream(Shape{Columns: 12, Interactions: FM}),
		"stream, 12 in both":  Stream(Shape{Columns: 12, Interactions: Both}),
	}
}

// processorTime returns the processor time of this process, which other processes do not change.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkLearn predicts each row and learns it.
func BenchmarkLearn(b *testing.B) {
	for name, c := range shapes() {
		b.Run(name, func(b *testing.B) {
			l := filetest.Must(New(c))(b)
			rows, targets := randomRows(c, 1000)
			for i, row := range rows { // buffers grow
				step(l, row, targets[i])
			}
			b.ReportAllocs()
			sum, start := 0.0, processorTime(b)
			for i := 0; b.Loop(); i++ {
				sum += step(l, rows[i%1000], targets[i%1000]).Mean
			}
			b.ReportMetric(float64(b.N)/(processorTime(b)-start).Seconds(), "rows/cpu-s")
			if fmt.Sprint(sum) == "NaN" {
				b.Fatal("not a number")
			}
		})
	}
}
