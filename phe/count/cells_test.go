package count

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"gophe/phe/disk/filetest"
)

// dozens are 95 cells: 1 … 50 singly, some packs above 50 singly, and the ranges between and above them.
func dozens() Cells {
	lower := numbersTo(51)
	for _, y := range []int{60, 64, 70, 72, 75, 80, 90, 96, 100, 108, 120, 128, 144, 160, 192, 200, 216, 240, 288, 384, 480, 600} {
		lower = append(lower, y, y+1)
	}
	c, err := NewCells(lower...)
	if err != nil {
		panic(err)
	}
	return c
}

func numbersTo(n int) (numbers []int) {
	for y := range n {
		numbers = append(numbers, y+1)
	}
	return numbers
}

// Cells begin where they are told to, from 1 on. They keep no slice of their caller's.
func TestNewCells(t *testing.T) {
	lower := []int{1, 2, 10, 11}
	c := filetest.Must(NewCells(lower...))(t)
	lower[2] = 5
	for y, want := range map[int]int{1: 0, 2: 1, 9: 1, 10: 2, 11: 3, 1 << 60: 3} {
		filetest.Want(t, c.Of(y), want, "the cell of %d", y)
		filetest.True(t, c.First(want) <= y, "cell %d begins at %d", want, c.First(want))
	}
	one := filetest.Must(NewCells(1))(t)
	filetest.Want(t, [2]int{one.Len(), one.Of(7)}, [2]int{1, 0}, "one cell, and where 7 is")
	for right, lower := range map[string][]int{
		"begin at 1": {}, "the first must": {2, 3}, "cell 2 begins at 2": {1, 2, 2}, "ascending": {1, 5, 4, 9},
	} {
		c, err := NewCells(lower...)
		filetest.WantError(t, err, right)
		filetest.Want(t, c.Len(), 0, "cells from %v", lower)
	}
}

// TestWithin sums each cell's distribution to 1. The open cell is summed to 10⁶, and P(Y > 10⁶ | cell) is (601/(10⁶+1))^α.
func TestWithin(t *testing.T) {
	c, sums, means := dozens(), make([]float64, 95), make([]float64, 95)
	const end = 1000000
	for y := 1; y <= end; y++ {
		p := math.Exp(c.Within(c.Of(y)).LogProbability(y))
		sums[c.Of(y)] += p
		means[c.Of(y)] += p * float64(y)
		if cdf := c.Within(c.Of(y)).CDF(y); !(math.Abs(cdf-sums[c.Of(y)]) <= 1e-10) {
			t.Fatalf("P(Y ≤ %d) is %g, the sum %g", y, cdf, sums[c.Of(y)])
		}
	}
	beyond := math.Pow(601.0/(end+1), tailExponent)
	sums[94] += beyond
	means[94] += beyond * (end + 1) * tailExponent / (tailExponent - 1) // Pareto's mean beyond the end
	for k := range sums {
		filetest.Near(t, sums[k], 1, 1e-10, "cell %d: the sum of probabilities", k)
		mean := c.Within(k).Mean()
		filetest.True(t, scalar.EqualWithinRel(means[k], mean, 1e-6), "cell %d: mean %v, said %v", k, means[k], mean)
	}
	for _, y := range []int{12, 600, 75} {
		filetest.Want(t, c.Within(c.Of(y)).LogProbability(y), 0, "log P(%d) in its own cell", y)
	}
	got := c.Within(94).LogProbability(math.MaxInt64)
	filetest.True(t, !math.IsNaN(got) && !math.IsInf(got, 0), "the largest int has %v", got)
}
