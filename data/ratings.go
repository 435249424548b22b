package data

import "time"

// Ratings are who gave which film how many stars, and when, in the order of time; ratings of the same second are in the
// order of the file. Users and films are numbered in the order of their first rating. Columns are shared, not copied:
// treat them as read-only. A rating takes 13 bytes.
type Ratings struct {
	Name      string
	UserIDs   []int32  // of each user; MovieLens' own numbers, above 0
	MovieIDs  []int32  // of each film
	Users     []int32  // of each rating, index into UserIDs
	Movies    []int32  // of each rating, index into MovieIDs
	HalfStars []uint8  // of each rating, 1 to 10
	Seconds   []int32  // of each rating, since 1970-01-01 00:00 UTC
	Genres    []uint32 // of each film: bit g is set where it is of genre GenreNames()[g]
	Years     []int16  // of each film: the year at its title's end, or 0; nil of a generated data set
	Dropped   int      // ratings of the file that are not here: of films that movies.csv does not have
	SHA256    string   // hexadecimal, of the ratings' file as read, with LF line ends; of a generated data set, of its columns
	Verified  bool     // the ratings and the films are the declared ones
	Path      string   // the file read; "" of a generated data set
}

// NumRows returns the number of ratings.
func (r *Ratings) NumRows() int { return len(r.HalfStars) }

const secondsPerDay = 24 * 60 * 60

// Day returns the UTC day of a rating, counted from 1970-01-01, which is 0.
func (r *Ratings) Day(row int) int { return int(r.Seconds[row]) / secondsPerDay }

// dayOf counts a date as Ratings.Day does.
func dayOf(date time.Time) int { return int(date.Unix() / secondsPerDay) }

// GenreNames are MovieLens' twenty, in the order of its README: the paper's multi-hot vector has their number (Sec. 4.4).
func GenreNames() []string {
	return []string{"Action", "Adventure", "Animation", "Children", "Comedy", "Crime", "Documentary", "Drama", "Fantasy", "Film-Noir",
		"Horror", "IMAX", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western", "(no genres listed)"}
}
