package novelty

import "testing"

// TestTier checks each tier at both of its ends.
func TestTier(t *testing.T) {
	for tier, ends := range [Tiers][2]int64{{0, 0}, {1, 2}, {3, 10}, {11, 1<<63 - 1}} {
		for _, seen := range ends {
			if got := Tier(seen); got != tier {
				t.Errorf("seen %d times: tier %d, want %d, %s", seen, got, tier, Names()[tier])
			}
		}
	}
}
