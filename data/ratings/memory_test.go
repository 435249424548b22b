package ratings

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"gophe/data/datatest"
	"gophe/data/files"
)

// writeRatings writes a data set in ml-32m's form: users one after another, each in a few sessions of many ratings; films
// from popular to rare.
func writeRatings(w io.Writer, rows int) {
	random := rand.New(rand.NewPCG(1, 2))
	fmt.Fprint(w, ratingsHeader+"\r\n")
	const perUser = 159 // of ml-32m
	var session int
	for row := range rows {
		if row%(perUser/3) == 0 {
			session = 820454400 + random.IntN(875_000_000)
		}
		share, stars := random.Float64(), 1+random.IntN(10)
		fmt.Fprintf(w, "%d,%d,%d.%d,%d\r\n", 1+row/perUser, 1+int(share*share*share*numSyntheticFilms), stars/2, stars%2*5, session+random.IntN(3600))
	}
}

const numSyntheticFilms = 87585

func writeFilms(w io.Writer) {
	fmt.Fprint(w, "movieId,title,genres\r\n")
	for id := range numSyntheticFilms {
		fmt.Fprintf(w, "%d,\"Film, The (%d)\",Comedy|Drama\r\n", id+1, 1900+id%120)
	}
}

// BenchmarkLoad reads a plain CSV file with a tenth of ml-32m's size. It reports the peak memory of the whole process: run it
// alone, and once (-benchtime 1x).
func BenchmarkLoad(b *testing.B) {
	const rows = 3_200_000
	folder := b.TempDir()
	paths := []string{filepath.Join(folder, "ratings.csv"), filepath.Join(folder, "movies.csv")}
	for path, write := range map[string]func(io.Writer){paths[0]: func(w io.Writer) { writeRatings(w, rows) }, paths[1]: writeFilms} {
		file, err := os.Create(path)
		datatest.Check(b, err)
		buffered := bufio.NewWriter(file)
		write(buffered)
		datatest.Check(b, buffered.Flush())
		datatest.Check(b, file.Close())
	}
	source := files.Source{Name: "synthetic", Rows: rows, Files: []files.File{{}, {}}}
	for b.Loop() {
		r, err := read(source, paths, files.Options{AllowAltered: true})
		datatest.Check(b, err)
		if r.NumRows() != rows {
			b.Fatal(r.NumRows(), " ratings")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/rating")
	if runtime.GOOS == "linux" {
		b.ReportMetric(float64(datatest.PeakMemory(b))/1000, "peak-MB")
	}
}
