package task

import "gophe/data/ratings"

// Coldness says how new a rating's user and film are: four cells, each of three bits, in the order of coldNames.
type Coldness uint16

// coldNames are the ways to count the ratings before one. "first" counts the ratings that came earlier in time, on the
// same day too: the user's first rating, second, …. "learned" counts ratings of earlier days only. A model can learn only
// from these, and most users give all their ratings on one day.
var coldNames = [coldWays]string{"user first", "film first", "user learned", "film learned"}

const coldWays = 4

// coldCells is the number of coldCell's cells: no rating before, 1, 2 to 4, 5 to 9, more.
const coldCells = 5

// coldCell of a number of ratings before.
func coldCell(before uint32) Coldness {
	switch {
	case before < 2:
		return Coldness(before)
	case before < 5:
		return 2
	case before < 10:
		return 3
	}
	return 4
}

// Cell of a way, by its number in coldNames.
func (c Coldness) Cell(way int) int { return int(c >> (3 * way) & 7) }

// coldnessOf every rating that the stream shows.
func coldnessOf(s *ratings.Stream) []Coldness {
	r := s.Ratings
	shown := make([]bool, r.NumRows())
	users, films := make([]uint32, len(r.UserIDs)), make([]uint32, len(r.MovieIDs)) // ratings shown so far
	for _, row := range s.Initial {
		users[r.Users[row]]++
		films[r.Movies[row]]++
	}
	learnedUsers, learnedFilms := append([]uint32{}, users...), append([]uint32{}, films...)
	cold := make([]Coldness, r.NumRows())
	next := 0
	for _, step := range s.Steps {
		for _, row := range step {
			shown[row] = true
		}
		first := next
		for n := 0; n < len(step); next++ { // ratings lie in the order of time
			if !shown[next] {
				continue
			}
			n++
			u, f := r.Users[next], r.Movies[next]
			for way, before := range [coldWays]uint32{users[u], films[f], learnedUsers[u], learnedFilms[f]} {
				cold[next] |= coldCell(before) << (3 * way)
			}
			users[u]++
			films[f]++
		}
		for row := first; row < next; row++ {
			if shown[row] {
				learnedUsers[r.Users[row]], learnedFilms[r.Movies[row]] = users[r.Users[row]], films[r.Movies[row]]
			}
		}
	}
	return cold
}
