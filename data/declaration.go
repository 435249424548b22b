package data

import "github.com/go-gota/gota/series"

// kind says what a column of a file is read as.
type kind int

const (
	categorical kind = iota // text, kept raw
	numeric                 // a finite decimal number
	label                   // one of the declared classes; exactly one column
)

// column is one column of a file, by the name in its header.
type column struct {
	name string
	kind kind
}

// declaration is everything the loader needs to know of a data set's content. What it needs to know of the file
// (checksum, licence, citation) is the Source of the same name.
type declaration struct {
	name         string
	columns      []column // the file's header, in order
	classes      []string
	missing      string // text of a missing cell; a row with one among its features is dropped
	incremental  string // the categorical column that keeps learning online
	completeRows int    // rows without a missing cell in the unaltered file
}

// declarations lists the data sets that Load can read.
func declarations() []declaration {
	return []declaration{adult()}
}

func (d declaration) header() []string {
	names := make([]string, len(d.columns))
	for i, c := range d.columns {
		names[i] = c.name
	}
	return names
}

// types gives every column's type: left to itself gota guesses, and item 01234 becomes 1234.
func (d declaration) types() map[string]series.Type {
	types := make(map[string]series.Type, len(d.columns))
	for _, c := range d.columns {
		types[c.name] = series.String
		if c.kind == numeric {
			types[c.name] = series.Float
		}
	}
	return types
}
