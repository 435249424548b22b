package ratings

import (
	_ "embed"
	"io"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/pkg/errors"

	"gophe/data/files"
)

//go:embed ratings.json
var ratingsJSON string

// Sources returns the declaration of each data set that Load can read. The licence keeps their files out of the checkout,
// which may be used for more than research.
//
// MD5s come from GroupLens. The MD5 of the zip file is published next to it, and the MD5s of the two files are in the README of ml-32m.
// We have not seen that zip file; several unrelated public projects state the same three. SHA-256s are ours.
//
// Sources panics if the embedded ratings.json is malformed, which is a defect of the build.
func Sources() []files.Source { return files.Decode("ratings.json", ratingsJSON) }

// Names returns the names of the data sets that Load can read.
func Names() []string { return files.Names(Sources()) }

// find returns the source of a data set by name, and the paths of its files.
func find(name string) (s files.Source, paths []string, err error) {
	s, ok := files.LookUp(Sources(), name)
	if !ok {
		return s, nil, errors.Errorf("unknown ratings %q; can be loaded: %s", name, strings.Join(Names(), ", "))
	}
	paths, err = s.FindAll()
	return s, paths, errors.WithMessagef(err, "data set %q", name)
}

// Load finds and reads a MovieLens data set by name. Names returns the names.
//
// Lines may end in LF or CR LF. Ratings of films that are not in movies.csv are dropped and counted. The authors' sample has 1,506
// such ratings, on which their program stops. Any other surprise is an error with file, line and column, and tables.Load says which
// error comes first.
//
// The SHA-256 of both files with LF line ends verifies the data set. For ml-32m only GroupLens' MD5 is known, which holds for CR LF:
// a copy of ml-32m with other line ends counts as altered.
//
// A zip file is read in place. 32 million ratings take 6 s as plain CSV, 10 s with gzip and 13 s in a zip file, on one
// core. The peak is 720 MB of memory, of which the columns hold 416 MB.
func Load(name string, options files.Options) (*Ratings, error) {
	source, paths, err := find(name)
	if err != nil {
		return nil, err
	}
	films, filmsSum, err := readFilms(source, paths)
	if err != nil {
		return nil, err
	}
	r := &Ratings{Name: source.Name, Path: paths[0]}
	columns := &columns{ratings: r, films: films, expected: source.Rows}
	ratingsSum, err := source.Files[0].Read(paths[0], columns.parse)
	if err != nil {
		return nil, err
	}
	r.SHA256 = ratingsSum.SHA256
	if r.Verified, err = source.Accept(options, r.NumRows()+r.Dropped, source.Rows, "ratings", ratingsSum, filmsSum); err != nil {
		return nil, err
	}
	columns.finish()
	return r, nil
}

// readFilms reads the films of a data set, given the paths of its files.
func readFilms(source files.Source, paths []string) (films *catalogue, sum files.Sum, err error) {
	return files.Parse(source.Files[1], paths[1], parseFilms)
}

// OfFrame returns the ratings of DataFrames that were read from the two files of MovieLens, or from parts of them.
func OfFrame(ratings, films dataframe.DataFrame) (*Ratings, error) {
	known, err := files.ParseFrame(films, filmColumns, "", parseFilms)
	if err != nil {
		return nil, err
	}
	c := &columns{ratings: &Ratings{}, films: known, expected: ratings.Nrow()}
	parse := func(path string, content io.Reader) (*Ratings, error) { return c.ratings, c.parse(path, content) }
	r, err := files.ParseFrame(ratings, strings.Split(ratingsHeader, ","), "", parse)
	if err == nil {
		c.finish()
	}
	return r, err
}
