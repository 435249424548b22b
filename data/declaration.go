package data

import (
	"slices"
	"strconv"
)

// kind is the type of a file's column.
type kind int

const (
	categorical kind = iota // text, kept as it is
	numeric                 // a finite decimal number
	label                   // one of the declared classes; exactly one column
	indicator               // 0 or 1, one column of a fold
	optional                // as categorical, but an empty cell is the item missingItem
	count                   // an integer that fits an int32
	moment                  // wall-clock time, see momentLayout
	ignored                 // neither checked nor kept
)

// missingItem stands for an empty cell of an optional column. pandas prints it, and the authors hash it.
const missingItem = "<NA>"

// momentLayout is the form in which Retail writes times. They are wall-clock times without a zone.
const momentLayout = "2006-01-02 15:04:05"

// field is one column of a file, with its name in the header.
type field struct {
	name string
	kind kind
}

// fold is a run of indicator columns, name1 to name<size>. Exactly one of them is 1 in every row. They become one
// categorical column, name, with the values prefix1 to prefix<size>, as in the authors' copy of Covertype.
type fold struct {
	name, prefix string
	size         int
}

// declaration declares the content of a data set. A Source declares its files: checksum, licence and citation.
type declaration struct {
	name         string
	source       string  // name of the Source whose file holds it
	columns      []field // the file's header, in order
	folds        []fold
	classes      []string
	missing      string // text of a missing cell; a row with a missing feature is dropped. "": nothing is missing
	positive     string // name of a count column; a row in which it is not above 0 is dropped. "": no such column
	incremental  string // the categorical column that is learned online
	firstRows    int    // number of rows of the file that belong to the data set; 0: all
	completeRows int    // number of rows of the unaltered file that are kept
}

// tableDeclarations returns the declarations of the data sets whose rows have labels.
func tableDeclarations() []declaration {
	return []declaration{adult(), bank(), mushroom(), mushroom8124(), covertype(), covertype49999()}
}

// file returns the Source that holds the data set. A test checks that every declaration has one.
func (d declaration) file() Source {
	source, _ := lookUpSource(Sources(), d.source)
	return source
}

// count compares the number of rows kept with the declared number.
func (d declaration) count(rows int) Count {
	return Count{Rows: rows, Declared: d.completeRows, Unit: "complete rows"}
}

// header returns the names of the file's columns.
func (d declaration) header() []string {
	names := make([]string, len(d.columns))
	for i, c := range d.columns {
		names[i] = c.name
	}
	return names
}

// keptColumn is a column of the data set: one column of the file, or a fold.
type keptColumn struct {
	field
	first  int      // index in the file of the column, or of the fold's first column
	values []string // value for each folded column; nil for a column of the file
}

// kept returns the columns of the data set, label included, in the order of the file.
func (d declaration) kept() []keptColumn {
	var kept []keptColumn
	for i := 0; i < len(d.columns); i++ {
		f := slices.IndexFunc(d.folds, func(f fold) bool { return f.name+"1" == d.columns[i].name })
		if d.columns[i].kind == ignored {
			continue
		}
		if f < 0 {
			kept = append(kept, keptColumn{field: d.columns[i], first: i})
			continue
		}
		kept = append(kept, keptColumn{field{d.folds[f].name, categorical}, i, numbered(d.folds[f].prefix, d.folds[f].size)})
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
