package ratings

import (
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

func TestTitleYear(t *testing.T) {
	for title, want := range map[string]int16{"Heat (1995)": 1995, "Assembly (Ji jie hao) (2007) ": 2007, "Babylon 5": 0, "Fawlty Towers (1975-1979)": 0, "(19x5)": 0, "(+995)": 0, "": 0} {
		filetest.WantEqual(t, titleYear(title), want, "%q", title)
	}
}

func TestParseFilms(t *testing.T) {
	const header = "movieId,title,genres\n"
	films, err := parseFilms("movies.csv", strings.NewReader(header+
		"10,\"American President, The (1995)\",Comedy|Drama|Romance\n2000000,\"a \"\"b\"\"\nc\",(no genres listed)\n3,é,Action|Action\n"))
	filetest.Check(t, err)
	filetest.WantEqual(t, films.IDs, []int32{10, 2000000, 3}, "films")
	filetest.WantEqual(t, films.genres, []uint32{1<<4 | 1<<7 | 1<<14, 1 << 19, 1}, "genres")
	filetest.WantEqual(t, films.years, []int16{1995, 0, 0}, "years")
	for id, want := range map[int32]int32{10: 0, 2000000: 1, 3: 2} {
		n, ok := films.LookUp(id)
		filetest.Want(t, ok && n == want, "film %d has number %d, %v", id, n, ok)
	}
	for _, id := range []int32{0, 4, 1999999, 2147483647} {
		n, ok := films.LookUp(id)
		filetest.Want(t, !ok, "film %d has number %d", id, n)
	}
	for _, c := range []struct{ name, content, want string }{
		{"empty", "", "movies.csv: the file is empty; want the header movieId,title,genres"},
		{"other header", "movieId,genres,title\n1,Drama,a\n", `movies.csv:1:9: column 2 is "genres", want "title": the columns are in another order; the header must be movieId,title,genres`},
		{"ratings", ratingsHeader + "\n", `movies.csv:1:1: column 1 is "userId", want "movieId"`},
		{"id", header + "1,a,Drama\nx,b,Drama\n", `movies.csv:3:1: column "movieId": "x" is not a whole number above 0`},
		{"id 0", header + "0,a,Drama\n", `movies.csv:2:1: column "movieId": "0"`},
		{"id too large", header + "2147483648,a,Drama\n", "movies.csv:2:1:"},
		{"film twice", header + "1,a,Drama\n2,b,Drama\n1,c,Drama\n", "movies.csv:4:1: column \"movieId\": film 1 occurs twice"},
		{"unknown genre", header + "1,\"a, b\",Drama|Noir\n", `movies.csv:2:10: column "genres": "Noir" is none of the genres Action, Adventure`},
		{"no genre", header + "1,a,\n", `movies.csv:2:5: column "genres": "" is none`},
		{"genre cut", header + "1,a,Drama|\n", `"" is none`},
		{"fields missing", header + "1,a\n", `movies.csv:2:3: 2 fields, want 3; the last that fits is column "title"`},
		{"fields too many", header + "1,a, b,Drama\n", "movies.csv:2:5: 4 fields, want 3"},
		{"quote open", header + "1,\"a,Drama\n2,b,Drama\n", "movies.csv:3:11: in the row that starts on line 2"},
		{"stray quote", header + "1,a\"b,Drama\n", "movies.csv:2:4: in the row"},
	} {
		_, err := parseFilms("movies.csv", strings.NewReader(c.content))
		t.Run(c.name, func(t *testing.T) { filetest.WantError(t, err, c.want) })
	}
}
