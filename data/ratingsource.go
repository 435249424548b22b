package data

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

//go:embed ratings.json
var ratingsJSON string

// RatingSource is what is known of a MovieLens data set before it is opened. Its files are not part of the checkout,
// which may be used for more than research.
//
// MD5s are of what GroupLens publishes, CR LF line ends included: that of the zip stands beside it, those of the two
// files in the README of ml-32m. We have not seen that zip; several unrelated public projects state the same three.
// SHA-256s are ours, of the content with LF line ends, which holds whichever the file has.
type RatingSource struct {
	Name          string `json:"name"`
	Title         string `json:"title"`
	Rows          int    `json:"rows"`  // of ratings.csv
	Films         int    `json:"films"` // rows of movies.csv; not all have ratings
	RatingsSHA256 string `json:"ratings_sha256"`
	FilmsSHA256   string `json:"films_sha256"`
	RatingsMD5    string `json:"ratings_md5"`
	FilmsMD5      string `json:"films_md5"`
	ZipMD5        string `json:"zip_md5"`   // "": not known to us
	ZipBytes      int64  `json:"zip_bytes"` // of NAME.zip, about; 0: it is not published as such
	Origin        string `json:"origin"`    // page of the publisher
	Licence       string `json:"licence"`
	Citation      string `json:"citation"`
}

// RatingSources returns every data set that LoadRatings can read. It panics if the embedded ratings.json is malformed,
// which is a defect of the build.
func RatingSources() []RatingSource {
	decoder := json.NewDecoder(strings.NewReader(ratingsJSON))
	decoder.DisallowUnknownFields()
	var sources []RatingSource
	if err := decoder.Decode(&sources); err != nil {
		panic(errors.Wrap(err, "data/ratings.json, embedded in the program"))
	}
	return sources
}

// RatingNames lists the data sets that LoadRatings can read.
func RatingNames() []string {
	var names []string
	for _, s := range RatingSources() {
		names = append(names, s.Name)
	}
	return names
}

// lookUpRatings returns the source of a data set by name.
func lookUpRatings(name string) (RatingSource, error) {
	sources := RatingSources()
	if i := slices.IndexFunc(sources, func(s RatingSource) bool { return s.Name == name }); i >= 0 {
		return sources[i], nil
	}
	return RatingSource{}, errors.Errorf("unknown ratings %q; can be loaded: %s", name, strings.Join(RatingNames(), ", "))
}

// ratingPaths are the two files of a data set; of a zip file, both are that.
type ratingPaths struct{ ratings, films string }

// Find returns the path of the ratings: along the folders of PHE_DATA, then in data/movielens of the checkout around the
// working directory or the executable, the first NAME-ratings.csv.gz, NAME-ratings.csv or NAME.zip, in this order within
// a folder. Beside the first two there must be NAME-movies.csv.gz or NAME-movies.csv. The error names every folder
// looked in, and the remedy.
func (s RatingSource) Find() (path string, err error) {
	paths, err := s.find()
	return paths.ratings, err
}

func (s RatingSource) find() (ratingPaths, error) {
	folders := searchFolders("movielens")
	forms := []string{s.Name + "-ratings.csv.gz", s.Name + "-ratings.csv", s.zipName()}
	for _, folder := range folders {
		ratings, ok := firstFile(folder, forms...)
		if !ok {
			continue
		}
		if filepath.Base(ratings) == s.zipName() {
			return ratingPaths{ratings, ratings}, nil
		}
		films, ok := firstFile(folder, s.Name+"-movies.csv.gz", s.Name+"-movies.csv")
		if !ok {
			return ratingPaths{}, errors.Errorf("found %s, but neither %[2]s-movies.csv.gz nor %[2]s-movies.csv beside it; put the films' file there",
				ratings, s.Name)
		}
		return ratingPaths{ratings, films}, nil
	}
	for i, folder := range folders {
		folders[i] = folder + folderDefect(folder)
	}
	return ratingPaths{}, errors.WithStack(notHere(fmt.Sprintf("found none of %s; looked in:\n\t%s\n%s",
		strings.Join(forms, ", "), strings.Join(folders, "\n\t"), s.Remedy())))
}

// notHere is an error that says where nothing was found; errors.Is takes it for [fs.ErrNotExist].
type notHere string

func (n notHere) Error() string        { return string(n) }
func (n notHere) Is(target error) bool { return target == fs.ErrNotExist }

func (s RatingSource) zipName() string { return s.Name + ".zip" }

// Remedy says how to get the files.
func (s RatingSource) Remedy() string {
	if s.ZipBytes > 0 {
		return "fetch it with: phe data fetch " + s.Name + "; or set " + PathVariable + " to the folder that holds it"
	}
	return "take its two files from " + s.Origin + " and set " + PathVariable + " to the folder that holds them"
}

// firstFile returns the path of the first of the names that is a file in the folder.
func firstFile(folder string, names ...string) (path string, ok bool) {
	for _, name := range names {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, true
		}
	}
	return "", false
}
