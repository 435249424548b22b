package ratings

import (
	"bufio"
	"io"

	"github.com/pkg/errors"

	"gophe/data/column"
	"gophe/data/files"
)

// columns builds Ratings in the order of the file. Its Users are MovieLens' IDs, and its Movies are indices of films.
type columns struct {
	ratings  *Ratings
	films    *catalogue
	expected int // number of rows of the declared file
}

// parse appends the rows of ratings.csv. Errors name the path.
func (c *columns) parse(path string, content io.Reader) error {
	lines := bufio.NewReaderSize(content, 1<<16)
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		switch {
		case err == io.EOF && len(line) == 0 && number == 1:
			return errors.Errorf("%s: the file is empty; want the header %s", path, ratingsHeader)
		case err == io.EOF && len(line) == 0:
			return c.none(path)
		case err == bufio.ErrBufferFull:
			return errors.Errorf("%s:%d:1: a line of more than %d bytes, starting with %q, want %s", path, number, len(line),
				files.Clip(string(line[:100])), ratingsHeader)
		case err != nil && err != io.EOF:
			return err // the content's error names the file
		case err == nil:
			line = line[:len(line)-1]
		}
		if number == 1 {
			if string(line) != ratingsHeader {
				return errors.Errorf("%s:1:1: the header is %q, want %q", path, files.Clip(string(line)), ratingsHeader)
			}
			continue
		}
		rating, ok := parseRating(line)
		if !ok {
			column, defect := ratingDefect(line)
			return errors.Errorf("%s:%d:%d: %s", path, number, column, defect)
		}
		c.add(rating)
	}
}

// none returns an error if no rating was kept.
func (c *columns) none(path string) error {
	switch {
	case c.ratings.NumRows() > 0:
		return nil
	case c.ratings.Dropped > 0:
		return errors.Errorf("%s: none of its %d ratings is of a film in the films' file; are both files of the same data set?", path,
			c.ratings.Dropped)
	}
	return errors.Errorf("%s: a header and no rows", path)
}

func (c *columns) add(line ratingLine) {
	r := c.ratings
	film, ok := c.films.LookUp(line.movie)
	if !ok {
		r.Dropped++
		return
	}
	column.Append(&r.Users, line.user, c.expected)
	column.Append(&r.Movies, film, c.expected)
	column.Append(&r.HalfStars, line.halfStars, c.expected)
	column.Append(&r.Seconds, line.seconds, c.expected)
}

// finish sorts the ratings by time and numbers users and films in that order.
func (c *columns) finish() {
	r := c.ratings
	r.Sort()
	r.UserIDs = column.NewNumbering(smallIDs).Renumber(r.Users)
	rated := column.NewNumbering(len(c.films.IDs)).Renumber(r.Movies)
	r.MovieIDs = column.InOrder(c.films.IDs, rated)
	r.Genres = column.InOrder(c.films.genres, rated)
	r.Years = column.InOrder(c.films.years, rated)
}
