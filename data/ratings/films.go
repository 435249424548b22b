package ratings

import (
	"io"
	"strconv"
	"strings"

	"gophe/data/column"
	"gophe/data/files"
)

// smallIDs is the size of a numbering's array, large enough for nearly all of MovieLens' IDs.
const smallIDs = 1 << 20

// catalogue holds the rows of movies.csv.
type catalogue struct {
	*column.Numbering          // of MovieLens' IDs, in the order of the file
	genres            []uint32 // by film, as in Ratings
	years             []int16  // by film, as in Ratings
	titles            []string // by film, such as "Heat (1995)"
	genreTexts        []string // by film, as in the file
}

var filmColumns = []string{"movieId", "title", "genres"}

// parseFilms reads movies.csv. Errors name the path.
func parseFilms(path string, content io.Reader) (*catalogue, error) {
	rows, err := files.NewRows(path, content, filmColumns)
	if err != nil {
		return nil, err
	}
	all := &catalogue{Numbering: column.NewNumbering(smallIDs)}
	bits := make(map[string]uint32)
	for g, name := range Genres() {
		bits[name] = 1 << g
	}
	for {
		row, err := rows.Next()
		if err == io.EOF {
			return all, nil
		}
		if err == nil {
			err = all.add(rows, row, bits)
		}
		if err != nil {
			return nil, err
		}
	}
}

// add adds one row.
func (f *catalogue) add(rows *files.Rows, row []string, bits map[string]uint32) error {
	id, end := wholeNumber([]byte(row[0]), 0)
	if id < 1 || end != len(row[0]) {
		return rows.Errorf(0, "column %q: %q is not a whole number above 0, such as 17, of 32 bits", filmColumns[0], files.Clip(row[0]))
	}
	if _, twice := f.LookUp(int32(id)); twice {
		return rows.Errorf(0, "column %q: film %d occurs twice, want each film once", filmColumns[0], id)
	}
	var genres uint32
	for name := range strings.SplitSeq(row[2], "|") {
		bit, ok := bits[name]
		if !ok {
			return rows.Errorf(2, "column %q: %q is none of the genres %s", filmColumns[2], files.Clip(name), strings.Join(Genres(), ", "))
		}
		genres |= bit
	}
	f.Number(int32(id))
	f.genres = append(f.genres, genres)
	f.years = append(f.years, titleYear(row[1]))
	f.titles, f.genreTexts = append(f.titles, row[1]), append(f.genreTexts, row[2])
	return nil
}

// titleYear returns the year in parentheses at the end of a title such as "Heat (1995)", or 0.
func titleYear(title string) int16 {
	title = strings.TrimSpace(title)
	n := len(title)
	if n < 6 || title[n-6] != '(' || title[n-1] != ')' {
		return 0
	}
	year, err := strconv.ParseUint(title[n-5:n-1], 10, 15)
	if err != nil {
		return 0
	}
	return int16(year)
}
