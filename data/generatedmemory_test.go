package data

import (
	"testing"

	"gophe/data/datatest"
)

// TestGenerateMemory: 3.2 million ratings take 80 MB while they are made, of which 42 remain, and a process 20.
func TestGenerateMemory(t *testing.T) {
	datatest.LimitPeak(t, 150, func() {
		if _, err := GenerateRatings(MovieLens32MShape().Scaled(0.1), 1); err != nil {
			t.Error(err)
		}
	})
}
