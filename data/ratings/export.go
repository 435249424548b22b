package ratings

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"github.com/pkg/errors"

	"gophe/data/files"
)

// Export writes the ratings of a data set with their films, as CSV, and returns the number of rows.
func Export(w io.Writer, name string, options files.Options) (rows int, err error) {
	r, err := Load(name, options)
	if err != nil {
		return 0, err
	}
	source, paths, err := find(name)
	if err != nil {
		return 0, err
	}
	films, _, err := readFilms(source, paths)
	if err != nil {
		return 0, err
	}
	out := csv.NewWriter(w)
	line := []string{"userId", "movieId", "title", "year", "genres", "timestamp", "rating"}
	for row := -1; row < r.NumRows(); row++ {
		if row >= 0 {
			film := r.Movies[row]
			id := r.MovieIDs[film]
			text, _ := films.LookUp(id)
			year := ""
			if y := r.Years[film]; y > 0 {
				year = strconv.Itoa(int(y))
			}
			at, stars := time.Unix(int64(r.Seconds[row]), 0).UTC(), float64(r.HalfStars[row])/2
			line = append(line[:0], strconv.Itoa(int(r.UserIDs[r.Users[row]])), strconv.Itoa(int(id)), films.titles[text], year,
				films.genreTexts[text], at.Format(time.DateTime), strconv.FormatFloat(stars, 'f', 1, 64))
		}
		if err := out.Write(line); err != nil {
			return 0, errors.Wrapf(err, "exporting %s", name)
		}
	}
	out.Flush()
	return r.NumRows(), errors.Wrapf(out.Error(), "exporting %s", name)
}
