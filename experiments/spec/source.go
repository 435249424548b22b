package spec

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/pkg/errors"

	"gophe/experiments/spec/protocol"
	"gophe/phe"
	"gophe/phe/remedy/fieldpath"
)

// Unsized reports whether the initial rows of a user's file are yet to size the tables: the spec has no encoder, or it has only the draws
// of the hash functions.
func (s Spec) Unsized() bool {
	e := s.Model.Encoder
	return s.Source != nil && e == phe.Config{HashSeed: e.HashSeed, HashDraws: e.HashDraws}
}

// Sized returns the spec with an encoder, whose draws the spec may have said, and with a scope if it has none.
func (s Spec) Sized(e phe.Config, scope phe.UpdateScope) Spec {
	e.HashSeed, e.HashDraws = cmp.Or(s.Model.Encoder.HashSeed, e.HashSeed), cmp.Or(s.Model.Encoder.HashDraws, e.HashDraws)
	s.Model.Encoder, s.Model.Scope = e, cmp.Or(s.Model.Scope, scope)
	return s
}

// locate reads the schema file that the source of a spec names.
func (s *Spec) locate(path string, content []byte) error {
	own := *s.Source
	if err := cmp.Or(own.Locate(filepath.Dir(path)), own.Validate()); err != nil {
		return errors.Errorf("%s: %s", position(path, content, findPlaces(content).of(fieldpath.In("source", err))), err)
	}
	s.Source = &own
	return nil
}

// validateSource checks a source, and that the rest of the spec is about tables.
func (s Spec) validateSource() error {
	switch {
	case slices.Contains(datasets(), s.Dataset):
		return fieldpath.Errorf("dataset", "dataset is %q, which the program knows; "+
			"a source is a file of yours, so choose another name, such as \"shop\", or leave the source out", s.Dataset)
	case !regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`).MatchString(s.Dataset):
		return fieldpath.Errorf("dataset",
			"dataset is %q; name your file with lower-case letters, digits and hyphens, as tables and figures show it", s.Dataset)
	case !s.OfTable():
		return fieldpath.Errorf("source", "source is a table of rows with classes; "+
			"a filter, a recommender, rule %q and protocol %q have data of their own: leave them out", Counts, protocol.TwoItems)
	}
	return fieldpath.In("source", s.Source.Validate())
}
