package data

import (
	"fmt"
	"io"
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

// Load finds and reads a data set by name: one of Names. Retail is not among them: see LoadSales.
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
	if table.Verified, err = d.accept(source, options, path, table.SHA256, table.NumRows()); err != nil {
		return nil, err
	}
	return table, nil
}

// accept reports whether the file read, so many rows of it kept, is the declared one. One that is not is an error
// unless the options allow it.
func (d declaration) accept(source Source, options Options, path, sum string, rows int) (verified bool, err error) {
	verified = sum == source.CSVSHA256
	if !verified && !options.AllowAltered {
		return false, source.altered(path, sum, fmt.Sprintf(" (%d complete rows, declared %d)", rows, d.completeRows))
	}
	if verified && rows != d.completeRows {
		return false, errors.Errorf("%s: %d complete rows, declared %d", path, rows, d.completeRows)
	}
	return verified, nil
}

// lookUp returns the declaration and the source of a data set by name.
func lookUp(name string) (declaration, Source, error) {
	all := declarations()
	d := slices.IndexFunc(all, func(d declaration) bool { return d.name == name })
	if d >= 0 {
		return all[d], all[d].file(), nil
	}
	reason := "unknown data set"
	if slices.ContainsFunc(Sources(), func(s Source) bool { return s.Name == name }) {
		reason = "not a table of labelled rows (LoadSales reads retail)"
	}
	return declaration{}, Source{}, errors.Errorf("%s %q; can be loaded: %s", reason, name, strings.Join(Names(), ", "))
}

// file returns the Source that the data set is in; a test holds that each declaration has one.
func (d declaration) file() Source {
	sources := Sources()
	return sources[slices.IndexFunc(sources, func(s Source) bool { return s.Name == d.source })]
}

// read reads a file into a Table that does not know yet whether it is verified.
func (d declaration) read(path string) (table *Table, err error) {
	sum, err := readContent(path, func(content io.Reader) (err error) {
		table, err = d.parse(path, content)
		return err
	})
	if err != nil {
		return nil, err
	}
	table.SHA256 = sum
	return table, nil
}

// readContent has a file's content parsed, and returns the content's checksum. An error in uncompressing takes
// precedence over one of parse.
func readContent(path string, parse func(io.Reader) error) (sum string, err error) {
	content, err := openContent(path)
	if err != nil {
		return "", err
	}
	return content.parsed(parse)
}

// parsed has the content parsed, as readContent has.
func (c *content) parsed(parse func(io.Reader) error) (sum string, err error) {
	parseError := parse(c)
	if sum, err = c.finish(); err != nil {
		return "", err
	}
	return sum, parseError
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
