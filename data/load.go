package data

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// Options are the choices of Load. The zero value is the strict one.
type Options struct {
	// AllowAltered accepts a file whose checksum is not the declared one, provided it still parses; the Table then
	// says Verified = false, and the declared number of rows is not enforced.
	AllowAltered bool
}

// Load finds and reads a data set by name: one of Names. A Source without a declaration (retail) is not loadable.
//
// The file is read as a stream, so that memory grows with the columns kept and not with the file: the whole Covertype,
// 75 MB of text, takes 2.7 s and a peak of 155 MB, 67 MB of them the columns. The checksum is that of the
// whole file even where the data set is its first rows; the other rows are then hashed, not checked.
//
// An error in the content names file, line and column. It takes precedence over a wrong checksum, because it is the
// more useful of the two, and a file that can't be uncompressed takes precedence over both.
// A value never seen before is not an error: the paper is about such values.
func Load(name string, options Options) (*Table, error) {
	d, source, err := lookUp(name)
	if err != nil {
		return nil, err
	}
	path, err := source.Find()
	if err != nil {
		return nil, errors.WithMessagef(err, "data set %q", name)
	}
	table, err := d.read(path)
	if err != nil {
		return nil, err
	}
	table.Verified = table.SHA256 == source.CSVSHA256
	if !table.Verified && !options.AllowAltered {
		return nil, source.altered(path, table.SHA256, fmt.Sprintf(" (%d complete rows, declared %d)", table.NumRows(), d.completeRows))
	}
	if table.Verified && table.NumRows() != d.completeRows {
		return nil, errors.Errorf("%s: %d complete rows, declared %d", path, table.NumRows(), d.completeRows)
	}
	return table, nil
}

// lookUp returns the declaration and the source of a data set by name.
func lookUp(name string) (declaration, Source, error) {
	sources, all := Sources(), declarations()
	d := slices.IndexFunc(all, func(d declaration) bool { return d.name == name })
	if d >= 0 {
		s := slices.IndexFunc(sources, func(s Source) bool { return s.Name == all[d].source })
		return all[d], sources[s], nil // a test holds that each declaration has its source
	}
	reason := "unknown data set"
	if slices.ContainsFunc(sources, func(s Source) bool { return s.Name == name }) {
		reason = "no loader yet for the declared data set"
	}
	return declaration{}, Source{}, errors.Errorf("%s %q; can be loaded: %s", reason, name, strings.Join(Names(), ", "))
}

// read reads a file into a Table that does not know yet whether it is verified.
func (d declaration) read(path string) (*Table, error) {
	content, err := openContent(path)
	if err != nil {
		return nil, err
	}
	table, parseError := d.parse(path, content)
	sum, err := content.finish()
	if err != nil {
		return nil, err
	}
	if parseError != nil {
		return nil, parseError
	}
	table.SHA256 = sum
	return table, nil
}

// altered is the error for a file that is not the declared one; sum is its content's, and the note follows it.
func (s Source) altered(path, sum, note string) error {
	return errors.Errorf("%s is altered: SHA-256 of the uncompressed content is %s, declared %s%s; %s, or accept it with --allow-altered",
		path, sum, s.CSVSHA256, note, s.remedy(path))
}

// remedy says how to get the declared file to where path is.
func (s Source) remedy(path string) string {
	if filepath.Base(filepath.Dir(path)) == "uci" && filepath.Base(path) == s.File {
		return "restore it with: git checkout -- " + path
	}
	return "replace it by the checkout's data/uci/" + s.File
}
