package records

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pkg/errors"
)

// errZeroByte says that a line has a zero byte. A crash of a machine can leave a block of them at the end of a log.
var errZeroByte = errors.New("zero byte")

// csvRows reads the records of CSV.
type csvRows struct {
	*text
	lines   *lineFeed
	parser  *csv.Reader
	comma   rune
	letters bool     // quotes are letters
	runs    bool     // a run of blanks parts fields
	names   []string // names of the columns
	header  []string // fields of the header, to know its copies; nil if a row could be equal
	above   []string // lines above the header
	braces  bool     // the first lines have braces, as objects do
	copies  int64    // number of copies of the header, of lines above it, and of later comments that were left out
	named   []string // names by a line of a W3C or Zeek log, whose comments may stand anywhere
	fields  []string // of the last line without quotes
}

// lineFeed gives the lines of a text to a parser, one line for each call, so that the parser never reads past its record.
type lineFeed struct {
	text *text
	line []byte // rest of the last line that the parser has not taken
	err  error  // error that came in place of the last line
}

// Read implements io.Reader.
func (f *lineFeed) Read(p []byte) (int, error) {
	if len(f.line) == 0 && f.err == nil {
		f.next()
	}
	if f.err != nil {
		return 0, f.err
	}
	n := copy(p, f.line)
	f.line = f.line[n:]
	return n, nil
}

// next takes a line. It passes empty lines before a record.
func (f *lineFeed) next() {
	f.line, f.err = f.text.next()
	for f.err == nil && f.text.taken == 1 && (len(f.line) == 0 || f.line[0] <= '\r') && len(bytes.TrimRight(f.line, "\r\n")) == 0 {
		f.text.skip()
		f.line, f.err = f.text.next()
	}
	if bytes.IndexByte(f.line, 0) >= 0 {
		f.line, f.err = nil, errZeroByte
	}
}

// bare returns the fields of a whole line without quotes, which needs no parser. Otherwise it returns nil.
func (c *csvRows) bare(line []byte) []string {
	text, whole := bytes.CutSuffix(line, []byte{'\n'})
	if len(line) == 0 || !c.letters && (!whole || bytes.IndexByte(text, '"') >= 0) {
		return nil
	}
	if c.runs {
		return strings.FieldsFunc(string(text), func(r rune) bool { return r <= ' ' })
	}
	c.fields = c.fields[:0]
	for field := range strings.SplitSeq(string(bytes.TrimSuffix(text, []byte{'\r'})), string(c.comma)) {
		c.fields = append(c.fields, field)
	}
	return c.fields
}

// newCSV detects the separator and the columns. The text's position is then before the first record.
func newCSV(t *text, sample []byte, o Options) (*csvRows, error) {
	c := &csvRows{text: t, lines: &lineFeed{text: t}, comma: o.Comma, letters: o.NoQuotes}
	if c.comma == 0 && o.Format == TSV {
		c.comma = '\t'
	}
	sample = c.begin(sample, o)
	c.braces = bytes.IndexByte(sample, '{') >= 0
	blanks := byBlanks(sample)
	c.parser = c.newParser(c.lines)
	c.parser.ReuseRecord = true
	if c.named != nil {
		names, err := headerNames(c.named, t.in.name, t.at.Line)
		c.names = names
		return c, err
	}
	// The sample is parsed before the first line is read, because reading can overwrite it. Columns may be aligned by runs of blanks.
	c.runs = c.comma == ' ' && bytes.Contains(sample, []byte("  ")) && bytes.IndexByte(sample, '"') < 0
	c.runs = c.runs && isEven(c.parseSample(sample))
	all := c.parseSample(sample)
	later := all[1:]
	fields, err := c.parse()
	if err == io.EOF {
		return nil, t.incomplete()
	} else if blanks && errors.As(err, new(*RecordError)) {
		return nil, errors.WithMessage(ErrBlanks, t.in.name)
	} else if err != nil {
		return nil, err
	}
	header := fields
	if isEven(all) && len(later) > 0 && len(later[0]) > len(fields) { // as R leaves out the name of the first column, which names the rows
		header = slices.Concat([]string{""}, fields)
	}
	names, err := headerNames(header, t.in.name, t.at.Line+1)
	expected := err == nil && 2*len(o.lacking(names)) < len(o.Needed)
	numbered, _ := headerNames(make([]string, len(fields)), "", 0)
	isNumbered := o.Columns != nil && len(o.lacking(numbered)) == 0
	isData, own := len(later) == 0 && isNumbered, o.unnamed(all)
	named := o.Header == HeaderYes || o.Header == headerDetected && (expected || !isData && isHeader(header, later))
	switch {
	case named:
		c.names, c.header = names, slices.Clone(fields)
	case o.Columns == nil || len(fields) < len(o.Columns) && isNumbered:
		c.names = numbered
	case len(own) == len(fields):
		c.names, c.header = own, own
	default:
		return nil, errors.Errorf("the first line of %s has %d columns, but Columns names %d; name each column", t.in.name, len(fields),
			len(own))
	}
	if len(fields) == 1 || slices.Equal(c.names, numbered) {
		c.header = nil
	}
	if !named {
		t.rewind()
		return c, nil
	}
	t.skip()
	return c, err
}

// shows tells whether the first line alone shows the columns: a slow pipe need not send more.
func (o Options) shows(line []byte) bool {
	comma, _ := guessComma(line, o.Comma)
	first := (&csvRows{comma: comma, letters: o.NoQuotes}).parseSample(line)[0]
	if o.Columns == nil {
		return len(first) > 1
	}
	names, _ := headerNames(first, "", 0)
	numbered, _ := headerNames(make([]string, len(first)), "", 0)
	inR := slices.Equal(o.Columns, slices.Concat(numbered[:1], names)) // later lines tell
	return !inR && len(o.lacking(names)) == 0 || len(o.lacking(numbered)) == 0 || len(first) == len(o.Columns) && !isHeader(first, nil)
}

func (c *csvRows) newParser(r io.Reader) *csv.Reader {
	parser := csv.NewReader(r)
	parser.Comma = c.comma
	parser.FieldsPerRecord = -1 // read compares the numbers, because its error says more
	return parser
}

// parseSample returns the records, as far as they can be parsed.
func (c *csvRows) parseSample(sample []byte) [][]string {
	parser := c.newParser(bytes.NewReader(sample))
	var records [][]string
	for line := range bytes.Lines(sample) {
		if (c.letters || c.runs) && len(bytes.TrimSpace(line)) > 0 {
			records = append(records, slices.Clone(c.bare(line)))
		}
	}
	for !c.letters && !c.runs {
		record, err := parser.Read()
		if err != nil && !errors.As(err, new(*csv.ParseError)) {
			break
		}
		if err == nil || len(records) == 0 {
			records = append(records, record)
		}
	}
	return append(records, nil)[:max(1, len(records))]
}

func (c *csvRows) columns() []string { return c.names }

// seek makes the record at p the next one.
func (c *csvRows) seek(p Position) error {
	c.copies = 0
	return c.text.seek(p)
}

// read returns the next record. It compares the number of its fields with the number of columns.
func (c *csvRows) read() ([]string, error) {
	fields, err := c.parse()
	for err == nil && c.repeats(fields) {
		if c.named != nil {
			if err := c.sameFields(fields); err != nil {
				return nil, err
			}
		}
		c.skip()
		c.copies++
		fields, err = c.parse()
	}
	if err != nil {
		if errors.As(err, new(*RecordError)) {
			c.dropLine()
		}
		return nil, err
	}
	if len(fields) != len(c.names) {
		remedy := "add the missing fields, or remove the line"
		if more := len(fields) - len(c.names); more == 1 && fields[len(c.names)] == "" {
			remedy = fmt.Sprintf("end the header with %q too if each line ends so, or remove the line", c.comma)
		} else if more > 0 {
			remedy = fmt.Sprintf("put quotes around a field that contains %q, or remove the line", c.comma)
		}
		fields, err = nil, c.bad(fmt.Sprintf("expected %d fields, found %d", len(c.names), len(fields)), remedy)
	}
	c.accept() // even with a wrong number of fields, because quotes mark the end of the record
	return fields, err
}

// parse returns the fields of the next record. On success its lines are taken, but neither accepted nor dropped.
func (c *csvRows) parse() ([]string, error) {
	c.lines.next()
	if fields := c.bare(c.lines.line); fields != nil {
		c.lines.line = nil
		return fields, nil
	}
	fields, err := c.parser.Read()
	if err == nil {
		return fields, nil
	}
	stop := c.lines.err
	switch broken := new(csv.ParseError); {
	case stop == errTooLong:
		return nil, c.bad(fmt.Sprintf("the record is longer than %d MiB", maxRecord>>20), "close a quote that is open, or remove the line")
	case stop == errZeroByte:
		return nil, c.bad("the line has a zero byte", "remove the line; a crash while it was written can be the cause")
	case stop == io.EOF && c.taken == 0:
		c.rewind()
		return nil, io.EOF
	case stop != nil && stop != io.EOF:
		return nil, stop
	case errors.As(err, &broken):
		return nil, c.broken(broken, len(fields))
	}
	return nil, errors.Wrapf(err, "reading %s", c.in.name)
}

// broken returns an error about a quote in a field, given the number of complete fields before it.
func (c *csvRows) broken(e *csv.ParseError, complete int) *RecordError {
	problem, remedy := "a quote stands inside a field that does not begin with one", ""
	switch {
	case !errors.Is(e.Err, csv.ErrQuote):
		remedy = "put the whole field in quotes and double each quote inside"
	case c.lines.err == io.EOF || e.Line > e.StartLine:
		problem, remedy = "a quote is opened and not closed properly", "close it at the end of the field, and double each quote inside"
	default:
		problem, remedy = "text follows the closing quote of a field", "double each quote inside a field"
	}
	bad := c.bad(problem, remedy)
	if bad.Column = numberedName(complete); complete < len(c.names) {
		bad.Column = c.names[complete]
	}
	return bad
}

// sameFields returns an error if a comment of a log names other columns than the first one did.
func (c *csvRows) sameFields(comment []string) error {
	line := fieldsLine.FindStringSubmatch(strings.Join(comment, string(c.comma)) + "\n")
	if line != nil && !slices.Equal(strings.Fields(line[1]), c.named) {
		return errors.Errorf("line %d of %s names other columns from there on, %q; make the rest a file of its own",
			c.at.Line+1, c.in.name, strings.Fields(line[1]))
	}
	return nil
}

// repeats tells whether a record is a copy of the header, or of a line above it, as where files were joined, or a comment of a log.
func (c *csvRows) repeats(fields []string) bool {
	if c.named != nil {
		return strings.HasPrefix(fields[0], "#")
	}
	same := func(a, b string) bool { return a == b || strings.TrimSpace(a) == strings.TrimSpace(b) }
	return slices.EqualFunc(fields, c.header, same) || len(c.above) > 0 && slices.Contains(c.above, strings.Join(fields, string(c.comma)))
}
