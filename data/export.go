package data

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pkg/errors"
)

// ExportNames lists the data sets that Export can write: the UCI files, then MovieLens.
func ExportNames() []string {
	var names []string
	for _, s := range Sources() {
		names = append(names, s.Name)
	}
	return append(names, RatingNames()...)
}

// Export writes a data set of ExportNames as CSV, and returns the number of rows.
//
// A UCI file is written as it was published, rows that lack a value included. Ratings come in the order of time, joined with
// their films: userId, movieId, title, year, genres, timestamp, rating. Genres are separated by "|", timestamps are UTC, and a film
// whose title names no year has an empty one.
//
// An altered file is an error unless the options allow it. The checksum is known at the end only, so that the rows of an altered
// UCI file have been written by then.
func Export(w io.Writer, name string, options Options) (rows int, err error) {
	if slices.Contains(RatingNames(), name) {
		return exportRatings(w, name, options)
	}
	sources := Sources()
	i := slices.IndexFunc(sources, func(s Source) bool { return s.Name == name })
	if i < 0 {
		return 0, errors.Errorf("unknown data set %q; can be exported: %s", name, strings.Join(ExportNames(), ", "))
	}
	return sources[i].export(w, options)
}

// export writes the file's uncompressed content.
func (s Source) export(w io.Writer, options Options) (rows int, err error) {
	path, err := s.Find()
	if err != nil {
		return 0, errors.WithMessagef(err, "data set %q", s.Name)
	}
	c, err := openContent(path)
	if err != nil {
		return 0, err
	}
	_, written := io.Copy(w, c)
	sum, err := c.finish()
	switch {
	case err != nil:
		return 0, err
	case written != nil:
		return 0, errors.Wrapf(written, "exporting %s", s.Name)
	case sum != s.CSVSHA256 && !options.AllowAltered:
		return 0, s.altered(path, sum, "")
	}
	return c.lines - 1, nil // no declared file has a line end inside a field
}

// exportRatings writes ratings with their films.
func exportRatings(w io.Writer, name string, options Options) (rows int, err error) {
	r, err := LoadRatings(name, options)
	if err != nil {
		return 0, err
	}
	films, err := filmTexts(name)
	if err != nil {
		return 0, err
	}
	out := csv.NewWriter(w)
	line := []string{"userId", "movieId", "title", "year", "genres", "timestamp", "rating"}
	for row := -1; row < r.NumRows(); row++ {
		if row >= 0 {
			film := r.Movies[row]
			id := r.MovieIDs[film]
			year := ""
			if y := r.Years[film]; y > 0 {
				year = strconv.Itoa(int(y))
			}
			line = append(line[:0], strconv.Itoa(int(r.UserIDs[r.Users[row]])), strconv.Itoa(int(id)), films[id].title, year, films[id].genres,
				time.Unix(int64(r.Seconds[row]), 0).UTC().Format(time.DateTime), strconv.FormatFloat(float64(r.HalfStars[row])/2, 'f', 1, 64))
		}
		if err := out.Write(line); err != nil {
			return 0, errors.Wrapf(err, "exporting %s", name)
		}
	}
	out.Flush()
	return r.NumRows(), errors.Wrapf(out.Error(), "exporting %s", name)
}

// filmText is what movies.csv says of a film.
type filmText struct{ title, genres string }

// filmTexts returns the texts of a data set's films by MovieLens' ids. LoadRatings has checked the file.
func filmTexts(name string) (map[int32]filmText, error) {
	source, err := lookUpRatings(name)
	if err != nil {
		return nil, err
	}
	paths, err := source.find()
	if err != nil {
		return nil, err
	}
	texts := map[int32]filmText{}
	_, err = readRatingFile(paths.films, "movies.csv", func(path string, content io.Reader) error {
		lines, err := csv.NewReader(content).ReadAll()
		if err != nil {
			return atPosition(path, err)
		}
		for _, line := range lines[1:] {
			id, err := strconv.ParseInt(line[0], 10, 32)
			if err != nil {
				return errors.Wrapf(err, "%s: a film's number", path)
			}
			texts[int32(id)] = filmText{line[1], line[2]}
		}
		return nil
	})
	return texts, err
}
