package data

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"
)

// catalogue is the films of a generated stream, in the order of their entry.
type catalogue struct {
	ids        []int32 // grow with the entry
	ranks      []int32 // by popularity, 0 the most popular
	entries    []int32 // first day on which a film can be rated, of the period
	releases   []int32 // day of the period, negative before it: popularity fades from here on
	genres     []uint32
	popularity [][]aliasCell // of each quarter, of the films that enter before its end
}

const daysPerYear, daysPerQuarter = 365.25, 91

// newCatalogue draws the films. Two of five are older than the period; popular ones are there from the first day, others
// enter the later the less popular they are. The other three are released evenly over the period.
func newCatalogue(n int, seed uint64) *catalogue {
	random := newGenerator(seed, drawFilms)
	numDays := float64(generatedLast - generatedFirst + 1)
	type film struct{ rank, entry, release int32 }
	films := make([]film, n)
	for rank := range films {
		release := numDays * random.Float64()
		if rank%5 == 0 || rank%5 == 2 {
			release = -15 * daysPerYear * random.ExpFloat64()
		}
		// Obscure films were entered as users asked for them: ml-latest-small has films of all years first rated in all years.
		late := numDays * math.Sqrt(max(0, float64(rank-minFilms))/84_432) * random.Float64()
		// Not in the last month, so that ratings are left for every film.
		entry := min(max(release, late, 0), numDays-30)
		films[rank] = film{int32(rank), int32(entry), int32(math.Floor(release))}
	}
	slices.SortStableFunc(films, func(a, b film) int { return int(a.entry - b.entry) })
	c := &catalogue{make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n), make([]uint32, n), nil}
	id := int32(0)
	for i, f := range films {
		id += 1 + int32(random.ExpFloat64()*2.9) // MovieLens-32M's ids reach above 290,000, 3.4 a film
		c.ids[i], c.ranks[i], c.entries[i], c.releases[i], c.genres[i] = id, f.rank, f.entry, f.release, drawGenres(random)
	}
	for day := 0; day < int(numDays); day += daysPerQuarter {
		c.popularity = append(c.popularity, newAliasTable(c.weights(day)))
	}
	return c
}

// entered returns how many films can be rated on a day of the period: they are the first of the catalogue.
func (c *catalogue) entered(day int) int {
	return sort.Search(len(c.entries), func(i int) bool { return int(c.entries[i]) > day })
}

// weights are the films' chances of being rated in the quarter that starts on a day of the period. Over ranks they have a
// flat head and a tail whose slope grows from −0.55 to −2.8, as ml-latest-small's first 5,000 ranks; at
// MovieLens-32M's last less than one rating is to be expected. Over the first eight years of a film they fade to a third.
func (c *catalogue) weights(day int) []float64 {
	weights := make([]float64, c.entered(day+daysPerQuarter-1))
	for i := range weights {
		rank := float64(c.ranks[i])
		years := max(0, float64(day+daysPerQuarter/2)-float64(c.releases[i])) / daysPerYear
		weights[i] = math.Pow(1+rank/12, -0.55) * math.Pow(1+rank/3000, -2.3) * (0.12 + 1/(1+years/2))
	}
	return weights
}

// drawFilm draws a film by popularity, which the user has not rated and which can be rated on the day.
func (c *catalogue) drawFilm(random *rand.Rand, day int, user int32, ratedBy []int32) int32 {
	cells := c.popularity[day/daysPerQuarter]
	for try := 0; ; try++ {
		draw := random.Uint64()
		high, _ := bits.Mul32(uint32(draw>>32), uint32(len(cells)))
		film := int32(high)
		// Who has rated most of the popular films goes on with any: heavy users of MovieLens reach deep into its tail.
		if try < 40 && uint32(draw) >= cells[film].threshold {
			film = cells[film].alias
		}
		if ratedBy[film] != user && int(c.entries[film]) <= day {
			ratedBy[film] = user
			return film
		}
	}
}

// aliasCell is a cell of Walker's alias table: of 2³² draws that fall into cell i, threshold give i, the others alias.
type aliasCell struct {
	threshold uint32
	alias     int32
}

// newAliasTable makes a table that draws i with a chance in proportion to weights[i], which it alters, by Vose's method.
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

// Of a thousand films of ml-latest-small so many are of each genre of GenreNames, and so many have 1, 2, … genres.
var (
	genreWeights      = []int{188, 130, 63, 68, 386, 123, 45, 448, 80, 9, 100, 16, 34, 59, 164, 101, 194, 39, 17, 3}
	genreCountWeights = []int{293, 330, 240, 101, 36}
)

// drawGenres draws a film's genres, or that none are listed.
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

// drawIndex draws an index in proportion to the weights.
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
