package data

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
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

// Load finds and reads a data set. Only "adult" can be read so far; the other Sources are declared but not loadable.
//
// An error in the content names file, line and column, and takes precedence over a wrong checksum, because it is the
// more useful of the two. A value never seen before is not an error: the paper is about such values.
func Load(name string, options Options) (*Table, error) {
	d, source, err := lookUp(name)
	if err != nil {
		return nil, err
	}
	path, err := source.Find()
	if err != nil {
		return nil, errors.WithMessagef(err, "data set %q", name)
	}
	content, err := read(path)
	if err != nil {
		return nil, err
	}
	table, err := d.parse(path, content)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	table.SHA256 = hex.EncodeToString(sum[:])
	table.Verified = table.SHA256 == source.CSVSHA256
	if !table.Verified && !options.AllowAltered {
		return nil, altered(table, source, d)
	}
	if table.Verified && table.NumRows() != d.completeRows {
		return nil, errors.Errorf("%s: %d complete rows, declared %d", path, table.NumRows(), d.completeRows)
	}
	return table, nil
}

// lookUp returns the declaration and the source of a data set by name.
func lookUp(name string) (declaration, Source, error) {
	sources, all := Sources(), declarations()
	s := slices.IndexFunc(sources, func(s Source) bool { return s.Name == name })
	d := slices.IndexFunc(all, func(d declaration) bool { return d.name == name })
	if s >= 0 && d >= 0 {
		return all[d], sources[s], nil
	}
	var loadable []string
	for _, d := range all {
		loadable = append(loadable, d.name)
	}
	reason := "unknown data set"
	if s >= 0 {
		reason = "no loader yet for the declared data set"
	}
	return declaration{}, Source{}, errors.Errorf("%s %q; can be loaded: %s", reason, name, strings.Join(loadable, ", "))
}

// altered is the error for a file that parses but is not the declared one. It names a remedy that works where the
// file lies.
func altered(t *Table, s Source, d declaration) error {
	remedy := "replace it by the checkout's data/uci/" + s.File
	if folder := filepath.Dir(t.Path); filepath.Base(folder) == "uci" && filepath.Base(t.Path) == s.File {
		remedy = "restore it with: git checkout -- " + t.Path
	}
	return errors.Errorf("%s is altered: SHA-256 of the uncompressed content is %s, declared %s (%d complete rows, declared %d); %s, or accept it with --allow-altered",
		t.Path, t.SHA256, s.CSVSHA256, t.NumRows(), d.completeRows, remedy)
}

// read returns the content of a file, uncompressed if its name ends in .gz.
func read(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.Wrap(err, "reading a data file")
	}
	if len(content) == 0 {
		return nil, errors.Errorf("%s: the file is empty", path)
	}
	if filepath.Ext(path) != ".gz" {
		return content, nil
	}
	compressed, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, errors.Wrapf(err, "%s: not a gzip file; if it is plain CSV, drop .gz from its name", path)
	}
	content, err = io.ReadAll(compressed)
	if err != nil {
		lines := bytes.Count(content, []byte("\n"))
		return nil, errors.Wrapf(err, "%s: damaged or cut off after line %d of the uncompressed content", path, lines)
	}
	return content, nil
}
