package experiments

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"gophe/data"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// dataPath is where the caller of the tests has data sets that are not part of the checkout.
var dataPath = os.Getenv(data.PathVariable)

// Main runs the package's tests on the first rows of Adult, a few products of Retail and a few generated ratings under
// the name of ml-latest-small: enough to see every code path, and read in no time.
func Main(m *testing.M) {
	folder, err := os.MkdirTemp("", "experiments-test-*")
	if err == nil {
		err = shortAdult(filepath.Join(folder, "adult.csv"), 2000)
	}
	if err == nil {
		err = shortRetail(filepath.Join(folder, "retail.csv"))
	}
	if err == nil {
		err = shortRatings(folder, nil)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv(data.PathVariable, folder)
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

func shortAdult(path string, rows int) error {
	f, err := os.Open(filepath.Join("..", "..", "data", "uci", "adult.csv.gz"))
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	var short strings.Builder
	for lines := bufio.NewScanner(z); rows >= 0 && lines.Scan(); rows-- {
		short.WriteString(lines.Text() + "\n")
	}
	return os.WriteFile(path, []byte(short.String()), 0o644)
}

// shortRetail takes every hundredth product, in order of appearance, until 2011-02-18: 32 products, of one sale to five
// hundred, and sixteen days after the initial phase of the authors' protocol.
func shortRetail(path string) error {
	f, err := os.Open(filepath.Join("..", "..", "data", "uci", "retail.csv.zst"))
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		return err
	}
	lines := csv.NewReader(z)
	lines.ReuseRecord = true
	header, err := lines.Read()
	if err != nil {
		return err
	}
	product, date := slices.Index(header, "StockCode"), slices.Index(header, "InvoiceDate")
	var short strings.Builder
	w, numbers := csv.NewWriter(&short), map[string]int{}
	for err = w.Write(header); err == nil; {
		line, readErr := lines.Read()
		if readErr != nil {
			return readErr // the file is in order of time: its end is not met
		}
		if line[date] >= "2011-02-19" {
			break
		}
		n, known := numbers[line[product]]
		if !known {
			n = len(numbers)
			numbers[strings.Clone(line[product])] = n
		}
		if n%100 == 0 {
			err = w.Write(line)
		}
	}
	w.Flush()
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(short.String()), 0o644)
}

// shortRatings writes 1,500 generated ratings, changed, into a folder: 216 are learned before 2000, and 69 days follow.
func shortRatings(folder string, change func(*data.Ratings)) error {
	r, err := data.GenerateRatings(data.RatingShape{Ratings: 1500, Users: 50, Films: 200}, 1)
	if err != nil {
		return err
	}
	if change != nil {
		change(r)
	}
	var ratings, films strings.Builder
	ratings.WriteString("userId,movieId,rating,timestamp\n")
	for i, half := range r.HalfStars {
		fmt.Fprintf(&ratings, "%d,%d,%.1f,%d\n", r.UserIDs[r.Users[i]], r.MovieIDs[r.Movies[i]], float64(half)/2, r.Seconds[i])
	}
	films.WriteString("movieId,title,genres\n")
	for film, id := range r.MovieIDs {
		var genres []string
		for g, name := range data.GenreNames() {
			if r.Genres[film]&(1<<g) != 0 {
				genres = append(genres, name)
			}
		}
		fmt.Fprintf(&films, "%d,A film,%s\n", id, strings.Join(genres, "|"))
	}
	path := filepath.Join(folder, "ml-latest-small-")
	if err := os.WriteFile(path+"ratings.csv", []byte(ratings.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(path+"movies.csv", []byte(films.String()), 0o644)
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error lacks %q: %v", part, err)
		}
	}
}

// mustLoad reads a data set; adult is the short one of TestMain.
func mustLoad(t *testing.T, name string) *data.Table {
	t.Helper()
	table, err := data.Load(name, data.Options{AllowAltered: name == "adult"})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}
