// Package synth generates rating streams that look like MovieLens-32M, for runs without the real file.
package synth

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
	"time"

	"github.com/pkg/errors"

	"gophe/data/ratings"
)

// Shape is the size of a generated rating stream. Every stream has MovieLens-32M's period.
type Shape struct {
	Ratings int // at least twice Films, and at least 20 times Users
	Users   int // each gives at least 20 ratings
	Films   int // rated at least once; at least 200
}

// MovieLens32M returns the size of MovieLens-32M (GroupLens, October 2023). The numbers of ratings and users come from its
// README. The README counts 87,585 films in movies.csv. 84,432 of them have a rating, and only these are films in Ratings.
func MovieLens32M() Shape {
	return Shape{Ratings: 32_000_204, Users: 200_948, Films: 84_432}
}

// Scaled returns the shape that a random fraction of the users would have. Films shrink more slowly than users and ratings, with the
// fraction to the power of 0.37, because a few users rate all popular films. ml-latest-small has 0.3 % of MovieLens-32M's users and
// ratings, and 11.5 % of its films. A fraction above 1 gives a larger shape.
func (s Shape) Scaled(fraction float64) Shape {
	part := func(n int, by float64) int { return int(math.Round(float64(n) * by)) }
	return Shape{part(s.Ratings, fraction), part(s.Users, fraction), part(s.Films, math.Pow(fraction, 0.37))}
}

const (
	minUserRatings = 20  // README of MovieLens-32M
	minFilms       = 200 // so that the first day has 80 films, enough for users with 20 ratings
	maxRatings     = math.MaxInt32
	maxFilms       = 1 << 24 // a draft stores a film and 4 bits of stars in one number
)

// validate returns an error if Generate would refuse the shape.
func (s Shape) validate() error {
	switch {
	case s.Users < 1:
		return errors.Errorf("rating shape: %d users, want at least 1; use a larger scale", s.Users)
	case s.Films < minFilms || s.Films > maxFilms:
		return errors.Errorf("rating shape: %d films, want %d to %d; use a larger scale", s.Films, minFilms, maxFilms)
	case s.Ratings > maxRatings:
		return errors.Errorf("rating shape: %d ratings, want at most %d, because row numbers have 32 bits", s.Ratings, maxRatings)
	case s.Ratings/minUserRatings < s.Users:
		return errors.Errorf("rating shape: %d ratings of %d users, who each give at least %d; want fewer users or %d ratings",
			s.Ratings, s.Users, minUserRatings, s.Users*minUserRatings)
	case s.Ratings < 2*s.Films:
		return errors.Errorf("rating shape: %d ratings of %d films, want at least 2 a film on average: fewer films or %d ratings",
			s.Ratings, s.Films, 2*s.Films)
	}
	return nil
}

// The period of MovieLens-32M, from its README: the UTC days of the first and the last rating.
var (
	firstDay = int(time.Date(1995, 1, 9, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)
	lastDay  = int(time.Date(2023, 10, 12, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)
)

const secondsPerDay = 24 * 60 * 60

// Each part of a generated stream has a generator of its own, so that a change of one part does not change the draws of another.
const (
	drawFilms = iota + 1
	drawUsers
	drawVisits
	drawUnrated
	drawStars
	drawIDs
)

func newGenerator(seed uint64, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, purpose))
}

// Generate returns a rating stream that looks like MovieLens-32M's. It serves to try sizes without the real file. Users rate in
// sittings, popular films often, and by taste. A model's error on such a stream does not predict its error on MovieLens.
// No user rates a film twice. A user's films depend on their popularity at the time, not on the user's taste.
//
// The columns are a function of shape and seed, which the name contains. SHA256 is the checksum of the columns, and Verified is set.
// All draws come from PCG of math/rand/v2. Processor architectures may round products once or twice, and their math.Exp may differ in
// the last bit, about 1e-16. A rating differs only if a value lies as near to a border of its grid (half-stars, seconds, integer
// weights). With some 1e8 values in 32 million ratings, that happens in about one of 1e7 data sets.
//
// The peak is about 30 bytes of memory a rating, of which 13 remain.
func Generate(shape Shape, seed uint64) (*ratings.Ratings, error) {
	ratings, _, err := generate(shape, seed)
	return ratings, err
}

// generate also returns the least mean absolute error, in stars, that a model can expect. A model that knew everything except
// each rating's noise would predict the median of the rating's distribution, and make this error.
// It is 0.51 stars (0.103 of 5) for every size. Mean, user and film alone reach 0.69 (TestFactorsBeatBiases).
func generate(shape Shape, seed uint64) (*ratings.Ratings, float64, error) {
	if err := shape.validate(); err != nil {
		return nil, 0, err
	}
	films := newCatalogue(shape.Films, seed)
	users, err := newAudience(shape, films, seed)
	if err != nil {
		return nil, 0, err
	}
	d := &draft{starts: users.starts, seconds: make([]int32, shape.Ratings), films: make([]int32, shape.Ratings)}
	d.visit(users, films, seed)
	d.rateUnrated(films, seed)
	minError := d.giveStars(users, films, seed)
	ratings := d.inTime(shape.Films)
	ratings.Name = fmt.Sprintf("generated-%d-%d-%d-seed%d", shape.Ratings, shape.Users, shape.Films, seed)
	identify(ratings, films, seed)
	ratings.SHA256, ratings.Verified = columnsSHA256(ratings), true
	return ratings, minError, nil
}

// identify replaces the numbers of draft and catalogue in UserIDs and MovieIDs by IDs like MovieLens'. Users' IDs have no order. Films'
// IDs grow with their entry into the catalogue, with gaps.
func identify(r *ratings.Ratings, films *catalogue, seed uint64) {
	userIDs := newGenerator(seed, drawIDs).Perm(len(r.UserIDs))
	for i, user := range r.UserIDs {
		r.UserIDs[i] = int32(userIDs[user]) + 1
	}
	r.Genres = make([]uint32, len(r.MovieIDs))
	for i, film := range r.MovieIDs {
		r.MovieIDs[i], r.Genres[i] = films.ids[film], films.genres[film]
	}
}

// columnsSHA256 returns the SHA-256 of the columns in the order of their declaration, each value little-endian.
func columnsSHA256(r *ratings.Ratings) string {
	sum := sha256.New()
	for _, column := range [][]int32{r.UserIDs, r.MovieIDs, r.Users, r.Movies} {
		writeColumn(sum, column)
	}
	sum.Write(r.HalfStars)
	writeColumn(sum, r.Seconds)
	writeColumn(sum, r.Genres)
	return hex.EncodeToString(sum.Sum(nil))
}

func writeColumn[T int32 | uint32](sum hash.Hash, column []T) {
	buffer := make([]byte, 0, 1<<16)
	for _, v := range column {
		if buffer = binary.LittleEndian.AppendUint32(buffer, uint32(v)); len(buffer) == cap(buffer) {
			sum.Write(buffer)
			buffer = buffer[:0]
		}
	}
	sum.Write(buffer)
}
