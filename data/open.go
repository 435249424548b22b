package data

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/data/labelled"
	"gophe/data/ratings"
	"gophe/data/ratings/synth"
	"gophe/data/sales"
)

// TableSets returns the names that OpenTable takes: the paper's tables, then tables in the order of time whose items keep coming. No column
// repeats such an item.
func TableSets() []string { return append(labelled.Names(), "retail-12", "ml-4", "drawn") }

// OpenTable loads or generates a table of TableSets.
func OpenTable(name string, o files.Options) (*labelled.Table, error) {
	if slices.Contains(labelled.Names(), name) {
		return labelled.Load(name, o)
	}
	switch name {
	case "retail-12":
		s, err := sales.Load(o)
		if err != nil {
			return nil, err
		}
		return s.Lines(name), nil
	case "ml-4":
		r, err := ratings.Load("ml-latest-small", o)
		if err != nil {
			return nil, err
		}
		return r.Verdicts(name), nil
	case "drawn":
		return labelled.Drawn(), nil
	}
	return nil, errors.Errorf("unknown table %q; choose one of %s", name, strings.Join(TableSets(), ", "))
}

// generatedSets holds the fraction of MovieLens-32M's size that a generated data set has.
var generatedSets = map[string]float64{"generated-32m": 1, "generated-3m": 0.1, "generated-320k": 0.01}

// RatingSets returns the names that OpenRatings takes: MovieLens' data sets, then generated ones.
func RatingSets() []string {
	return append(ratings.Names(), "generated-32m", "generated-3m", "generated-320k")
}

// OpenRatings loads or generates ratings of RatingSets.
func OpenRatings(name string, o files.Options) (*ratings.Ratings, error) {
	if slices.Contains(ratings.Names(), name) {
		return ratings.Load(name, o)
	}
	const seed = 1
	if fraction, ok := generatedSets[name]; ok {
		return synth.Generate(synth.MovieLens32M().Scaled(fraction), seed)
	}
	return nil, errors.Errorf("unknown ratings %q; choose one of %s", name, strings.Join(RatingSets(), ", "))
}
