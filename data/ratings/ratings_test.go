package ratings

import (
	"archive/zip"
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"gophe/data/datatest"
	"gophe/data/files"
	"gophe/phe/disk/filetest"
)

// loadedRatings returns MovieLens' ratings. It skips the test without them, since the checkout lacks them.
func loadedRatings(t testing.TB, name string) *Ratings {
	t.Helper()
	if _, _, err := find(name); err != nil {
		t.Skipf("%s is not here, since its terms keep it out of the checkout; set %s to its folder to test with it", name, files.PathVariable)
	}
	return filetest.Must(Load(name, files.Options{}))(t)
}

const toyFilms = "movieId,title,genres\n7,\"Seven, the film\",Drama|War\n5,Five,Comedy\n9,Nine,(no genres listed)\n"

// toyFolder makes a folder with ratings under the name of ml-latest-small, and PHE_DATA names it.
func toyFolder(t *testing.T, ratings string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	t.Setenv(files.PathVariable, folder)
	datatest.Write(t, filepath.Join(folder, "ml-latest-small-ratings.csv"), ratings)
	datatest.Write(t, filepath.Join(folder, "ml-latest-small-movies.csv"), toyFilms)
	return folder
}

func zipped(t testing.TB, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		filetest.Check(t, err)
	}
	filetest.Check(t, w.Close())
	return b.String()
}

// checkRatings checks order and numbering.
func checkRatings(t *testing.T, r *Ratings) {
	t.Helper()
	n := r.NumRows()
	if len(r.Users) != n || len(r.Movies) != n || len(r.Seconds) != n || len(r.Genres) != len(r.MovieIDs) || !slices.IsSorted(r.Seconds) {
		t.Fatal("lengths, or the order of time")
	}
	users, films := int32(0), int32(0)
	for row := range n {
		if r.Users[row] > users || r.Movies[row] > films {
			t.Fatalf("rating %d is of user %d and film %d, after %d and %d", row, r.Users[row], r.Movies[row], users, films)
		}
		users, films = max(users, r.Users[row]+1), max(films, r.Movies[row]+1)
	}
	if int(users) != len(r.UserIDs) || int(films) != len(r.MovieIDs) || slices.Contains(r.Genres, 0) {
		t.Errorf("%d users, %d films", users, films)
	}
}
