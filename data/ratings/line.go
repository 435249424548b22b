package ratings

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"gophe/data/files"
)

const ratingsHeader = "userId,movieId,rating,timestamp"

// ratingLine is a line of ratings.csv.
type ratingLine struct {
	user, movie, seconds int32
	halfStars            uint8
}

// parseRating reads a line without its line end. It accepts one spelling of each value. It takes 20 ns because ratingDefect is a function
// of its own, which says what is wrong with any other line.
func parseRating(line []byte) (r ratingLine, ok bool) {
	user, i := wholeNumber(line, 0)
	movie, j := wholeNumber(line, i+1)
	seconds, end := wholeNumber(line, j+5) // after ",3.5,"
	if user < 1 || movie < 1 || seconds < 0 || end != len(line) || line[i] != ',' || line[j] != ',' || line[j+4] != ',' {
		return ratingLine{}, false
	}
	stars := halfStars(line[j+1 : j+4])
	return ratingLine{user: int32(user), movie: int32(movie), seconds: int32(seconds), halfStars: stars}, stars > 0
}

// wholeNumber reads a number of 32 bits, without sign or leading zeros, that begins at an index of the line. It returns the number and
// the index after it. If there is no such number it returns −1 and the given index.
func wholeNumber(line []byte, start int) (value, end int) {
	for end = start; end < len(line) && line[end]-'0' <= 9; end++ {
		if value = 10*value + int(line[end]-'0'); value > math.MaxInt32 {
			return -1, start
		}
	}
	if end <= start || line[start] == '0' && end > start+1 {
		return -1, start
	}
	return value, end
}

// halfStars returns the number of half stars in "0.5" to "5.0", or 0 for any other text.
func halfStars(text []byte) uint8 {
	if len(text) != 3 || text[1] != '.' || text[0]-'0' > 5 || text[2] != '0' && text[2] != '5' {
		return 0
	}
	stars := 2*(text[0]-'0') + (text[2]-'0')/5
	if stars > 10 {
		return 0
	}
	return stars
}

// ratingDefect returns the defect of a line that parseRating refuses, and its column in the line, counted from 1.
func ratingDefect(line []byte) (column int, defect string) {
	names := strings.Split(ratingsHeader, ",")
	fields := bytes.Split(line, []byte(","))
	column = 1
	for i, field := range fields[:min(len(fields), len(names))] {
		value, end := wholeNumber(field, 0)
		whole := value >= 0 && end == len(field)
		want := ""
		switch {
		case i < 2 && !(whole && value > 0):
			want = "is not a whole number above 0, such as 17, of 32 bits"
		case i == 2 && halfStars(field) == 0:
			want = "is not a number of stars from 0.5 to 5.0, in halves"
		case i == 3 && !whole:
			want = "is not a whole number of seconds since 1970, such as 944249077, of 32 bits"
		}
		if want != "" {
			return column, fmt.Sprintf("column %q: %q %s", names[i], files.Clip(string(field)), want)
		}
		column += len(field) + 1
	}
	if len(fields) < len(names) {
		return len(line) + 1, fmt.Sprintf("the row ends after %d fields, want %d: %s", len(fields), len(names), ratingsHeader)
	}
	return column, fmt.Sprintf("%d fields, want %d: %s", len(fields), len(names), ratingsHeader)
}
