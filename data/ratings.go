package data

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/data/ratings/synth"
)

// generatedSets are the generated rating streams, as fractions of MovieLens-32M's size.
var generatedSets = []struct {
	name     string
	fraction float64
}{{"generated-32m", 1}, {"generated-3m", 0.1}, {"generated-320k", 0.01}}

// generatedSeed is the seed of all generated data sets.
const generatedSeed = 1

// RatingSets returns the names that OpenRatings takes: MovieLens' data sets, then the generated ones.
func RatingSets() []string {
	names := ratings.Names()
	for _, g := range generatedSets {
		names = append(names, g.name)
	}
	return names
}

// OpenRatings loads or generates a data set of RatingSets.
func OpenRatings(name string, o files.Options) (*ratings.Ratings, error) {
	for _, g := range generatedSets {
		if g.name == name {
			return synth.Generate(synth.MovieLens32M().Scaled(g.fraction), generatedSeed)
		}
	}
	if !slices.Contains(ratings.Names(), name) {
		return nil, errors.Errorf("unknown ratings %q; choose one of %s", name, strings.Join(RatingSets(), ", "))
	}
	return ratings.Load(name, o)
}
