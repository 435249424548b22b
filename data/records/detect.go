package records

import (
	"bytes"
	"io"
	"slices"

	"github.com/pkg/errors"
)

// sample returns the given number of lines that are not empty, or a block of them, without taking them. It returns part of a
// line only if the first line is longer than a block.
func (t *text) sample(lines int) ([]byte, error) {
	end, found := linesEnd(t.buffer[:t.end], lines)
	for found < lines && t.err == nil && t.end < blockSize {
		t.fill()
		end, found = linesEnd(t.buffer[:t.end], lines)
	}
	switch {
	case found == lines:
	case end == 0 && t.err != nil && t.err != io.EOF:
		return nil, t.err
	case found == 0 || t.err == io.EOF && !t.growing:
		end = t.end
	}
	return t.buffer[:end], nil
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
	{"<html", "a web page", "download the table itself"},
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
		return errors.Errorf("the lines of %s end with a carriage return alone; give them line feeds, for example with: tr '\\r' '\\n'", name)
	}
	return nil
}

// guessFormat returns JSONLines if the first line begins with a brace, TSV if its separator is a tab, else CSV.
func guessFormat(sample []byte, o Options) Format {
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(sample), []byte("{")):
		return JSONLines
	case o.Comma == '\t' || o.Comma == 0 && guessComma(sample) == '\t':
		return TSV
	}
	return CSV
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

// guessComma returns the separator of the first lines. It takes a tab if every line has the same number of tabs, else a
// semicolon by the same rule, else by the same rule the more frequent of comma and bar. If none has the same number in every
// line, it takes the most frequent separator of the first line.
func guessComma(sample []byte) rune {
	lines := countCommas(sample)
	best, bestCount := ',', 0
	for i, c := range commas {
		n := lines[0][i]
		if n <= bestCount {
			continue
		}
		regular := true
		for _, line := range lines {
			regular = regular && line[i] == n
		}
		if regular {
			best, bestCount = rune(c), n
			if c == '\t' || c == ';' {
				break
			}
		}
	}
	if bestCount > 0 {
		return best
	}
	for i, c := range commas {
		if n := lines[0][i]; n > bestCount {
			best, bestCount = rune(c), n
		}
	}
	return best
}

// countCommas counts each of commas in each record, outside quotes.
func countCommas(sample []byte) [][4]int {
	var counts [4]int
	var records [][4]int
	quoted, start, empty := false, true, true
	for _, c := range sample {
		place := bytes.IndexByte(commas, c)
		switch {
		case c == '"' && (quoted || start):
			quoted = !quoted
		case quoted:
		case c == '\n' && !empty:
			records = append(records, counts)
			counts = [4]int{}
		case place >= 0:
			counts[place]++
		}
		start = !quoted && (c == '\n' || place >= 0 || c == '"') // two quotes inside quotes are one quote of the field
		empty = !quoted && c == '\n' || empty && c == '\r'
	}
	if !empty && !quoted || len(records) == 0 {
		records = append(records, counts)
	}
	return records
}

// skipTitle passes lines above a table: "sep=;", as spreadsheets write it, and titles and comments. It returns the sample without them.
func (t *text) skipTitle(sample []byte, o *Options) ([]byte, error) {
	first, _, _ := bytes.Cut(sample, []byte{'\n'})
	skip := 0
	first = bytes.TrimRight(first, "\r")
	switch {
	case len(first) == 5 && bytes.EqualFold(first[:4], []byte("sep=")) || len(first) == 4 && bytes.EqualFold(first, []byte("sep=")):
		if skip = 1; o.Comma == 0 && len(first) == 5 {
			o.Comma = rune(first[4])
		}
	case o.Format == JSONLines || bytes.HasPrefix(bytes.TrimSpace(sample), []byte("{")):
	default:
		skip = titles(sample, o.Comma)
	}
	for range skip {
		line, err := t.next()
		if err != nil {
			return sample, err
		}
		for len(bytes.TrimRight(line, "\r\n")) == 0 {
			sample = sample[len(line):]
			if line, err = t.next(); err != nil {
				return sample, err
			}
		}
		sample = sample[len(line):]
		t.titles++
	}
	t.skip()
	return sample, nil
}

// titles returns the number of lines above a table. Each has no separator, or is a comment, and from the line below them on every line has the
// same number of separators.
func titles(sample []byte, comma rune) int {
	const most = 10
	lines := countCommas(sample)
	for skip := 0; skip <= most && skip+2 <= len(lines); skip++ {
		for i, c := range commas {
			n := lines[skip][i]
			if n == 0 || comma != 0 && comma != rune(c) {
				continue
			}
			if !slices.ContainsFunc(lines[skip:], func(line [4]int) bool { return line[i] != n }) &&
				!slices.ContainsFunc(lines[:skip], func(line [4]int) bool { return line[i] > 0 }) {
				return skip
			}
		}
	}
	return 0
}
