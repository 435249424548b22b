package picture

import (
	"fmt"
	"math"
	"testing"
)

// Two of 23 people share a birthday more likely than not, and on average the 25th person is the first who does: 24.6166.
func TestExpectedFirstTwin(t *testing.T) {
	near(t, "birthdays", expectedFirstTwin(365), 24.61658, 1e-4)
	near(t, "one cell", expectedFirstTwin(1), 2, 1e-12)
	near(t, "by Stirling", expectedFirstTwin(1e6), math.Sqrt(math.Pi*1e6/2)+2.0/3, 0.01)
}

func TestExpectedTwins(t *testing.T) {
	near(t, "two items, one cell", expectedTwins(2, 1), 2, 1e-12)
	near(t, "two items", expectedTwins(2, 7), 2.0/7, 1e-12)
	near(t, "three items, two cells", expectedTwins(3, 2), 2.25, 1e-12) // all in one cell, 1/4: 3; else 2
	near(t, "many cells", expectedTwins(1000, 1e12), 1000*999/1e12, 1e-12)
}

// Counts over many families agree with the laws.
func TestCountsFollowTheLaws(t *testing.T) {
	var items []string
	for i := range 60 {
		items = append(items, fmt.Sprint("item_", i))
	}
	near(t, "twins", meanTwins(items, 7, 2, 400), expectedTwins(60, 49), 0.02*60)
	expected, counted := FirstTwin(7, 2, 400)
	near(t, "first twin", counted, expected, 1) // the deviation of one is about 4.6
	near(t, "first twin of 49 cells", expected, expectedFirstTwin(49), 0)
}

func TestPairs(t *testing.T) {
	if got := Pairs(6, func(i int) string { return "abaacc"[i : i+1] }); got != 3+1 {
		t.Errorf("%g pairs, want 4", got)
	}
}
