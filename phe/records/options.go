package records

import (
	"bytes"
	"context"
	"io"
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
// An empty field, or a sign for a missing value such as NA or ?, is neither a number nor text in these rules. If the first
// line has most of the columns that are needed, it is a header without any rule.
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
// first line if Columns is given and the line fits them, or if Comma and Header are given.
type Options struct {
	Format Format

	// Comma separates the fields of CSV. Zero means the separator that the first lines use: a comma, semicolon, bar or tab.
	Comma rune

	// NoQuotes makes quotes letters of the fields of CSV. Otherwise a field in quotes may hold the separator and line ends.
	NoQuotes bool

	// Header says whether CSV begins with the names of its columns. Without them the names are c1, c2 and so on.
	Header Header

	// Columns names the fields to read from JSON lines. Nil means the fields of the first 10,000 records (of a pipe 1000), or of
	// the first 16 MiB, in the order of their first appearance. Columns also names the columns of CSV that has no header. CSV with a
	// header, and Parquet, must have these columns by name, in any order. Other columns of the file are left out.
	Columns []string

	// Needed are the names of Columns that the table must have; nil means all. The fields of others that it lacks are "".
	Needed []string

	// Own names the columns of CSV without a header that may lack some of Columns. The number of fields of most first rows tells.
	Own []string

	// OneLevel takes apart a record's objects. Objects inside these, lists of objects or lists, and objects in texts stay as they are.
	// A model that was begun so has a schema without "nested".
	OneLevel bool

	// Partition gives the names and the values of columns that stand in the file's path, as in month=2. A column of the file goes before.
	Partition [][2]string

	// Lists are the columns whose values came as lists. Detect finds them.
	Lists []string

	Input io.Reader // read as standard input; nil means the program's

	// Context ends the wait for a silent stream. Open then goes on with what has come, and Read returns the context's error after it.
	Context context.Context

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

// lacking returns the columns that are needed and are not among the names of a table.
func (o Options) lacking(names []string) []string {
	return slices.DeleteFunc(slices.Clone(o.Needed), func(name string) bool { return slices.Contains(names, name) })
}

// unnamed returns the columns of a table without a header, Columns or Own, by its first rows.
func (o Options) unnamed(first [][]string) []string {
	own, votes := 0, map[int]int{len(o.Own): 1, len(o.Columns): -1} // by the number of fields
	for _, fields := range first {
		own += votes[len(fields)]
	}
	if o.Own != nil && own > 0 {
		return o.Own
	}
	return o.Columns
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

// withMark writes a number that has a type, as those of JSON and Parquet have, as no reader of text takes it for another one.
func withMark(number []byte, mark byte) []byte {
	switch at := bytes.IndexByte(number, '.'); {
	case at < 0:
	case mark == ',':
		number[at] = ','
	case mark == 'e' && len(number)-at == len(".234"):
		number = append(number, "e-0"...)
	}
	return number
}
