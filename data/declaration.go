package data

import (
	"slices"
	"strconv"

	"github.com/go-gota/gota/series"
)

// kind says what a column of a file is read as.
type kind int

const (
	categorical kind = iota // text, kept raw
	numeric                 // a finite decimal number
	label                   // one of the declared classes; exactly one column
	indicator               // 0 or 1, one of the columns of a fold
	optional                // as categorical, but an empty cell is the item missingItem
	count                   // a whole number that fits an int32
	moment                  // wall-clock time, as momentLayout has it
	ignored                 // neither checked nor kept
)

// missingItem is the item that stands for an empty cell of an optional column, as pandas prints it and the authors hash it.
const missingItem = "<NA>"

// column is one column of a file, by the name in its header.
type column struct {
	name string
	kind kind
}

// fold is a run of indicator columns, name1 to name<size>, exactly one of which is 1 in every row. They become one
// categorical column, name, with the values prefix1 to prefix<size>, as the authors' copy of Covertype has it.
type fold struct {
	name, prefix string
	size         int
}

// declaration is everything the loader needs to know of a data set's content. What it needs to know of the file
// (checksum, licence, citation) is a Source.
type declaration struct {
	name         string
	source       string   // name of the Source whose file holds it
	columns      []column // the file's header, in order
	folds        []fold
	classes      []string
	missing      string // text of a missing cell; a row with one among its features is dropped. "": nothing is missing
	positive     string // a count column; a row in which it is not above 0 is dropped. "": there is none
	incremental  string // the categorical column that keeps learning online
	firstRows    int    // only so many rows of the file belong to the data set; 0: all
	completeRows int    // of those, rows that are not dropped in the unaltered file
}

// declarations lists the data sets that Load can read.
func declarations() []declaration {
	return []declaration{adult(), bank(), mushroom(), mushroom8124(), covertype(), covertype49999()}
}

// Names lists the data sets that Load can read.
func Names() []string {
	var names []string
	for _, d := range declarations() {
		names = append(names, d.name)
	}
	return names
}

func (d declaration) header() []string {
	names := make([]string, len(d.columns))
	for i, c := range d.columns {
		names[i] = c.name
	}
	return names
}

// keptColumn is a column of the table: one column of the file, or several folded into one.
type keptColumn struct {
	column
	first  int      // index in the file of the column, or of the first of those folded
	values []string // the value that each folded column stands for; nil if there is nothing to fold
}

// kept returns the columns of the table, label included, in the order of the file.
func (d declaration) kept() []keptColumn {
	var kept []keptColumn
	for i := 0; i < len(d.columns); i++ {
		f := slices.IndexFunc(d.folds, func(f fold) bool { return f.name+"1" == d.columns[i].name })
		if d.columns[i].kind == ignored {
			continue
		}
		if f < 0 {
			kept = append(kept, keptColumn{column: d.columns[i], first: i})
			continue
		}
		kept = append(kept, keptColumn{column{d.folds[f].name, categorical}, i, numbered(d.folds[f].prefix, d.folds[f].size)})
		i += d.folds[f].size - 1
	}
	return kept
}

// numbered returns prefix1 to prefix<n>.
func numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = prefix + strconv.Itoa(i+1)
	}
	return names
}

// types gives every column's type: left to itself gota guesses, and item 01234 becomes 1234.
func types(kept []keptColumn) map[string]series.Type {
	types := make(map[string]series.Type, len(kept))
	for _, c := range kept {
		types[c.name] = series.String
		switch c.kind {
		case numeric:
			types[c.name] = series.Float
		case count:
			types[c.name] = series.Int
		}
	}
	return types
}
