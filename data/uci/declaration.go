package uci

import (
	"slices"
	"strconv"

	"gophe/data/files"
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
	moment                  // wall-clock time without a zone, as in Retail
	ignored                 // neither checked nor kept
)

// missingItem is the item of an empty cell of an optional column. pandas prints it, and the authors hash it.
const missingItem = "<NA>"

// field is one column of a file, with its name in the header.
type field struct {
	Name string
	Kind kind
}

// fold is a run of indicator columns, name1 to name<size>. Exactly one of them is 1 in every row. They become one
// categorical column, name, with the values prefix1 to prefix<size>, as in the authors' copy of Covertype.
type fold struct {
	Name, Prefix string
	Size         int
}

// Declaration declares the content of a data set. A Source declares its files: checksum, licence and citation.
type Declaration struct {
	Name         string
	Source       string  // name of the Source whose file holds it
	Columns      []field // the file's header, in order
	Folds        []fold
	Classes      []string
	Missing      string // text of a missing cell; a row with a missing feature is dropped. "": nothing is missing
	Positive     string // name of a count column; a row in which it is not above 0 is dropped. "": no such column
	Incremental  string // the categorical column that is learned online
	FirstRows    int    // number of rows of the file that belong to the data set; 0: all
	CompleteRows int    // number of rows of the unaltered file that are kept
}

// source returns the Source that holds the data set. A test checks that every declaration has one.
func (d Declaration) source() files.Source {
	source, _ := files.LookUp(Sources(), d.Source)
	return source
}

// header returns the names of the file's columns.
func (d Declaration) header() []string {
	names := make([]string, len(d.Columns))
	for i, c := range d.Columns {
		names[i] = c.Name
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
func (d Declaration) kept() []keptColumn {
	var kept []keptColumn
	for i := 0; i < len(d.Columns); i++ {
		f := slices.IndexFunc(d.Folds, func(f fold) bool { return f.Name+"1" == d.Columns[i].Name })
		if d.Columns[i].Kind == ignored {
			continue
		}
		if f < 0 {
			kept = append(kept, keptColumn{field: d.Columns[i], first: i})
			continue
		}
		kept = append(kept, keptColumn{field{d.Folds[f].Name, categorical}, i, numbered(d.Folds[f].Prefix, d.Folds[f].Size)})
		i += d.Folds[f].Size - 1
	}
	return kept
}

// Features returns the names of the columns of items, then of numbers, in the order of the file.
func (d Declaration) Features() (items, numbers []string) {
	for _, k := range d.kept() {
		switch k.Kind {
		case categorical, optional:
			items = append(items, k.Name)
		case numeric:
			numbers = append(numbers, k.Name)
		}
	}
	return items, numbers
}

// numbered returns prefix1 to prefix<n>.
func numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = prefix + strconv.Itoa(i+1)
	}
	return names
}
