package records

import (
	"bytes"
	"context"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/pkg/errors"
)

// Format is a file format.
type Format string

// The formats that this package reads. An empty Format is detected from the content.
const (
	CSV       Format = "csv"
	TSV       Format = "tsv"
	JSONLines Format = "jsonl"
	Parquet   Format = "parquet"
	detected  Format = "" // from the content, never from the file's name
)

// Header says whether the first line of CSV holds the names of the columns.
//
// An empty Header looks at the first 100 lines and applies these rules in turn:
//
//  1. The first line is data if one of its fields is a number, a date or a time.
//  2. It is a header if a later line has a number below a field of text.
//  3. It is data if two of its fields are equal.
//  4. It is data if later lines repeat at least half of its fields, each in its own column.
//  5. It is a header.
//
// An empty field, or a sign for a missing value such as NA or ?, is neither a number nor text in these rules. If Columns
// equals the first line, that line is a header without any rule.
type Header string

// The values of Header. An empty Header is detected.
const (
	headerDetected Header = ""
	HeaderYes      Header = "yes"
	HeaderNo       Header = "no"
)

// sampleLines is the number of lines that show the format, the separator and the header.
const sampleLines = 100

// Options says how to read a file. The zero value detects everything from the content.
//
// A run that continues at a Position should give the columns of the first run, because a file that has grown can lead to
// other columns. On a pipe, Open waits for the first 100 lines of CSV or the first 1000 records of JSON. It begins at the
// first line if Format is given together with Comma and Header, or with Columns for JSON, and with Needed.
type Options struct {
	Format Format

	// Comma separates the fields of CSV. Zero means the separator that the first lines use: a comma, semicolon, bar or tab.
	Comma rune

	// Header says whether CSV begins with the names of its columns. Without them the names are c1, c2 and so on.
	Header Header

	// Columns names the fields to read from JSON lines. Nil means the fields of the first 1000 records, or of the first
	// 16 MiB, in the order of their first appearance. Columns also names the columns of CSV that has no header. CSV with a
	// header, and Parquet, must have these columns by name, in any order. Other columns of the file are left out.
	Columns []string

	// Needed names columns without which the records are of no use. A first line that has them all is the header of CSV. Of JSON, Open
	// reads only the records until all of them have come.
	Needed []string

	// Context ends the wait for a silent stream. Open then goes on with what has come, and Read returns the context's error after it.
	Context context.Context

	// Optional are the names of Columns that a file need not have. Their fields are "". DecimalComma are the names of Columns whose text has
	// decimal commas: numbers of JSON and Parquet get them too, so that 1.234 does not look like a thousand.
	Optional, DecimalComma []string

	// Growing leaves the last line alone while it has no line end, because a program may still be writing it: 52 can be the
	// beginning of 5207. Read then returns io.EOF, and Unfinished names the line. A whole JSON object needs no line end, because
	// nothing can follow it. Growing matters only to plain text that can seek. The end of a stream or of compressed data is final.
	Growing bool
}

// Validate returns an error if the options contradict themselves.
func (o Options) Validate() error {
	if !slices.Contains([]Format{detected, CSV, TSV, JSONLines, Parquet}, o.Format) {
		return errors.Errorf("format %q is not known; use %s, %s, %s, %s or leave it empty", o.Format, CSV, TSV, JSONLines, Parquet)
	}
	if !slices.Contains([]Header{headerDetected, HeaderYes, HeaderNo}, o.Header) {
		return errors.Errorf("header %q is not known; use %s, %s or leave it empty", o.Header, HeaderYes, HeaderNo)
	}
	if c := o.Comma; c != 0 && (c == '"' || c == '\r' || c == '\n' || c == utf8.RuneError || !utf8.ValidRune(c)) {
		return errors.Errorf("%q cannot separate fields; use a comma, semicolon, bar, tab or another character", c)
	}
	if o.Comma != 0 && (unicode.IsLetter(o.Comma) || unicode.IsDigit(o.Comma)) {
		return errors.Errorf("%q cannot separate fields, because fields contain letters and digits; use a comma or a tab", o.Comma)
	}
	if o.Columns != nil && len(o.Columns) == 0 {
		return errors.New("the list of columns is empty; name the columns, or leave out the list")
	}
	if i, j := duplicate(o.Columns); j > 0 {
		return errors.Errorf("column %q stands at places %d and %d of the list of columns; name each column once", o.Columns[i], i+1, j+1)
	}
	return nil
}

// firstLines returns the number of lines that Open must see at once.
func (o Options) firstLines(seekable bool) int {
	if o.Format == JSONLines || o.Needed != nil && !seekable || (o.Comma != 0 || o.Format == TSV) && o.Header != headerDetected {
		return 1
	}
	return sampleLines
}

// enough tells whether columns of these names have all that are needed.
func (o Options) enough(names []string) bool {
	return o.Needed != nil && !slices.ContainsFunc(o.Needed, func(name string) bool { return !slices.Contains(names, name) })
}

// duplicate returns the places of the first two equal names, or zeros.
func duplicate(names []string) (int, int) {
	places := make(map[string]int, len(names))
	for j, name := range names {
		if i, ok := places[name]; ok {
			return i, j
		}
		places[name] = j
	}
	return 0, 0
}

// commas tells which columns have decimal commas.
func (o Options) commas(columns []string) []bool {
	list := make([]bool, len(columns))
	for i, name := range columns {
		list[i] = slices.Contains(o.DecimalComma, name)
	}
	return list
}

// withComma replaces the decimal point of a number.
func withComma(number []byte) {
	if at := bytes.IndexByte(number, '.'); at >= 0 {
		number[at] = ','
	}
}
