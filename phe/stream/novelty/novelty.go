// Package novelty ranks rows by how often their rarest item was learned before. Forecasts of new items are less sure, so intervals,
// recalibration and scores keep numbers of their own for each tier.
package novelty

import "math"

// Unknown is the novelty of a row without items, which counts as known.
const Unknown = math.MaxInt64

// Tiers is the number of tiers: the rarest item of a row was seen 0, 1 or 2, 3 to 10, or more than 10 times.
const Tiers = 4

// Tier returns the tier of a row whose rarest item was seen this number of times.
func Tier(seen int64) int {
	for tier, most := range [...]int64{0, 2, 10} {
		if seen <= most {
			return tier
		}
	}
	return Tiers - 1
}

// Names returns the tiers' names for people.
func Names() []string { return []string{"0", "1–2", "3–10", "> 10"} }
