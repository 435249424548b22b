package ratings

import (
	_ "embed"
	"strings"

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
