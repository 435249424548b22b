package labelled

import (
	"slices"
	"strings"

	"github.com/pkg/errors"

	"gophe/data/files"
	"gophe/data/uci"
)

// Names returns the names of the data sets that Load can read.
func Names() []string {
	var names []string
	for _, d := range uci.Tables() {
		names = append(names, d.Name)
	}
	return names
}

// Load finds and reads a data set by name. Names returns the names. Retail is not among them: see package sales.
//
// The file is read as a stream, so that memory grows with the columns kept and not with the file. The whole Covertype, 75 MB of text,
// takes 2.7 s and a peak of 155 MB of memory, of which the columns hold 67 MB. A data set may be the first rows of a file. The checksum
// then is the whole file's, and the other rows are hashed without being checked.
//
// An error in the content names file, line and column. It takes precedence over a wrong checksum, because it is more useful. A file
// that cannot be decompressed takes precedence over both.
// A value that was never seen before is no error: the paper is about such values.
func Load(name string, options files.Options) (*Table, error) {
	d, err := lookUp(name)
	if err != nil {
		return nil, err
	}
	return newTable(d.Load(options))
}

// lookUp returns the declaration of a data set by name.
func lookUp(name string) (uci.Declaration, error) {
	all := uci.Tables()
	if i := slices.IndexFunc(all, func(d uci.Declaration) bool { return d.Name == name }); i >= 0 {
		return all[i], nil
	}
	reason := "unknown data set"
	if _, ok := files.LookUp(uci.Sources(), name); ok {
		reason = "not a table of labelled rows (package sales reads retail)"
	}
	return uci.Declaration{}, errors.Errorf("%s %q; can be loaded: %s", reason, name, strings.Join(Names(), ", "))
}

// newTable makes a table of columns. It divides each numeric column by its maximum, as column.Numeric says.
func newTable(c *uci.Columns, err error) (*Table, error) {
	if err != nil {
		return nil, err
	}
	for _, column := range c.Numbers {
		if largest := slices.Max(column.Values); largest > 0 {
			for i := range column.Values {
				column.Values[i] /= largest
			}
		}
	}
	return &Table{Name: c.Declaration.Name, Categorical: c.Items, Numeric: c.Numbers, Labels: c.Labels,
		Classes: slices.Clone(c.Declaration.Classes), Incremental: c.Incremental, SHA256: c.SHA256, Verified: c.Verified, Path: c.Path}, nil
}
