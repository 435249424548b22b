package data

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/data/ratings"
	"gophe/data/sales"
	"gophe/data/tables"
)

// arriving lists the tables in the order of time whose items keep coming. No column repeats such an item.
var arriving = []struct {
	name string
	open func(files.Options) (*tables.Table, error)
}{
	{"retail-12", func(o files.Options) (*tables.Table, error) {
		s, err := sales.Load(o)
		if err != nil {
			return nil, err
		}
		return s.Lines(), nil
	}},
	{"ml-4", func(o files.Options) (*tables.Table, error) {
		r, err := ratings.Load("ml-latest-small", o)
		if err != nil {
			return nil, err
		}
		return r.Verdicts(), nil
	}},
	{"drawn", func(files.Options) (*tables.Table, error) { return tables.Drawn(), nil }},
}

// TableSets returns the names that OpenTable takes: the paper's tables, then those in the order of time.
func TableSets() []string {
	names := tables.Names()
	for _, a := range arriving {
		names = append(names, a.name)
	}
	return names
}

// OpenTable loads or generates a data set of TableSets.
func OpenTable(name string, o files.Options) (*tables.Table, error) {
	for _, a := range arriving {
		if a.name != name {
			continue
		}
		t, err := a.open(o)
		if err != nil {
			return nil, err
		}
		t.Name = name
		return t, nil
	}
	if !slices.Contains(tables.Names(), name) {
		return nil, errors.Errorf("unknown table %q; choose one of %s", name, strings.Join(TableSets(), ", "))
	}
	return tables.Load(name, o)
}
