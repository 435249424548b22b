package experiments

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"gophe/data"
	"gophe/experiments/result"
	"gophe/phe"
	"gophe/phe/backend"
)

// dataPath is where the caller of the tests has data sets that are not part of the checkout.
var dataPath = os.Getenv(data.PathVariable)

// TestMain runs the package's tests on the first rows of Adult, a few products of Retail and a few generated ratings under
// the name of ml-latest-small: enough to see every code path, and read in no time.
func TestMain(m *testing.M) {
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
	f, err := os.Open(filepath.Join("..", "data", "uci", "adult.csv.gz"))
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
	f, err := os.Open(filepath.Join("..", "data", "uci", "retail.csv.zst"))
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

// tiny is adult-online's spec with little of everything: two epochs, three steps of 30 rows, two seeds.
func tiny(t *testing.T) Spec {
	t.Helper()
	spec, err := LoadSpec("adult-online")
	if err != nil {
		t.Fatal(err)
	}
	spec.Name, spec.Title = "tiny", "for tests"
	spec.Protocol = Protocol{Name: "online", InitialFraction: 0.1, InitialEpochs: 2, ChunkRows: 30, MaxChunks: 3}
	spec.Seeds = []int64{0, 1}
	spec.Model.Encoder.EmbeddingDim, spec.Model.TrainSamples, spec.Model.TestSamples, spec.Model.BatchSize = 3, 2, 5, 64
	spec.Methods = []Method{
		{Name: "PHE", Rows: phe.Hash, Estimate: phe.Posterior, UpdateEpochs: 2},
		{Name: "SlowAda", Rows: phe.Hash, Estimate: phe.Point, UpdateEpochs: 1},
		{Name: "FastAda", Rows: phe.Hash, Estimate: phe.Point, UpdateEpochs: 3},
	}
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	return spec
}

// options runs on the pure-Go backend, whatever else is installed.
func options(t *testing.T, out string) Options {
	t.Helper()
	b, err := backend.Open(backend.Go)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Backend: b, BackendName: backend.Go, Out: out, AllowAltered: true}
}

func mustRun(t *testing.T, spec Spec, o Options) *result.File {
	t.Helper()
	f, err := Run(context.Background(), spec, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// mustExecute runs a spec and returns the result with all digits, for tests that compute a series by hand.
func mustExecute(t *testing.T, spec Spec, o Options) *result.File {
	t.Helper()
	f, err := execute(context.Background(), spec, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// committedResults are those that REPRODUCTION.md shows.
func committedResults() *result.Folder { return result.OpenFolder("out") }

// readResult reads the result of tiny in a folder, which must be valid.
func readResult(t *testing.T, folder string) *result.File {
	t.Helper()
	f, err := result.Read(filepath.Join(folder, "tiny.json"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// store writes a result made up by a test, with the summaries that a run would write.
func store(f *result.File, path string) error {
	summarise(f)
	return f.Write(path)
}

// timeless is the result as text, series and all, without what two runs of one spec may differ in: times, memory, the
// number of columns, and whether a checkout was changed meanwhile.
func timeless(t *testing.T, f *result.File) string {
	t.Helper()
	clone := *f
	clone.Manifest.Started, clone.Manifest.Seconds, clone.Manifest.PeakMemoryMB, clone.Manifest.Commit = "", 0, 0, ""
	clone.Manifest.Spec, clone.Manifest.Table = nil, nil // indented in a file
	clone.Methods = nil
	clone.Stream.Columns = nil
	for _, m := range f.Methods {
		runs := m.Runs
		m.Runs = nil
		for _, r := range runs {
			r.Seconds, r.Columns = result.Seconds{}, nil
			r.Memory = slices.Clone(r.Memory)
			for i := range r.Memory {
				r.Memory[i].Megabytes = 0
			}
			m.Runs = append(m.Runs, r)
		}
		clone.Methods = append(clone.Methods, m)
	}
	return fmt.Sprintf("%s %s %+v %+v\n%+v", clone.Name, clone.Status, clone.Manifest, clone.Stream, clone.Methods)
}

func methodOf(t *testing.T, f *result.File, name string, frozen bool) result.Method {
	t.Helper()
	for _, m := range f.Methods {
		if m.Name == name && m.Frozen == frozen {
			return m
		}
	}
	t.Fatalf("no method %s, frozen %v", name, frozen)
	return result.Method{}
}
