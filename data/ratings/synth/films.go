package synth

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"
)

// catalogue holds the films of a generated stream, in the order of their entry.
type catalogue struct {
	ids        []int32 // grow with the entry
	ranks      []int32 // by popularity, 0 the most popular
	entries    []int32 // first day of the period on which a film can be rated
	releases   []int32 // day of the period, negative before it, from which popularity fades
	genres     []uint32
	popularity [][]aliasCell // for each quarter, of the films that enter before its end
}

const daysPerYear, daysPerQuarter = 365.25, 91

// newCatalogue draws the films. Two of five are older than the period: popular films enter on the first day, less popular ones later.
// The other three are released evenly over the period.
func newCatalogue(n int, seed uint64) *catalogue {
	random := newGenerator(seed, drawFilms)
	numDays := float64(lastDay - firstDay + 1)
	type film struct{ rank, entry, release int32 }
	films := make([]film, n)
	for rank := range films {
		release := numDays * random.Float64()
		if rank%5 == 0 || rank%5 == 2 {
			release = -15 * daysPerYear * random.ExpFloat64()
		}
		// Obscure films were entered when users asked for them: in ml-latest-small films of all years are first rated in all years.
		late := numDays * math.Sqrt(max(0, float64(rank-minFilms))/84_432) * random.Float64()
		// Not in the last month, so that ratings are left for every film.
		entry := min(max(release, late, 0), numDays-30)
		films[rank] = film{int32(rank), int32(entry), int32(math.Floor(release))}
	}
	slices.SortStableFunc(films, func(a, b film) int { return int(a.entry - b.entry) })
	c := &catalogue{make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n), make([]uint32, n), nil}
	id := int32(0)
	for i, f := range films {
		id += 1 + int32(random.ExpFloat64()*2.9) // MovieLens-32M's IDs reach above 290,000, 3.4 a film
		c.ids[i], c.ranks[i], c.entries[i], c.releases[i], c.genres[i] = id, f.rank, f.entry, f.release, drawGenres(random)
	}
	for day := 0; day < int(numDays); day += daysPerQuarter {
		c.popularity = append(c.popularity, newAliasTable(c.weights(day)))
	}
	return c
}

// entered returns the number of films that can be rated on a day of the period. They are the first films of the catalogue.
func (c *catalogue) entered(day int) int {
	return sort.Search(len(c.entries), func(i int) bool { return int(c.entries[i]) > day })
}

// weights returns the films' chances of being rated in the quarter that begins on a day of the period. Over ranks they have a
// flat head and a tail whose slope grows from −0.55 to −2.8, like ml-latest-small's first 5,000 ranks. MovieLens-32M's last rank
// gets less than one rating on average. Over the first eight years of a film the chances fade to a third.
func (c *catalogue) weights(day int) []float64 {
	weights := make([]float64, c.entered(day+daysPerQuarter-1))
	for i := range weights {
		rank := float64(c.ranks[i])
		years := max(0, float64(day+daysPerQuarter/2)-float64(c.releases[i])) / daysPerYear
		weights[i] = math.Pow(1+rank/12, -0.55) * math.Pow(1+rank/3000, -2.3) * (0.12 + 1/(1+years/2))
	}
	return weights
}

// drawFilm draws a film by popularity. The user has not rated it, and it can be rated on the day.
func (c *catalogue) drawFilm(random *rand.Rand, day int, user int32, ratedBy []int32) int32 {
	cells := c.popularity[day/daysPerQuarter]
	for try := 0; ; try++ {
		draw := random.Uint64()
		high, _ := bits.Mul32(uint32(draw>>32), uint32(len(cells)))
		film := int32(high)
		// A user who has rated most popular films continues with any film: MovieLens' heavy users rate unpopular films too.
		if try < 40 && uint32(draw) >= cells[film].threshold {
			film = cells[film].alias
		}
		if ratedBy[film] != user && int(c.entries[film]) <= day {
			ratedBy[film] = user
			return film
		}
	}
}

// aliasCell is cell i of Walker's alias table: threshold of 2³² draws that fall into the cell give i, the others alias.
type aliasCell struct {
	threshold uint32
	alias     int32
}

// newAliasTable returns a table that draws i with a chance proportional to weights[i], by Vose's method. It changes the weights.
func newAliasTable(weights []float64) []aliasCell {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	cells := make([]aliasCell, len(weights))
	var small, large []int32
	for i := range weights {
		weights[i] *= float64(len(weights)) / total
		cells[i] = aliasCell{math.MaxUint32, int32(i)}
		if weights[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		cells[s] = aliasCell{uint32(weights[s] * (1 << 32)), l}
		if weights[l] -= 1 - weights[s]; weights[l] < 1 {
			large, small = large[:len(large)-1], append(small, l)
		}
	}
	return cells
}

// Numbers of films, in a thousand of ml-latest-small, with each genre of ratings.Genres and with 1, 2, … genres.
var (
	genreWeights      = []int{188, 130, 63, 68, 386, 123, 45, 448, 80, 9, 100, 16, 34, 59, 164, 101, 194, 39, 17, 3}
	genreCountWeights = []int{293, 330, 240, 101, 36}
)

// drawGenres draws a film's genres, which may be "(no genres listed)".
func drawGenres(random *rand.Rand) uint32 {
	none := len(genreWeights) - 1
	genres := uint32(0)
	for left := 1 + drawIndex(random, genreCountWeights); left > 0; {
		g := drawIndex(random, genreWeights)
		if g == none {
			return 1 << none
		}
		if genres&(1<<g) == 0 {
			genres |= 1 << g
			left--
		}
	}
	return genres
}

// drawIndex draws an index with a chance proportional to its weight.
func drawIndex(random *rand.Rand, weights []int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	draw := random.IntN(total)
	for i, w := range weights {
		if draw -= w; draw < 0 {
			return i
		}
	}
	panic("unreachable")
}
