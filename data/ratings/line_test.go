package ratings

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

func TestParseRating(t *testing.T) {
	for line, want := range map[string]ratingLine{
		"1,17,4.0,944249077":           {1, 17, 944249077, 8},
		"2147483647,2147483647,0.5,0":  {2147483647, 2147483647, 0, 1},
		"200948,292757,5.0,2147483647": {200948, 292757, 2147483647, 10},
		"10,20,3.5,1":                  {10, 20, 1, 7},
		"1,1,1.0,1":                    {1, 1, 1, 2}, "1,1,2.5,1": {1, 1, 1, 5},
	} {
		got, ok := parseRating([]byte(line))
		filetest.Want(t, ok && got == want, "%s: %+v, %v", line, got, ok)
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
		{"1.0,1,4.0,5", 1, id}, {" 1,1,4.0,5", 1, id}, {"\"1\",1,4.0,5", 1, id}, {"2147483648,1,4.0,5", 1, id}, {"99999999999999999999,1,4.0,5", 1, id},
		{"\xef\xbb\xbf1,1,4.0,5", 1, id}, {"a,b,c,d", 1, `"a"`},
		{"12,0,4.0,5", 4, `"movieId": "0" ` + id}, {"12,,4.0,5", 4, id}, {"12,1e3,4.0,5", 4, id}, {"12,2147483648,4.0,5", 4, id},
		{"1,1,0.0,5", 5, `"rating": "0.0" ` + stars}, {"1,1,5.5,5", 5, stars}, {"1,1,6.0,5", 5, stars}, {"1,1,4,5", 5, stars}, {"1,1,4.00,5", 5, stars},
		{"1,1,4.1,5", 5, stars}, {"1,1,4.6,5", 5, stars}, {"1,1,.5,5", 5, stars}, {"1,1,-.5,5", 5, stars}, {"1,1,,5", 5, stars}, {"1,1,4;0,5", 5, stars}, {"1,1,/.0,5", 5, stars},
		{"1,1,4.0,", 9, `"timestamp": "" ` + moment}, {"1,1,4.0,-5", 9, moment}, {"1,1,4.0,5.0", 9, moment}, {"1,1,4.0,05", 9, moment},
		{"1,1,4.0,2147483648", 9, moment}, {"1,1,4.0,5 ", 9, moment}, {"1,1,4.0,5\r", 9, moment},
		{"1", 2, "the row ends after 1 fields, want 4: userId"}, {"1,1", 4, "after 2 fields"}, {"1,1,4.0", 8, "after 3 fields"},
		{"1,1,4.0,5,", 11, "5 fields, want 4"}, {"1,1,4.0,5,6,7", 11, "6 fields, want 4"},
	} {
		r, ok := parseRating([]byte(c.line))
		filetest.Want(t, !ok, "%q is read as %+v", c.line, r)
		column, defect := ratingDefect([]byte(c.line))
		filetest.WantEqual(t, column, c.column, "%q: column", c.line)
		filetest.Want(t, strings.Contains(defect, c.want), "%q: %s; want %s", c.line, defect, c.want)
	}
}

var goodRating = regexp.MustCompile(`\A([1-9][0-9]*),([1-9][0-9]*),([0-5])\.([05]),(0|[1-9][0-9]*)\z`)

// FuzzParseRating compares the parser with a regular expression and strconv.
func FuzzParseRating(f *testing.F) {
	for _, line := range []string{"1,17,4.0,944249077", "2147483647,2147483647,0.5,0", "1,1,5.5,1", "2147483648,1,4.0,5", "1,1,4.0", "1,1,4.0,05", ",,,", "\"1\",2"} {
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
