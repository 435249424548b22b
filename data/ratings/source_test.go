package ratings

import (
	"path/filepath"
	"strings"
	"testing"

	"gophe/data/datatest"
	"gophe/data/files"
	"gophe/phe/disk/filetest"
)

func TestSources(t *testing.T) {
	if names := strings.Join(Names(), " "); names != "ml-32m ml-latest-small movielens-50k" {
		t.Error(names)
	}
	for _, s := range Sources() {
		if s.Title == "" || s.Rows == 0 || s.Films == 0 || !strings.HasPrefix(s.Origin, "https://") || !strings.Contains(s.Licence, "research") || !strings.Contains(s.Citation, "Harper") ||
			s.Folder != "movielens" || (s.ZipBytes > 0) != (s.ZipFolder != "") || len(s.Files) != 2 {
			t.Errorf("incomplete: %+v", s)
		}
		for i, name := range []string{"ratings.csv", "movies.csv"} {
			if f := s.Files[i]; len(f.SHA256)+2*len(f.MD5) != 64 || f.Name != s.Name+"-"+name || f.Zipped != name || f.Committed != "" {
				t.Errorf("incomplete: %+v", f)
			}
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
	filetest.WantError(t, err, `data set "ml-32m": found none of ml-32m-ratings.csv.zst, ml-32m-ratings.csv.gz, ml-32m-ratings.csv, ml-32m.zip; looked in`, first, filepath.Join("data", "movielens"),
		"phe data fetch ml-32m", files.PathVariable)
	filetest.WantError(t, filetest.Failure(Load("movielens-50k", files.Options{})), "take its two files from https://github.com/aodongli")
	find := func(want string) {
		t.Helper()
		if got, err := source.Find(); err != nil || got != want {
			t.Errorf("Find() = %q, %v, want %q", got, err, want)
		}
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
