package records

import (
	"bytes"
	"cmp"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pkg/errors"
)

// Decoder reads the records of messages as a Reader reads a file's, each for itself. A message holds JSON objects if it begins with a
// brace, and else lines of CSV, unless the options name a format or the message its columns. It is not safe for concurrent use.
type Decoder struct {
	wanted Options
	text   *text
	json   *Reader
	csv    map[string]*Reader // by the names of columns that messages bring
	own    []string           // columns of CSV that brings no names
	reader *Reader            // of the message
}

// Detect finds the columns by the first messages, and the separator of CSV, unless the options name them. Errors call the messages name.
func Detect(messages [][]byte, name string, o Options) (Options, error) {
	var all []byte
	for _, m := range messages {
		all = append(append(all, lines(m)...), '\n')
	}
	r, err := New(bytes.NewReader(all), name, o)
	if err != nil {
		return o, err
	}
	o.Columns = r.Columns()
	o.Lists = r.Lists()
	if c, ok := r.rows.(*csvRows); ok {
		if o.Comma = c.comma; r.cells != nil { // the cells of messages stay as they are, since most messages do not name their columns
			o.Columns, o.Lists = c.names, nil
		}
	}
	return o, nil
}

// NewDecoder returns a decoder of messages with the columns that the options name, and by default with commas in CSV.
func NewDecoder(o Options) (*Decoder, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Columns == nil || o.Format == Parquet {
		return nil, errors.Errorf("messages hold JSON or CSV, and their columns have names; the format is %q, and the columns are %q",
			o.Format, o.Columns)
	}
	if o.Needed == nil {
		o.Needed = o.Columns
	}
	d := &Decoder{wanted: o, text: &text{in: &source{}}, csv: map[string]*Reader{}, own: o.Columns}
	rows, err := newJSON(d.text, o)
	if err == nil {
		d.json, err = d.newReader(rows)
	}
	return d, err
}

func (d *Decoder) newReader(r rows) (*Reader, error) {
	reader := &Reader{in: d.text.in, text: d.text, wanted: d.wanted, rows: r, own: r.columns()}
	return reader, reader.choose(d.wanted)
}

// Settle finds the columns of CSV that brings no names by the first messages, in lines: Columns or Own. It comes before Open.
func (d *Decoder) Settle(first []byte) {
	d.own = d.wanted.unnamed((&csvRows{comma: d.comma(), letters: d.wanted.NoQuotes}).parseSample(first))
}

// Typed says how Read writes the numbers of JSON, as Reader.Typed does.
func (d *Decoder) Typed(commas []string) { d.json.Typed(commas) }

// Aside returns what was left out of the messages, as Reader.Aside does.
func (d *Decoder) Aside() Aside {
	a := d.json.Aside()
	for _, r := range d.csv {
		of := r.Aside()
		a.Copies, a.Missing = a.Copies+of.Copies, nil
		for _, name := range of.Ignored {
			if !slices.Contains(a.Ignored, name) {
				a.Ignored = append(a.Ignored, name)
			}
		}
	}
	return a
}

// Open makes the records of a message the next ones. names are of the columns of CSV, as a line of CSV. Without them a header of the
// message names the columns, or else the options do. A MissingError says that names lacks a column.
func (d *Decoder) Open(message []byte, names string) (err error) {
	first := bytes.TrimLeft(bytes.TrimPrefix(message, byteOrderMark), " \t\r\n")
	d.reader = d.json
	if f := d.wanted.Format; f == CSV || f == TSV || names != "" ||
		f == detected && !bytes.HasPrefix(first, []byte("{")) && refuseArray(first, "") == nil {
		if names == "" {
			names = d.reordered(first)
		}
		if d.reader, err = d.csvReader(names); err != nil {
			return err
		}
	} else {
		message = lines(message)
	}
	t := d.text
	t.buffer = append(t.buffer[:0], message...)
	if n := len(message); n > 0 && message[n-1] != '\n' {
		t.buffer = append(t.buffer, '\n')
	}
	t.start, t.scan, t.end, t.err, t.taken, t.at = 0, 0, len(t.buffer), io.EOF, 0, Position{}
	d.reader.err = nil
	return nil
}

// reordered returns the first line of a message if it names all columns in another order than the options. Its rows have that order.
func (d *Decoder) reordered(message []byte) string {
	line, _, _ := bytes.Cut(message, []byte("\n"))
	size := len(d.own) - 1 // of a line without quotes
	for _, name := range d.own {
		size += len(name)
	}
	if line = bytes.TrimRight(line, "\r"); len(line) < size || len(line) > size && bytes.IndexByte(line, '"') < 0 || size < 3 {
		return ""
	}
	comma, _ := guessComma(line, d.wanted.Comma)
	names := (&csvRows{comma: comma, letters: d.wanted.NoQuotes}).parseSample(line)[0]
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	if slices.Equal(names, d.own) || !slices.Equal(sorted(names), sorted(d.own)) {
		return ""
	}
	return string(line)
}

// comma returns the separator of CSV that brings no names.
func (d *Decoder) comma() rune {
	return cmp.Or(d.wanted.Comma, map[Format]rune{TSV: '\t'}[d.wanted.Format], ',')
}

// csvReader returns the reader of messages of CSV whose columns have names.
func (d *Decoder) csvReader(names string) (*Reader, error) {
	if r := d.csv[names]; r != nil {
		return r, nil
	}
	c := &csvRows{text: d.text, lines: &lineFeed{text: d.text}, comma: d.comma(), names: d.own, header: d.own, letters: d.wanted.NoQuotes}
	if names != "" {
		c.comma, _ = guessComma([]byte(names), d.wanted.Comma)
		c.header = c.parseSample([]byte(names))[0]
		var err error
		if c.names, err = headerNames(c.header, "", 0); err != nil {
			return nil, err
		}
	}
	if numbered, _ := headerNames(make([]string, len(c.names)), "", 0); len(c.names) == 1 || slices.Equal(c.names, numbered) {
		c.header = nil
	}
	c.parser = c.newParser(c.lines)
	c.parser.ReuseRecord = true
	r, err := d.newReader(c)
	if err == nil {
		d.csv[names] = r
	}
	return r, err
}

// Read returns the next record of the message, as Reader.Read does. Its errors count lines and records from the beginning of the message.
func (d *Decoder) Read() ([]string, error) { return d.reader.Read() }

// Rows returns the number of the message's records that were read, bad ones included.
func (d *Decoder) Rows() int { return int(d.text.at.Record) }

// Ended tells whether only line ends follow in the message.
func (d *Decoder) Ended() bool {
	return len(bytes.TrimSpace(d.text.buffer[d.text.start:d.text.end])) == 0
}

// lines returns JSON objects with each on a line of its own. Other text stays as it is.
func lines(message []byte) []byte {
	message = slices.Clip(message)
	first, _, more := bytes.Cut(message, []byte{'\n'})
	if !more && !bytes.Contains(message, []byte("}{")) || !bytes.HasPrefix(bytes.TrimSpace(message), []byte{'{'}) ||
		jsontext.Value(first).IsValid() {
		return message
	}
	var all []byte
	for in := jsontext.NewDecoder(bytes.NewReader(message)); ; {
		object, err := in.ReadValue()
		if err == io.EOF {
			return all
		}
		if err != nil || object.Compact() != nil {
			return message
		}
		all = append(append(all, object...), '\n')
	}
}
