package baseline

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"gophe/experiments/result/fixture"
	"gophe/phe/disk/filetest"
)

// Each pack is a cell, and each cell begins where the one before ends.
func TestCells(t *testing.T) {
	c := Cells()
	filetest.WantEqual(t, c.Len(), 95, "cells")
	for y, want := range map[int]int{1: 0, 2: 1, 50: 49, 51: 50, 59: 50, 60: 51, 61: 52, 71: 56, 599: 92, 600: 93, 601: 94, 80995: 94, 1 << 60: 94} {
		filetest.WantEqual(t, c.Of(y), want, "cell of %d", y)
	}
	for y := 1; y < 1000; y++ { // each cell begins where the one before ends
		step := c.Of(y+1) - c.Of(y)
		filetest.Want(t, step == 0 || step == 1, "from %d on, %d cells further", y, step)
	}
	defer func() {
		filetest.Want(t, recover() != nil, "0 has a cell")
	}()
	c.Of(0)
}

// TestRecount finds packs, and the exponent of count's last cell, again in the sales before 2011-02-01.
func TestRecount(t *testing.T) {
	sold := soldBefore(t, "2011-02-01")
	var common []int
	logs, large := 0.0, 0
	for y, n := range sold {
		if y > singles && n >= 7 {
			common = append(common, y)
		}
		if y > packs[len(packs)-1] {
			logs += float64(n) * math.Log(float64(y)/(float64(packs[len(packs)-1])+0.5)) // Hill's estimate, of rounded values
			large += n
		}
	}
	slices.Sort(common)
	filetest.Want(t, slices.Equal(common, packs), "sold at least 7 times: %v, declared %v", common, packs)
	filetest.WantEqual(t, [3]int{sold[300], sold[408], sold[720]}, [3]int{6, 6, 6}, "times that 300, 408, 720 were sold")
	filetest.WantEqual(t, large, 38, "times that more than 600 were sold")
	last, first := Cells().Len()-1, float64(packs[len(packs)-1]+1)
	declared := math.Log(1-Cells().Within(last).CDF(10_000)) / math.Log(first/10_001) // P(Y > y) = (first/(y+1))^exponent
	filetest.WantNear(t, declared, float64(large)/logs, 0.05, "the declared tail exponent, and the likeliest")
}

// soldBefore counts how often each positive quantity was sold before a day, in the file of the checkout.
func soldBefore(t *testing.T, day string) map[int]int {
	t.Helper()
	lines := fixture.Retail(t)
	const quantity, date = 3, 4
	sold := make(map[int]int)
	for header := true; ; header = false {
		line := filetest.Must(lines.Read())(t)
		if header {
			continue
		}
		if line[date] >= day { // dates never decrease
			return sold
		}
		y := filetest.Must(strconv.Atoi(line[quantity]))(t)
		if y > 0 {
			sold[y]++
		}
	}
}
