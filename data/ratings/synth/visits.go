package synth

import (
	"math"
	"math/rand/v2"

	"gophe/data/column"
	"gophe/data/ratings"
)

// draft holds generated ratings user by user, before they are sorted by time.
type draft struct {
	starts  []int   // beginning of each user's ratings, then their end
	seconds []int32 // of the period
	films   []int32 // index into the catalogue; after giveStars 16·film + half-stars
}

// visit draws the times and the films of each user's ratings. Most users give all ratings in one sitting after their arrival. The others
// give some ratings then and return for a log-normal time with a median of half a year.
// In ml-latest-small 41 % of users rate for more than a day, 27 % for more than a month, 14 % for more than a year.
func (d *draft) visit(users *audience, films *catalogue, seed uint64) {
	random := newGenerator(seed, drawVisits)
	ratedBy := make([]int32, len(films.ids))
	for user, arrival := range users.arrivals {
		seconds := d.seconds[d.starts[user]:d.starts[user+1]]
		first := len(seconds)
		// Heavy users return more often: 39 % of the ratings come after their user's first day.
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

// lastSecond is the last second of the period.
var lastSecond = int32((lastDay-firstDay+1)*secondsPerDay - 1)

// sitting draws the seconds of ratings that are given in one sitting, from start on. The time between two ratings is log-normal with a
// median of 9 s, and a tenth of the ratings have the same second, as in ml-latest-small. About every thousandth rating is followed by a
// break of a day.
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

// rateUnrated gives each unrated film a rating of another film, if possible a rating after the film's entry.
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

// inTime returns the ratings in the order of time. Ratings of one second are in the order of the draft. UserIDs and MovieIDs are still
// numbers of draft and catalogue.
func (d *draft) inTime(numFilms int) *ratings.Ratings {
	n := len(d.seconds)
	r := &ratings.Ratings{Users: make([]int32, n), Movies: d.films, HalfStars: make([]uint8, n), Seconds: d.seconds}
	for user := range len(d.starts) - 1 {
		for i := d.starts[user]; i < d.starts[user+1]; i++ {
			r.Users[i] = int32(user)
			r.HalfStars[i] = uint8(d.films[i] & 15)
			r.Movies[i] = d.films[i] >> 4
			r.Seconds[i] += int32(firstDay * secondsPerDay)
		}
	}
	r.Sort()
	r.UserIDs = column.NewNumbering(len(d.starts) - 1).Renumber(r.Users)
	r.MovieIDs = column.NewNumbering(numFilms).Renumber(r.Movies)
	return r
}
