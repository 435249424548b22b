package ratings

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"gophe/data/datatest"
	"gophe/data/files"
	"gophe/phe/disk/filetest"
)

func TestLoad(t *testing.T) {
	for _, c := range []struct {
		name                            string
		rows, users, catalogue, dropped int
		first, last                     string // day of rating
		halfStars                       [10]int
	}{
		{"ml-latest-small", 100836, 610, 9724, 0, "1996-03-29", "2018-09-24",
			[10]int{1370, 2811, 1791, 7551, 5550, 20047, 13136, 26818, 8551, 13211}},
		{"movielens-50k", 48493, 323, 7178, 1506, "1996-05-08", "2023-10-05",
			[10]int{971, 1477, 819, 3246, 2587, 9235, 5918, 12765, 4426, 7049}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := loadedRatings(t, c.name)
			sizes := [4]int{r.NumRows(), len(r.UserIDs), len(r.MovieIDs), r.Dropped}
			filetest.Want(t, sizes, [4]int{c.rows, c.users, c.catalogue, c.dropped}, "ratings, users, films and dropped ratings")
			filetest.True(t, r.Verified && r.Name == c.name, "%s, verified %v", r.Name, r.Verified)
			date := func(row int) string { return time.Unix(int64(r.Seconds[row]), 0).UTC().Format(time.DateOnly) }
			filetest.Want(t, [2]string{date(0), date(r.NumRows() - 1)}, [2]string{c.first, c.last}, "days from, to")
			var counts [10]int
			for _, stars := range r.HalfStars {
				counts[stars-1]++
			}
			filetest.True(t, counts == c.halfStars, "half stars %v", counts)
			checkRatings(t, r)
		})
	}
}

// TestRatingsAsInTheFile compares the ratings with the lines of the file.
func TestRatingsAsInTheFile(t *testing.T) {
	r := loadedRatings(t, "ml-latest-small")
	if filepath.Ext(r.Path) != ".gz" {
		t.Skip("found in another form: ", r.Path)
	}
	lines := strings.Split(strings.TrimSuffix(string(filetest.Unzip(t, r.Path)), "\n"), "\n")[1:]
	have := make(map[string]bool)
	for row := range r.NumRows() {
		user, movie, halves := r.UserIDs[r.Users[row]], r.MovieIDs[r.Movies[row]], r.HalfStars[row]
		have[fmt.Sprintf("%d,%d,%d.%d,%d", user, movie, halves/2, halves%2*5, r.Seconds[row])] = true
	}
	for _, line := range lines {
		if !have[line] {
			t.Fatalf("%s is not there", line)
		}
	}
	filetest.True(t, len(have) == len(lines), "%d ratings, %d in the file", len(have), len(lines))
}

// TestRatingForms loads the files in each form. All forms give the same, verified ratings.
func TestRatingForms(t *testing.T) {
	want := loadedRatings(t, "ml-latest-small")
	_, paths, err := find("ml-latest-small")
	if err != nil || filepath.Ext(paths[0]) != ".gz" || filepath.Ext(paths[1]) != ".gz" {
		t.Skip("found in another form: ", paths)
	}
	ratings, films := string(filetest.Unzip(t, paths[0])), string(filetest.Unzip(t, paths[1]))
	windows := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	const r, m = "ml-latest-small-ratings.csv", "ml-latest-small-movies.csv"
	const inR, inM = "ml-latest-small/ratings.csv", "ml-latest-small/movies.csv"
	for name, written := range map[string][]string{
		"csv":        {r, ratings, m, films},
		"csv, CR LF": {r, windows(ratings), m, windows(films)},
		"csv and gz": {r, ratings, m + ".gz", datatest.Compress(t, windows(films))},
		"gz and csv": {r + ".gz", datatest.Compress(t, windows(ratings)), m, films},
		"zip":        {"ml-latest-small.zip", zipped(t, "ml-latest-small/links.csv", "x", inR, ratings, inM, films)},
		"zip, CR LF": {"ml-latest-small.zip", zipped(t, "ml-latest-small/", "", inM, windows(films), inR, windows(ratings))},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv(files.PathVariable, folder)
			for i := 0; i < len(written); i += 2 {
				datatest.Write(t, filepath.Join(folder, written[i]), written[i+1])
			}
			got := filetest.Must(Load("ml-latest-small", files.Options{}))(t)
			filetest.True(t, got.Path == filepath.Join(folder, written[0]), "read %s", got.Path)
			got.Path = want.Path
			filetest.True(t, reflect.DeepEqual(got, want), "the ratings differ")
		})
	}
}

func TestRatingsOrder(t *testing.T) {
	toyFolder(t, ratingsHeader+"\n3,9,0.5,300\n3,5,1.0,100\n3,8,1.0,100\n4000000,5,1.5,200\n4000000,7,2.0,100\n"+
		"1,5,2.5,2147483647\n1,7,3.0,100\n1,9,5.0,0\n")
	r := filetest.Must(Load("ml-latest-small", files.Options{AllowAltered: true}))(t)
	want := &Ratings{Name: "ml-latest-small", UserIDs: []int32{1, 3, 4000000}, MovieIDs: []int32{9, 5, 7},
		Users: []int32{0, 1, 2, 0, 2, 1, 0}, Movies: []int32{0, 1, 2, 2, 1, 0, 1}, HalfStars: []uint8{10, 2, 4, 6, 3, 1, 5},
		Seconds: []int32{0, 100, 100, 100, 200, 300, 2147483647},
		Genres:  []uint32{1 << 19, 1 << 4, 1<<7 | 1<<17}, Years: []int16{0, 0, 0}, Dropped: 1, SHA256: r.SHA256, Path: r.Path}
	filetest.True(t, reflect.DeepEqual(r, want), "%+v\nwant\n%+v", r, want)
	filetest.Want(t, r.Day(6), 24855, "day")
}

func TestLoadRefuses(t *testing.T) {
	const row = "1,5,4.0,100\n"
	for _, c := range []struct{ name, content, want string }{
		{"empty", "", ": the file is empty"},
		{"header only", ratingsHeader + "\n", ": a header and no rows"},
		{"other header", "user,movie,rating,timestamp\n" + row,
			`:1:1: the header is "user,movie,rating,timestamp", want "userId,movieId,rating,timestamp"`},
		{"no header", row, `:1:1: the header is "1,5,4.0,100"`},
		{"rating", ratingsHeader + "\r\n1,5,4.2,100\r\n", `:2:5: column "rating": "4.2" is not`},
		{"blank line", ratingsHeader + "\n" + row + "\n" + row, `:3:1: column "userId": ""`},
		{"no line end", ratingsHeader + "\n" + row + "1,7,3.0,9442", ":3:13: the last line has no line end: the file is cut off"},
		{"a long line", ratingsHeader + "\n" + strings.Repeat("1", 1<<17), ":2:1: a line of more than 65536 bytes"},
		{"no film known", ratingsHeader + "\n1,1,4.0,100\n1,2,4.0,100\n", "none of its 2 ratings is of a film in the films' file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := toyFolder(t, c.content)
			_, err := Load("ml-latest-small", files.Options{AllowAltered: true})
			filetest.WantError(t, err, filepath.Join(folder, "ml-latest-small-ratings.csv"), c.want)
		})
	}
}

func TestLoadUnreadable(t *testing.T) {
	ratings := ratingsHeader + "\n" + strings.Repeat("1,5,4.0,100\n", 50000)
	packed, archive := datatest.Compress(t, ratings), zipped(t, "a/movies.csv", toyFilms, "a/ratings.csv", ratings)
	damaged := []byte(archive)
	damaged[len(zipped(t, "a/movies.csv", toyFilms))] ^= 0xff // inside the ratings
	inside := filepath.Join("ml-latest-small.zip", "a", "ratings.csv")
	for _, c := range []struct{ name, file, content, want string }{
		{"gzip cut off", "ratings.csv.gz", packed[:len(packed)/2], "cut off after line"},
		{"films' gzip cut off", "movies.csv.gz", datatest.Compress(t, toyFilms)[:30], "movies.csv.gz: damaged or cut off after line"},
		{"films without line end", "movies.csv.gz", datatest.Compress(t, strings.TrimSuffix(toyFilms, "\n")),
			"movies.csv.gz:4:26: the last line has no line end"},
		{"zip cut off", ".zip", archive[:len(archive)-30], "not a zip file, or cut off"},
		{"zip empty", ".zip", "", "not a zip file"},
		{"zip without ratings", ".zip", zipped(t, "a/movies.csv", toyFilms), "0 files named ratings.csv inside, want 1"},
		{"zip with two", ".zip", zipped(t, "a/movies.csv", toyFilms, "b/movies.csv", toyFilms), "2 files named movies.csv inside, want 1"},
		{"zip damaged", ".zip", string(damaged), inside + ": damaged"},
		{"zip's line", ".zip", zipped(t, "a/movies.csv", toyFilms, "a/ratings.csv", ratingsHeader+"\n1\n"), inside + ":2:2: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := toyFolder(t, ratings)
			switch c.file {
			case "ratings.csv.gz", "movies.csv.gz":
				datatest.Write(t, filepath.Join(folder, "ml-latest-small-"+c.file), c.content)
			default:
				os.Remove(filepath.Join(folder, "ml-latest-small-ratings.csv"))
				datatest.Write(t, filepath.Join(folder, "ml-latest-small"+c.file), c.content)
			}
			filetest.WantError(t, filetest.Failure(Load("ml-latest-small", files.Options{AllowAltered: true})), folder, c.want)
		})
	}
}

func TestLoadAltered(t *testing.T) {
	folder := toyFolder(t, ratingsHeader+"\n1,5,4.0,100\n")
	_, err := Load("ml-latest-small", files.Options{})
	filetest.WantError(t, err, "ml-latest-small-movies.csv is altered", "declared c47b783f", "phe data fetch ml-latest-small",
		"remedy: accept altered")
	source, _, _ := find("ml-latest-small")
	declared := files.Sum{Path: "films", SHA256: source.Files[1].SHA256}
	_, err = source.Accept(files.Options{}, 17, source.Rows, "ratings", files.Sum{Path: "ratings", SHA256: "abc"}, declared)
	filetest.WantError(t, err, "ratings is altered: SHA-256", "is abc, declared 80da8b33", "(17 ratings, declared 100836)")
	right := files.Sum{Path: "ratings", SHA256: source.Files[0].SHA256}
	verified := filetest.Must(source.Accept(files.Options{}, 100836, source.Rows, "ratings", right, declared))(t)
	filetest.Want(t, verified, true, "verified")
	for _, name := range []string{"ratings", "movies"} { // the same as ml-32m's
		filetest.Check(t, os.Rename(filepath.Join(folder, "ml-latest-small-"+name+".csv"), filepath.Join(folder, "ml-32m-"+name+".csv")))
	}
	_, err = Load("ml-32m", files.Options{})
	filetest.WantError(t, err, "ml-32m-movies.csv is altered: MD5 of the content", "declared 0df90835", "phe data fetch ml-32m")
	r, err := Load("ml-32m", files.Options{AllowAltered: true})
	filetest.True(t, err == nil && !r.Verified && r.NumRows() == 1 && len(r.SHA256) == 64, "%+v, %v", r, err)
	large, _, _ := find("ml-32m")
	good := []files.Sum{{Path: "ratings", SHA256: "any", MD5: large.Files[0].MD5}, {Path: "films", SHA256: "any", MD5: large.Files[1].MD5}}
	verified = filetest.Must(large.Accept(files.Options{}, large.Rows, large.Rows, "ratings", good...))(t)
	filetest.Want(t, verified, true, "verified")
	_, err = large.Accept(files.Options{}, 3, large.Rows, "ratings", good...)
	filetest.WantError(t, err, "3 ratings, declared 32000204")
}

func TestSources(t *testing.T) {
	filetest.Want(t, Names(), []string{"ml-32m", "ml-latest-small", "movielens-50k"}, "names")
	for _, s := range Sources() {
		if s.Title == "" || s.Rows == 0 || s.Films == 0 || !strings.HasPrefix(s.Origin, "https://") ||
			!strings.Contains(s.Licence, "research") || !strings.Contains(s.Citation, "Harper") ||
			s.Folder != "movielens" || (s.ZipBytes > 0) != (s.ZipFolder != "") || len(s.Files) != 2 {
			t.Errorf("incomplete: %+v", s)
		}
		for i, name := range []string{"ratings.csv", "movies.csv"} {
			f := s.Files[i]
			whole := len(f.SHA256)+2*len(f.MD5) == 64 && f.Name == s.Name+"-"+name && f.Zipped == name && f.Committed == ""
			filetest.True(t, whole, "incomplete: %+v", f)
		}
	}
	_, err := Load("ml-1m", files.Options{})
	filetest.WantError(t, err, `unknown ratings "ml-1m"; can be loaded: ml-32m, ml-latest-small, movielens-50k`)
}

func TestFind(t *testing.T) {
	outside, first := t.TempDir(), t.TempDir()
	datatest.Write(t, filepath.Join(outside, "go.mod"), "module "+files.Module+"\n")
	t.Chdir(outside)
	t.Setenv(files.PathVariable, first)
	source, _, _ := find("ml-32m")
	_, err := Load("ml-32m", files.Options{})
	const ratings = "ml-32m-ratings.csv"
	filetest.WantError(t, err, `data set "ml-32m": found none of `+ratings+".zst, "+ratings+".gz, "+ratings+", ml-32m.zip; looked in",
		first, filepath.Join("data", "movielens"), "phe data fetch ml-32m", files.PathVariable)
	filetest.WantError(t, filetest.Failure(Load("movielens-50k", files.Options{})), "take its two files from https://github.com/aodongli")
	find := func(want string) {
		t.Helper()
		filetest.Want(t, filetest.Must(source.Find())(t), want, "the file found")
	}
	find(datatest.Write(t, filepath.Join(outside, "data", "movielens", "ml-32m.zip"), "x"))
	find(datatest.Write(t, filepath.Join(first, "ml-32m.zip"), "x"))
	path := datatest.Write(t, filepath.Join(first, "ml-32m-ratings.csv"), "x")
	_, err = source.Find()
	filetest.WantError(t, err, "found "+path, "none of ml-32m-movies.csv.zst, ml-32m-movies.csv.gz, ml-32m-movies.csv beside it")
	datatest.Write(t, filepath.Join(first, "ml-32m-movies.csv"), "x")
	find(path)
	find(datatest.Write(t, filepath.Join(first, "ml-32m-ratings.csv.gz"), "x"))
}

func TestTitleYear(t *testing.T) {
	for title, want := range map[string]int16{"Heat (1995)": 1995, "Assembly (Ji jie hao) (2007) ": 2007, "Babylon 5": 0,
		"Fawlty Towers (1975-1979)": 0, "(19x5)": 0, "(+995)": 0, "": 0} {
		filetest.Want(t, titleYear(title), want, "%q", title)
	}
}

func TestParseFilms(t *testing.T) {
	const header = "movieId,title,genres\n"
	films, err := parseFilms("movies.csv", strings.NewReader(header+
		"10,\"American President, The (1995)\",Comedy|Drama|Romance\n2000000,\"a \"\"b\"\"\nc\",(no genres listed)\n3,é,Action|Action\n"))
	filetest.Check(t, err)
	filetest.Want(t, films.IDs, []int32{10, 2000000, 3}, "films")
	filetest.Want(t, films.genres, []uint32{1<<4 | 1<<7 | 1<<14, 1 << 19, 1}, "genres")
	filetest.Want(t, films.years, []int16{1995, 0, 0}, "years")
	for id, want := range map[int32]int32{10: 0, 2000000: 1, 3: 2} {
		n, ok := films.LookUp(id)
		filetest.True(t, ok && n == want, "film %d has number %d, %v", id, n, ok)
	}
	for _, id := range []int32{0, 4, 1999999, 2147483647} {
		n, ok := films.LookUp(id)
		filetest.True(t, !ok, "film %d has number %d", id, n)
	}
	for _, c := range []struct{ name, content, want string }{
		{"empty", "", "movies.csv: the file is empty; want the header movieId,title,genres"},
		{"other header", "movieId,genres,title\n1,Drama,a\n",
			`movies.csv:1:9: column 2 is "genres", want "title": the columns are in another order; ` +
				"the header must be movieId,title,genres"},
		{"ratings", ratingsHeader + "\n", `movies.csv:1:1: column 1 is "userId", want "movieId"`},
		{"id", header + "1,a,Drama\nx,b,Drama\n", `movies.csv:3:1: column "movieId": "x" is not a whole number above 0`},
		{"id 0", header + "0,a,Drama\n", `movies.csv:2:1: column "movieId": "0"`},
		{"id too large", header + "2147483648,a,Drama\n", "movies.csv:2:1:"},
		{"film twice", header + "1,a,Drama\n2,b,Drama\n1,c,Drama\n", "movies.csv:4:1: column \"movieId\": film 1 occurs twice"},
		{"unknown genre", header + "1,\"a, b\",Drama|Noir\n",
			`movies.csv:2:10: column "genres": "Noir" is none of the genres Action, Adventure`},
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

func TestParseRating(t *testing.T) {
	for line, want := range map[string]ratingLine{
		"1,17,4.0,944249077":           {1, 17, 944249077, 8},
		"2147483647,2147483647,0.5,0":  {2147483647, 2147483647, 0, 1},
		"200948,292757,5.0,2147483647": {200948, 292757, 2147483647, 10},
		"10,20,3.5,1":                  {10, 20, 1, 7},
		"1,1,1.0,1":                    {1, 1, 1, 2}, "1,1,2.5,1": {1, 1, 1, 5},
	} {
		got, ok := parseRating([]byte(line))
		filetest.True(t, ok && got == want, "%s: %+v, %v", line, got, ok)
	}
}

func TestParseRatingRefuses(t *testing.T) {
	const id, stars, moment = "is not a whole number above 0", "is not a number of stars", "is not a whole number of seconds"
	for _, c := range []struct {
		line   string
		column int
		want   string
	}{
		{"", 1, `"userId": "" ` + id}, {"0,1,4.0,5", 1, `"0" ` + id}, {"-1,1,4.0,5", 1, id}, {"+1,1,4.0,5", 1, id}, {"01,1,4.0,5", 1, id},
		{"1.0,1,4.0,5", 1, id}, {" 1,1,4.0,5", 1, id}, {"\"1\",1,4.0,5", 1, id}, {"2147483648,1,4.0,5", 1, id},
		{"99999999999999999999,1,4.0,5", 1, id},
		{"\xef\xbb\xbf1,1,4.0,5", 1, id}, {"a,b,c,d", 1, `"a"`},
		{"12,0,4.0,5", 4, `"movieId": "0" ` + id}, {"12,,4.0,5", 4, id}, {"12,1e3,4.0,5", 4, id}, {"12,2147483648,4.0,5", 4, id},
		{"1,1,0.0,5", 5, `"rating": "0.0" ` + stars}, {"1,1,5.5,5", 5, stars}, {"1,1,6.0,5", 5, stars}, {"1,1,4,5", 5, stars},
		{"1,1,4.00,5", 5, stars},
		{"1,1,4.1,5", 5, stars}, {"1,1,4.6,5", 5, stars}, {"1,1,.5,5", 5, stars}, {"1,1,-.5,5", 5, stars}, {"1,1,,5", 5, stars},
		{"1,1,4;0,5", 5, stars}, {"1,1,/.0,5", 5, stars},
		{"1,1,4.0,", 9, `"timestamp": "" ` + moment}, {"1,1,4.0,-5", 9, moment}, {"1,1,4.0,5.0", 9, moment}, {"1,1,4.0,05", 9, moment},
		{"1,1,4.0,2147483648", 9, moment}, {"1,1,4.0,5 ", 9, moment}, {"1,1,4.0,5\r", 9, moment},
		{"1", 2, "the row ends after 1 fields, want 4: userId"}, {"1,1", 4, "after 2 fields"}, {"1,1,4.0", 8, "after 3 fields"},
		{"1,1,4.0,5,", 11, "5 fields, want 4"}, {"1,1,4.0,5,6,7", 11, "6 fields, want 4"},
	} {
		r, ok := parseRating([]byte(c.line))
		filetest.True(t, !ok, "%q is read as %+v", c.line, r)
		column, defect := ratingDefect([]byte(c.line))
		filetest.Want(t, column, c.column, "%q: column", c.line)
		filetest.True(t, strings.Contains(defect, c.want), "%q: %s; want %s", c.line, defect, c.want)
	}
}

var goodRating = regexp.MustCompile(`\A([1-9][0-9]*),([1-9][0-9]*),([0-5])\.([05]),(0|[1-9][0-9]*)\z`)

// FuzzParseRating compares the parser with a regular expression and strconv.
func FuzzParseRating(f *testing.F) {
	for _, line := range []string{"1,17,4.0,944249077", "2147483647,2147483647,0.5,0", "1,1,5.5,1", "2147483648,1,4.0,5", "1,1,4.0",
		"1,1,4.0,05", ",,,", "\"1\",2"} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var want ratingLine
		valid := false
		if m := goodRating.FindSubmatch(line); m != nil {
			user, err1 := strconv.ParseInt(string(m[1]), 10, 32)
			movie, err2 := strconv.ParseInt(string(m[2]), 10, 32)
			seconds, err3 := strconv.ParseInt(string(m[5]), 10, 32)
			stars := 2 * (m[3][0] - '0')
			if m[4][0] == '5' {
				stars++
			}
			valid = err1 == nil && err2 == nil && err3 == nil && stars >= 1 && stars <= 10
			want = ratingLine{int32(user), int32(movie), int32(seconds), stars}
		}
		got, ok := parseRating(line)
		if ok != valid || ok && got != want {
			t.Errorf("%q: %+v, %v; want %+v, %v", line, got, ok, want, valid)
		}
		if column, defect := ratingDefect(line); !ok && (defect == "" || column < 1 || column > len(line)+1) {
			t.Errorf("%q: column %d, %q", line, column, defect)
		}
	})
}
