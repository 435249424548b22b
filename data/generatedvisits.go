package data

import (
	"math"
	"math/rand/v2"
	"slices"
)

// draft is generated ratings user by user, before they are put in the order of time.
type draft struct {
	starts  []int   // of each user's ratings, and the end of the last's
	seconds []int32 // of the period
	films   []int32 // of the catalogue; after giveStars 16·film + half-stars
}

// visit draws when each user rates and which films. Most rate everything in one sitting after their arrival. The others
// give a part of their ratings then, and come back for a time that is log-normal, with a median of half a year:
// in ml-latest-small 41 % of users rate for more than a day, 27 % for more than a month, 14 % for more than a year.
func (d *draft) visit(users *audience, films *catalogue, seed uint64) {
	random := newGenerator(seed, drawVisits)
	ratedBy := make([]int32, len(films.ids))
	for user, arrival := range users.arrivals {
		seconds := d.seconds[d.starts[user]:d.starts[user+1]]
		first := len(seconds)
		// Heavy users are likelier to come back: of ratings, not users, 39 % are later than the first day's.
		if random.Float64() < min(0.9, 0.31+0.18*math.Log(float64(first)/50)) {
			first = max(1, int(random.Float64()*float64(first)))
		}
		sitting(random, arrival, seconds[:first])
		later := seconds[first:]
		span := math.Exp(5.1+2.4*random.NormFloat64()) * secondsPerDay
		span = min(span, float64(lastSecond-arrival))
		size := math.Exp(1 + 1.2*random.NormFloat64())
		for len(later) > 0 {
			n := min(len(later), 1+int(size*random.ExpFloat64()))
			sitting(random, arrival+int32(span*math.Pow(random.Float64(), 1.5)), later[:n])
			later = later[n:]
		}
		own := d.films[d.starts[user]:]
		for i, second := range seconds {
			own[i] = films.drawFilm(random, int(second)/secondsPerDay, int32(user)+1, ratedBy)
		}
	}
}

// lastSecond is of the period.
var lastSecond = int32((generatedLast-generatedFirst+1)*secondsPerDay - 1)

// sitting draws the seconds of ratings given in one go from start on. The time between two is log-normal with a median
// of 9 s, a tenth have the same second, as in ml-latest-small. After about a thousand ratings there is a break of a day.
func sitting(random *rand.Rand, start int32, seconds []int32) {
	now := start
	for i := range seconds {
		if now > lastSecond {
			now = start + random.Int32N(lastSecond-start+1)
		}
		seconds[i] = now
		now += int32(math.Exp(min(2.15+1.42*random.NormFloat64(), 8.5)))
		if random.Uint32N(1000) == 0 {
			now += secondsPerDay/2 + random.Int32N(secondsPerDay)
		}
	}
}

// rateUnrated gives each film that nobody has rated a rating of another film's, after its entry where one is found.
func (d *draft) rateUnrated(films *catalogue, seed uint64) {
	random := newGenerator(seed, drawUnrated)
	counts := make([]int32, len(films.ids))
	for _, film := range d.films {
		counts[film]++
	}
	for film, n := range counts {
		if n > 0 {
			continue
		}
		row := random.IntN(len(d.films))
		for try := 0; counts[d.films[row]] < 2 || try < 1000 && int(d.seconds[row])/secondsPerDay < int(films.entries[film]); try++ {
			row = random.IntN(len(d.films))
		}
		counts[d.films[row]]--
		d.films[row], counts[film] = int32(film), 1
	}
}

// inTime returns the ratings in the order of time, those of one second in the order of the draft: sorted by day by
// counting, then each day by itself. UserIDs and MovieIDs are still the numbers in draft and catalogue.
func (d *draft) inTime(numFilms int) *Ratings {
	n := len(d.seconds)
	starts := make([]int, generatedLast-generatedFirst+2)
	for _, second := range d.seconds {
		starts[second/secondsPerDay+1]++
	}
	for i := range starts[1:] {
		starts[i+1] += starts[i]
	}
	r := &Ratings{Users: make([]int32, n), Movies: make([]int32, n), HalfStars: make([]uint8, n), Seconds: make([]int32, n)}
	next := slices.Clone(starts)
	for user := range len(d.starts) - 1 {
		for i := d.starts[user]; i < d.starts[user+1]; i++ {
			row := &next[d.seconds[i]/secondsPerDay]
			r.Users[*row], r.Movies[*row], r.Seconds[*row] = int32(user), d.films[i], d.seconds[i]
			*row++
		}
	}
	var sorter daySorter
	for day := range len(starts) - 1 {
		sorter.sort(r, starts[day], starts[day+1])
	}
	for i, film := range r.Movies {
		r.HalfStars[i] = uint8(film & 15)
		r.Movies[i] = film >> 4
		r.Seconds[i] += int32(generatedFirst * secondsPerDay)
	}
	r.UserIDs = numberByFirst(r.Users, len(d.starts)-1)
	r.MovieIDs = numberByFirst(r.Movies, numFilms)
	return r
}

// daySorter keeps its memory from day to day: as garbage it would add up to as much as the columns.
type daySorter struct {
	keys     []uint64
	unsorted []int32
}

// sort sorts rows from start to end, those of a day, by their second, stably.
func (s *daySorter) sort(r *Ratings, start, end int) {
	s.keys = s.keys[:0]
	for i, second := range r.Seconds[start:end] {
		s.keys = append(s.keys, uint64(second)<<32|uint64(i))
	}
	slices.Sort(s.keys)
	for _, column := range [][]int32{r.Users, r.Movies, r.Seconds} {
		s.unsorted = append(s.unsorted[:0], column[start:end]...)
		for i, key := range s.keys {
			column[start+i] = s.unsorted[uint32(key)]
		}
	}
}

// numberByFirst renumbers a column by the first row of each number below n, and returns the old number of each new one.
func numberByFirst(column []int32, n int) []int32 {
	numbers := make([]int32, n) // 1 more than the new number, 0 while there is none
	old := make([]int32, 0, n)
	for i, v := range column {
		if numbers[v] == 0 {
			old = append(old, v)
			numbers[v] = int32(len(old))
		}
		column[i] = numbers[v] - 1
	}
	return old
}
