package novelty

import (
	"testing"

	"gophe/phe/disk/filetest"
)

// TestTier checks each tier at both of its ends.
func TestTier(t *testing.T) {
	for tier, ends := range [Tiers][2]int64{{0, 0}, {1, 2}, {3, 10}, {11, 1<<63 - 1}} {
		for _, seen := range ends {
			filetest.Want(t, Tier(seen), tier, "the tier of an item seen %d times", seen)
		}
	}
}
