// Package ratings reads MovieLens' ratings of films and orders them into a stream. Call Load, then Daily.
package ratings

import "time"

// Ratings holds users' ratings of films in the order of time. Ratings of the same second are in the order of the file. Users and films are
// numbered in the order of their first rating. A rating takes 13 bytes. Columns are shared, not copied: treat them as read-only.
type Ratings struct {
	Name      string
	UserIDs   []int32  // MovieLens' ID of each user, above 0
	MovieIDs  []int32  // MovieLens' ID of each film
	Users     []int32  // for each rating, index into UserIDs
	Movies    []int32  // for each rating, index into MovieIDs
	HalfStars []uint8  // for each rating, 1 to 10
	Seconds   []int32  // for each rating, since 1970-01-01 00:00 UTC
	Genres    []uint32 // for each film: bit g is set if the film has genre Genres()[g]
	Years     []int16  // for each film: the year at the end of its title, or 0; nil in generated data sets
	Dropped   int      // number of ratings of films that movies.csv lacks; they are not kept
	SHA256    string   // hexadecimal checksum of the ratings' file with LF line ends; of a generated data set's columns
	Verified  bool     // both files are the declared files
	Path      string   // path of the file; "" for a generated data set
}

// NumRows returns the number of ratings.
func (r *Ratings) NumRows() int { return len(r.HalfStars) }

const secondsPerDay = 24 * 60 * 60

// Day returns the UTC day of a rating. Day 0 is 1970-01-01.
func (r *Ratings) Day(row int) int { return int(r.Seconds[row]) / secondsPerDay }

// dayOf returns the day of a date, counted as in Ratings.Day.
func dayOf(date time.Time) int { return int(date.Unix() / secondsPerDay) }

// Genres returns MovieLens' twenty genres, in the order of its README. The paper's multi-hot vector has an entry for each (Sec. 4.4).
func Genres() []string {
	return []string{"Action", "Adventure", "Animation", "Children", "Comedy", "Crime", "Documentary", "Drama", "Fantasy", "Film-Noir",
		"Horror", "IMAX", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western", "(no genres listed)"}
}
