package data

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/data/ratings/synth"
	"gophe/data/sales"
	"gophe/data/tables"
)

// set is a data set by name.
type set[T any] struct {
	name string
	open func(files.Options) (T, error)
}

// tableSets lists the paper's tables, then tables in the order of time whose items keep coming. No column repeats such an item.
func tableSets() (sets []set[*tables.Table]) {
	for _, name := range tables.Names() {
		sets = append(sets, set[*tables.Table]{name, func(o files.Options) (*tables.Table, error) { return tables.Load(name, o) }})
	}
	return append(sets, set[*tables.Table]{"retail-12", func(o files.Options) (*tables.Table, error) {
		s, err := sales.Load(o)
		if err != nil {
			return nil, err
		}
		return s.Lines("retail-12"), nil
	}}, set[*tables.Table]{"ml-4", func(o files.Options) (*tables.Table, error) {
		r, err := ratings.Load("ml-latest-small", o)
		if err != nil {
			return nil, err
		}
		return r.Verdicts("ml-4"), nil
	}}, set[*tables.Table]{"drawn", func(files.Options) (*tables.Table, error) { return tables.Drawn(), nil }})
}

// ratingSets lists MovieLens' data sets, then generated ones, which have a fraction of MovieLens-32M's size.
func ratingSets() (sets []set[*ratings.Ratings]) {
	const seed = 1
	for _, name := range ratings.Names() {
		sets = append(sets, set[*ratings.Ratings]{name, func(o files.Options) (*ratings.Ratings, error) { return ratings.Load(name, o) }})
	}
	for _, g := range []struct {
		name     string
		fraction float64
	}{{"generated-32m", 1}, {"generated-3m", 0.1}, {"generated-320k", 0.01}} {
		sets = append(sets, set[*ratings.Ratings]{g.name, func(files.Options) (*ratings.Ratings, error) {
			return synth.Generate(synth.MovieLens32M().Scaled(g.fraction), seed)
		}})
	}
	return sets
}

// open opens the set of a name. The kind is the noun of an error.
func open[T any](kind string, sets []set[T], name string, o files.Options) (opened T, err error) {
	i := slices.IndexFunc(sets, func(s set[T]) bool { return s.name == name })
	if i < 0 {
		return opened, errors.Errorf("unknown %s %q; choose one of %s", kind, name, strings.Join(names(sets), ", "))
	}
	return sets[i].open(o)
}

func names[T any](sets []set[T]) []string {
	list := make([]string, len(sets))
	for i, s := range sets {
		list[i] = s.name
	}
	return list
}

// TableSets returns the names that OpenTable takes.
func TableSets() []string { return names(tableSets()) }

// OpenTable loads or generates a table of TableSets.
func OpenTable(name string, o files.Options) (*tables.Table, error) {
	return open("table", tableSets(), name, o)
}

// RatingSets returns the names that OpenRatings takes.
func RatingSets() []string { return names(ratingSets()) }

// OpenRatings loads or generates ratings of RatingSets.
func OpenRatings(name string, o files.Options) (*ratings.Ratings, error) {
	return open("ratings", ratingSets(), name, o)
}
