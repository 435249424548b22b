package data

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
)

// RatingShape is the size of a generated rating stream. Its period is MovieLens-32M's whatever the size.
type RatingShape struct {
	Ratings int // at least twice Films and 20 times Users
	Users   int // each gives 20 ratings or more
	Films   int // rated at least once; at least 200
}

// MovieLens32MShape is the size of MovieLens-32M (GroupLens, October 2023). Ratings and users are those of its README,
// which counts 87,585 films in movies.csv, those with a tag and no rating among them; 84,432 have a rating in ratings.csv,
// and only those are films here, as in Ratings.
func MovieLens32MShape() RatingShape {
	return RatingShape{Ratings: 32_000_204, Users: 200_948, Films: 84_432}
}

// Scaled is the shape of a random part of the users, fraction of them. Films shrink more slowly than users and ratings,
// as fraction to the power of 0.37, since a few users suffice to rate all popular films: so ml-latest-small has 0.3 % of
// MovieLens-32M's users and ratings, and 11.5 % of its films. A fraction above 1 gives a larger shape.
func (s RatingShape) Scaled(fraction float64) RatingShape {
	part := func(n int, by float64) int { return int(math.Round(float64(n) * by)) }
	return RatingShape{part(s.Ratings, fraction), part(s.Users, fraction), part(s.Films, math.Pow(fraction, 0.37))}
}

const (
	minUserRatings = 20  // README of MovieLens-32M
	minFilms       = 200 // so that the 80 films there are on the first day suffice for users of 20 ratings
	maxRatings     = math.MaxInt32
	maxFilms       = 1 << 24 // a draft's film has 4 bits beside it for the stars
)

// Validate says what is wrong with a shape that GenerateRatings would refuse.
func (s RatingShape) Validate() error {
	switch {
	case s.Users < 1:
		return errors.Errorf("rating shape: %d users, want 1 or more; scale it down less", s.Users)
	case s.Films < minFilms || s.Films > maxFilms:
		return errors.Errorf("rating shape: %d films, want %d to %d; scale it down less", s.Films, minFilms, maxFilms)
	case s.Ratings > maxRatings:
		return errors.Errorf("rating shape: %d ratings, want at most %d, since rows are numbered by 32 bits", s.Ratings, maxRatings)
	case s.Ratings/minUserRatings < s.Users:
		return errors.Errorf("rating shape: %d ratings of %d users; each gives %d or more: want fewer users or %d ratings",
			s.Ratings, s.Users, minUserRatings, s.Users*minUserRatings)
	case s.Ratings < 2*s.Films:
		return errors.Errorf("rating shape: %d ratings of %d films; want 2 a film on average or more: fewer films or %d ratings",
			s.Ratings, s.Films, 2*s.Films)
	}
	return nil
}

// The period of MovieLens-32M, of its README: the UTC days of the first and the last rating.
var (
	generatedFirst = dayOf(time.Date(1995, 1, 9, 0, 0, 0, 0, time.UTC))
	generatedLast  = dayOf(time.Date(2023, 10, 12, 0, 0, 0, 0, time.UTC))
)

// Each part of a generated stream draws from a generator of its own, so that a change of one leaves the draws of the
// others alone.
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

// GenerateRatings makes a rating stream that looks like MovieLens-32M's, for trying sizes where the real file is not to
// be had: who rates when (generatedusers.go), which films (generatedfilms.go), and how many stars (generatedstars.go).
// What a model reaches on it says nothing of what it reaches on MovieLens. Nobody rates a film twice, and which films a
// user rates depends on their popularity at the time, not on the user's taste.
//
// The columns are a function of (shape, seed), which the name tells; SHA256 is that of the columns, and Verified is set.
// All draws are PCG's of math/rand/v2. Between processor architectures products may be rounded once or twice and
// math.Exp may differ in the last bit, about 1e-16; this shows only where a value lies that near to a border of the grid
// it is rounded to (half-stars, seconds, integer weights), of some 1e8 values in 32 million ratings, once in about
// 1e7 data sets.
//
// It takes about 25 bytes a rating at its peak, of which 13 remain.
func GenerateRatings(shape RatingShape, seed uint64) (*Ratings, error) {
	ratings, _, err := generateRatings(shape, seed)
	return ratings, err
}

// generateRatings also returns the mean absolute error, in stars, of who knows all that the ratings were drawn from but
// the noise of each: of the median of its distribution. No model can expect less.
// It is 0.51 stars (0.103 of 5) whatever the size; mean, user and film alone reach 0.69 (TestFactorsBeatBiases).
func generateRatings(shape RatingShape, seed uint64) (*Ratings, float64, error) {
	if err := shape.Validate(); err != nil {
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
	leastError := d.giveStars(users, films, seed)
	ratings := d.inTime(shape.Films)
	ratings.Name = fmt.Sprintf("generated-%d-%d-%d-seed%d", shape.Ratings, shape.Users, shape.Films, seed)
	ratings.identify(films, seed)
	ratings.SHA256, ratings.Verified = ratings.columnsSHA256(), true
	return ratings, leastError, nil
}

// identify replaces the numbers that UserIDs and MovieIDs have from inTime, those of draft and catalogue, by ids as
// MovieLens has them: users' in no order, films' growing with their entry into the catalogue, with gaps.
func (r *Ratings) identify(films *catalogue, seed uint64) {
	userIDs := newGenerator(seed, drawIDs).Perm(len(r.UserIDs))
	for i, user := range r.UserIDs {
		r.UserIDs[i] = int32(userIDs[user]) + 1
	}
	r.Genres = make([]uint32, len(r.MovieIDs))
	for i, film := range r.MovieIDs {
		r.MovieIDs[i], r.Genres[i] = films.ids[film], films.genres[film]
	}
}

// columnsSHA256 is the SHA-256 of the columns in the order of their declaration, each value little-endian.
func (r *Ratings) columnsSHA256() string {
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
