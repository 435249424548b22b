package score

// Board is the score of one model along a stream.
type Board struct {
	All     Tally               `json:"all"`
	Blocks  Blocks              `json:"blocks"`
	Novelty [NoveltyTiers]Tally `json:"novelty"`
}

// Add adds a row's outcome. seen is the number of times that the row's rarest item was seen before.
func (b *Board) Add(o Outcome, seen int64, weight float64) {
	b.All.Add(o, weight)
	b.Blocks.Add(o, weight)
	b.Novelty[NoveltyTier(seen)].Add(o, weight)
}

// NoveltyTiers is the number of tiers of novelty: the rarest item of a row was seen 0, 1 or 2, 3 to 10, or more than 10 times.
const NoveltyTiers = 4

// NoveltyTier returns the tier of a row whose rarest item was seen this number of times.
func NoveltyTier(seen int64) int {
	switch {
	case seen <= 0:
		return 0
	case seen <= 2:
		return 1
	case seen <= 10:
		return 2
	}
	return 3
}

// NoveltyNames returns the tiers' names for people.
func NoveltyNames() [NoveltyTiers]string { return [...]string{"0", "1–2", "3–10", "> 10"} }
