package records

import (
	"bytes"
	"cmp"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pkg/errors"
)

// sample returns the given number of lines that are not empty, or a block of them, without taking them. It returns part of a
// line only if the first line is longer than a block.
func (t *text) sample(lines int) ([]byte, error) {
	end, found := linesEnd(t.buffer[t.start:t.end], lines)
	for found < lines && t.err == nil && t.end-t.start < blockSize {
		t.fill()
		end, found = linesEnd(t.buffer[t.start:t.end], lines)
	}
	switch {
	case found == lines:
	case end == 0 && t.err != nil && t.err != io.EOF:
		return nil, t.err
	case found == 0 || t.err == io.EOF && !t.growing:
		end = t.end - t.start
	}
	return t.buffer[t.start:][:end], nil
}

// linesEnd returns the end of the first lines that are not empty, up to the given number, and the number of lines that it found.
func linesEnd(held []byte, lines int) (end, found int) {
	for found < lines {
		length := bytes.IndexByte(held[end:], '\n') + 1
		if length == 0 {
			break
		}
		if len(bytes.Trim(held[end:end+length], "\r\n")) > 0 {
			found++
		}
		end += length
	}
	return end, found
}

// skipMark passes the byte order mark. It returns the sample without the mark.
func (t *text) skipMark(sample []byte) []byte {
	rest, marked := bytes.CutPrefix(sample, byteOrderMark)
	if marked {
		t.bom = int64(len(byteOrderMark))
		t.scan += len(byteOrderMark)
		t.skip()
	}
	return rest
}

// incomplete returns an error for a text that ends before its first line does.
func (t *text) incomplete() error {
	return errors.Errorf("the first line of %s is not complete; wait until its line end is written, or add it", t.in.name)
}

// foreign lists beginnings of files that hold no text to read, and what to do about them.
var foreign = []struct{ magic, name, remedy string }{
	{"PK\x03\x04", "a zip or Excel (xlsx) file", "unpack it, or save the table as CSV"},
	{"\xd0\xcf\x11\xe0", "an Excel (xls) file", "save the table as CSV"},
	{"\xff\xfe", "text in UTF-16", "save it as UTF-8, for example with: iconv -f UTF-16 -t UTF-8"},
	{"\xfe\xff", "text in UTF-16", "save it as UTF-8, for example with: iconv -f UTF-16 -t UTF-8"},
	{"\xfd7zXZ", "compressed by xz", "unpack it, or compress it with gzip or zstd"},
	{"BZh", "compressed by bzip2", "unpack it, or compress it with gzip or zstd"},
	{parquetMagic, "a Parquet file that is compressed as a whole", "unpack it"},
	{"ARROW1", "an Arrow file", "save the table as Parquet or CSV"},
	{"SQLite format 3", "an SQLite database", "export the table as CSV"},
	{"%PDF", "a PDF document", "save the table as CSV"},
	{"<!DOCTYPE", "a web page", "download the table itself"},
	{"<!doctype", "a web page", "download the table itself"},
	{"<table", "a web page", "save the table as CSV"},
	{"<html", "a web page", "download the table itself"},
	{"| ", "a table drawn with bars, as in Markdown", "save the table as CSV"},
	{"+--", "a table drawn with lines", "save the table as CSV"},
	{"<?xml", "an XML document", "save the table as CSV"},
}

// parquetMagic begins and ends a Parquet file.
const parquetMagic = "PAR1"

var byteOrderMark = []byte("\xef\xbb\xbf")

// refuse returns an error if a text that begins with sample is no table.
func refuse(sample []byte, name string) error {
	for _, f := range foreign {
		if bytes.HasPrefix(sample, []byte(f.magic)) {
			return errors.Errorf("%s is %s; %s", name, f.name, f.remedy)
		}
	}
	switch {
	case len(bytes.TrimSpace(sample)) == 0:
		return errors.Errorf("%s is empty; give a file with at least one record", name)
	case bytes.IndexByte(sample, 0) >= 0:
		return errors.Errorf("%s is binary or UTF-16: its text has a zero byte; save the table as CSV in UTF-8", name)
	case bytes.IndexByte(sample, '\n') < 0 && bytes.IndexByte(bytes.TrimSpace(sample), '\r') >= 0:
		return errors.Errorf("the lines of %s end with a carriage return alone; give them line feeds, for example with: "+
			"tr '\\r' '\\n'", name)
	}
	return nil
}

// refuseArray returns an error if the text is one JSON array of objects, which would have to be read as a whole.
func refuseArray(sample []byte, name string) error {
	inside, ok := bytes.CutPrefix(bytes.TrimSpace(sample), []byte("["))
	if inside = bytes.TrimSpace(inside); ok && (len(inside) == 0 || inside[0] == '{') {
		return errors.Errorf("%s is one JSON array; write one object on each line, for example with: jq -c '.[]'", name)
	}
	return nil
}

// commas are the separators that guessComma tries. Tabs and semicolons come first, because a text with either of them in
// every line can also have decimal commas.
var commas = []byte("\t;,|")

// maxTitles is the largest number of lines above a table.
const maxTitles = 10

// guessComma returns the separator of the first lines, unless it is given, and the place where the table begins. It takes a tab if every
// record has the same number of tabs, else a semicolon by the same rule, else by the same rule the more frequent of comma and bar. Records
// without the separator, and comments, may stand above. If none has the same number in every record, it takes the most frequent separator
// of the first one.
func guessComma(sample []byte, given rune) (comma rune, begin int) {
	tried := commas
	if given != 0 {
		tried = []byte(string(given))[:1]
	}
	lines := countCommas(sample, tried)
	regular := func(above, i int) bool { // the table's records have the separator, and the lines above do not
		n := lines[above].commas[i]
		return n > 0 && !slices.ContainsFunc(lines[above:], func(l countedLine) bool { return l.commas[i] != n }) &&
			!slices.ContainsFunc(lines[:above], func(l countedLine) bool { // nor more of another, as a header has
				return (l.commas[i] > 0 || slices.Max(l.commas[:]) > n) && sample[l.begin] != '#'
			})
	}
	for above := 0; above <= maxTitles && (above == 0 || above+2 <= len(lines)); above++ {
		best := -1
		for i, n := range lines[above].commas {
			if regular(above, i) && (best < 0 || best > 1 && n > lines[above].commas[best]) { // a tab or a semicolon stays
				best = i
			}
		}
		if best >= 0 {
			return cmp.Or(given, rune(tried[best])), lines[above].begin
		}
	}
	first := lines[0].commas[:len(tried)]
	if most := slices.Max(first); most > 0 {
		comma = rune(tried[slices.Index(first, most)])
	}
	return cmp.Or(given, comma, ','), 0
}

// countedLine is a record with the number of each separator in it.
type countedLine struct {
	begin  int
	commas [4]int
}

// countCommas counts separators in each record, outside quotes.
func countCommas(sample, separators []byte) []countedLine {
	var line countedLine
	var lines []countedLine
	quoted, start, empty := false, true, true
	for i, c := range sample {
		place := bytes.IndexByte(separators, c)
		switch {
		case c == '"' && (quoted || start):
			quoted = !quoted
		case quoted:
		case c == '\n':
			if !empty {
				lines = append(lines, line)
			}
			line = countedLine{begin: i + 1}
		case place >= 0:
			line.commas[place]++
		}
		start = !quoted && (c == '\n' || place >= 0 || c == '"') // two quotes inside quotes are one quote of the field
		empty = !quoted && c == '\n' || empty && c == '\r'
	}
	if !empty && !quoted || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// separatorLine is the first line of spreadsheets that name their separator.
var separatorLine = regexp.MustCompile(`^(?i:"?sep=([^\pL\d"\r\n])"?)\r?\n`)

// fieldsLine is the line of W3C logs, as of IIS and CloudFront, and of Zeek, that names the columns. Only comments stand above it.
var fieldsLine = regexp.MustCompile(`(?i)^(?:#.*\n)*?#fields[:\t ][\t ]*(\S.*)\n`)

// begin finds the separator, and passes the lines above the table. It returns the sample without them.
func (c *csvRows) begin(sample []byte, o Options) []byte {
	end := 0
	if m := fieldsLine.FindSubmatchIndex(sample); m != nil && o.Header != HeaderNo && !slices.Contains(o.Columns, numberedName(0)) {
		c.named, end = strings.Fields(string(sample[m[2]:m[3]])), m[1]
		for line := range bytes.Lines(sample[end:]) {
			if c.comma == 0 && line[0] != '#' && bytes.IndexByte(line, '\t') >= 0 { // tabs part all fields, and a quote is a letter
				c.comma, c.letters = '\t', true
			}
		}
		c.comma = cmp.Or(c.comma, ' ')
	}
	if m := separatorLine.FindSubmatchIndex(sample); m != nil {
		named, _ := utf8.DecodeRune(sample[m[2]:])
		c.comma, end = cmp.Or(c.comma, named), m[1]
	}
	if c.named == nil {
		comma, below := guessComma(sample[end:], c.comma)
		c.comma, end = comma, end+below
	}
	for line := range bytes.Lines(sample[:end]) {
		c.taken++
		if title := string(bytes.TrimRight(line, "\r\n")); title != "" {
			c.above = append(c.above, title)
		}
	}
	c.scan += end
	c.skip()
	return sample[end:]
}

// ErrBlanks is the error about a table that would be read with blanks between its fields.
var ErrBlanks = errors.New("blanks part its fields, as in a web server's log; name the blank as its separator, and say that it has no " +
	"header")

// byBlanks tells whether blanks part the fields: most records have as many as the first.
func byBlanks(sample []byte) bool {
	same, lines := 0, countCommas(sample, []byte(" "))
	for _, line := range lines {
		if line.commas == lines[0].commas {
			same++
		}
	}
	return lines[0].commas[0] > 2 && 2*same > len(lines)
}
