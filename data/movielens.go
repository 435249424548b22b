package data

import (
	_ "embed"
	"strings"

	"github.com/pkg/errors"
)

//go:embed ratings.json
var ratingsJSON string

// RatingSource declares MovieLens' files.
type RatingSource = Source

// RatingSources returns the declaration of each data set that LoadRatings can read. The licence keeps their files out of the checkout,
// which may be used for more than research.
//
// MD5s come from GroupLens. The MD5 of the zip file is published beside it, and the MD5s of the two files are in the README of ml-32m.
// We have not seen that zip file; several unrelated public projects state the same three. SHA-256s are ours.
//
// RatingSources panics if the embedded ratings.json is malformed, which is a defect of the build.
func RatingSources() []Source { return decodeSources("ratings.json", ratingsJSON) }

// RatingNames returns the names of the data sets that LoadRatings can read.
func RatingNames() []string { return sourceNames(RatingSources()) }

// lookUpRatings returns the source of a data set by name.
func lookUpRatings(name string) (Source, error) {
	s, ok := lookUpSource(RatingSources(), name)
	if !ok {
		return Source{}, errors.Errorf("unknown ratings %q; can be loaded: %s", name, strings.Join(RatingNames(), ", "))
	}
	return s, nil
}
