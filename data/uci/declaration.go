package uci

import (
	"strconv"

	"gophe/data/files"
)

// Kind is the type of a file's column.
type Kind int

const (
	categorical Kind = iota // text, kept as it is
	numeric                 // a finite decimal number
	label                   // one of the declared classes; exactly one column
	oneHot                  // columns of 0 and 1; exactly one of them is 1 in every row
	optional                // as categorical, but an empty cell is the item missingItem
	count                   // an integer that fits an int32
	moment                  // wall-clock time without a zone, as in Retail
	ignored                 // neither checked nor kept
)

// missingItem is the item of an empty cell of an optional column. pandas prints it, and the authors hash it.
const missingItem = "<NA>"

// Field is a column of the data set: a column of the file with its name in the header. A one-hot field is the file's columns name1 to
// name<Width>. It becomes one categorical column with the values prefix1 to prefix<Width>, as in the authors' copy of Covertype.
type Field struct {
	Name   string
	Kind   Kind
	Prefix string // of the values of a one-hot field
	Width  int    // number of its columns in the file; 0: no one-hot field
}

// Declaration declares the content of a data set. A Source declares its files: checksum, licence and citation.
type Declaration struct {
	Name         string
	Source       string  // name of the Source whose file holds it
	Columns      []Field // in the order of the file
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
	var names []string
	for _, c := range d.Columns {
		if c.Kind != oneHot {
			names = append(names, c.Name)
		}
		for i := range c.Width {
			names = append(names, c.Name+strconv.Itoa(i+1))
		}
	}
	return names
}

// Features returns the names of the columns of items, then of numbers, in the order of the file.
func (d Declaration) Features() (items, numbers []string) {
	for _, c := range d.Columns {
		switch c.Kind {
		case categorical, optional, oneHot:
			items = append(items, c.Name)
		case numeric:
			numbers = append(numbers, c.Name)
		}
	}
	return items, numbers
}
