package records

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pkg/errors"

	"gophe/phe/remedy"
)

const (
	columnRecords = 10_000 // number of records whose fields become columns
	pipeRecords   = 1000   // of a pipe, which may be slow
	maxColumns    = 10_000 // largest number of columns
	maxIgnored    = 1000   // largest number of other names that are kept
)

// jsonRows reads the records of JSON lines.
type jsonRows struct {
	*text
	Object
	names  []string       // of the columns, and behind them other names that have come
	places map[string]int // index of each name
	fields []string
	came   []bool           // which columns have come
	begun  bool             // a record has come
	late   map[string]int64 // number of records by the names behind the columns
	marks  []byte           // by Reader.Typed, for the decimals of numbers
	lists  []string         // columns that came as lists
}

// newJSON detects the columns. The text's position is then before the first record.
func newJSON(t *text, o Options) (*jsonRows, error) {
	j := &jsonRows{text: t, places: map[string]int{}, late: map[string]int64{}}
	t.whole = func(line []byte) bool { // its letters may be broken
		object := jsontext.Value(bytes.TrimSpace(line))
		return object.Kind() == '{' && object.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	}
	columns := o.Columns
	if columns == nil {
		if !o.OneLevel {
			j.Nested = Nested{}
		}
		found, err := j.findColumns()
		if err != nil {
			return nil, err
		}
		columns, j.lists = found.names(), found.lists()
	}
	for _, name := range columns {
		j.add([]byte(name), len(columns))
	}
	if !o.OneLevel {
		j.Nested = Nest(columns)
	}
	j.fields, j.came = make([]string, len(j.names)), make([]bool, len(j.names))
	return j, nil
}

// add adds a name, unless it is known or there are as many as allowed.
func (j *jsonRows) add(name []byte, most int) {
	if _, known := j.places[string(name)]; !known && len(j.names) < most {
		j.places[string(name)] = len(j.names)
		j.names = append(j.names, string(name))
	}
}

// found holds the fields of the first records.
type found struct {
	all    []string
	filled map[string]bool // whether a name had a value
	isList map[string]bool
}

func newFound() *found { return &found{filled: map[string]bool{}, isList: map[string]bool{}} }

// add notes a field.
func (f *found) add(name, value []byte) {
	filled, known := f.filled[string(name)]
	if !known && len(f.all) > maxColumns {
		return
	}
	if !known {
		f.all = append(f.all, string(name))
	}
	something := !isNothing(value)
	if !known || something && !filled {
		f.filled[string(name)] = something
	}
	if something && value[0] == '[' {
		f.isList[string(name)] = true
	}
}

// lists returns the names that had a list.
func (f *found) lists() []string {
	return slices.DeleteFunc(slices.Clone(f.all), func(name string) bool { return !f.isList[name] })
}

// names returns the columns, without a name that had null in place of an object and nothing else.
func (f *found) names() []string {
	inside := Nest(f.all)
	return slices.DeleteFunc(f.all, func(name string) bool { return !f.filled[name] && len(inside[name]) > 0 })
}

// check returns an error if there are too many fields. It names the object that has the most.
func (f *found) check(file string) error {
	if len(f.all) <= maxColumns {
		return nil
	}
	in, most := map[string]int{}, ""
	for _, name := range f.all {
		object := name[:max(0, strings.LastIndexByte(name, '.'))]
		if in[object]++; object != "" && in[object] > in[most] || most == "" {
			most = object
		}
	}
	if 2*in[most] > maxColumns && most != "" {
		return errors.Errorf("the first records of %s have more than %d different fields, %d of them in the object %q, as if its keys "+
			"were ids; leave it out, or write it as a list of its keys", file, maxColumns, in[most], most)
	}
	return remedy.Errorf("fields", "the first records of %s have more than %d different fields; name the fields to read", file, maxColumns)
}

// findColumns takes the fields of the first records. Bad records do not count here: read reports them.
func (j *jsonRows) findColumns() (*found, error) {
	f := newFound()
	j.looks = true
	defer func() { j.looks = false }()
	for n := 0; n < columnRecords && (j.in.back != nil || n < pipeRecords) && len(f.all) <= maxColumns; {
		line, err := j.next()
		if err == io.EOF || err != nil && len(f.all) > 0 {
			break
		} else if err != nil {
			return nil, j.tooLong(err)
		}
		if object := bytes.TrimSpace(line); len(object) > 0 && object[0] == '{' && j.line.check(object) == nil {
			_ = j.flatten("", object, f.add)
			n++
		}
	}
	j.rewind()
	switch err := j.nextObject(func(_, _ []byte) {}); {
	case err == io.EOF && j.half:
		return nil, j.incomplete()
	case len(f.all) == 0 && err != nil && err != io.EOF:
		return nil, err
	case len(f.all) == 0:
		return nil, errors.Errorf("the first records of %s have no fields; write one JSON object with fields on each line", j.in.name)
	}
	j.rewind()
	return f, f.check(j.in.name)
}

func (j *jsonRows) columns() []string { return j.names }

// read returns the next record.
func (j *jsonRows) read() ([]string, error) {
	clear(j.fields)
	place := -1
	var twice error
	err := j.nextObject(func(name, value []byte) {
		if place++; place >= len(j.names) || j.names[place] != string(name) { // most names come in one order
			j.add(name, len(j.fields)+maxIgnored)
			var known bool
			if place, known = j.places[string(name)]; !known {
				return
			}
		}
		if place >= len(j.fields) {
			j.late[j.names[place]]++
			return
		}
		if j.fields[place] != "" { // as "a.b" and {"a": {"b"}}
			twice = j.badByte(0, comesTwice(j.names[place]))
		}
		mark := byte(0)
		if j.marks != nil {
			mark = j.marks[place]
		}
		j.fields[place], j.came[place] = string(j.Text(value, mark)), true
	})
	if err == nil {
		err = twice
	}
	if errors.As(err, new(*RecordError)) {
		j.dropLine()
	}
	if err != nil {
		return nil, err
	}
	j.begun = true
	j.accept()
	return j.fields, nil
}

// nextObject calls field for each field of the object in the next line that is not empty.
func (j *jsonRows) nextObject(field func(name, value []byte)) error {
	var object []byte
	for len(object) == 0 {
		j.skip()
		line, err := j.next()
		if err != nil {
			return j.tooLong(err)
		}
		object = bytes.TrimSpace(line)
	}
	if object[0] != '{' {
		return j.badByte(0, "expected a JSON object that begins with a brace")
	}
	if err := j.flatten("", object, field); err != nil {
		line := j.buffer[j.start:j.scan]
		indent := len(line) - len(bytes.TrimLeft(line, " \t\r\n"))
		return j.badByte(int64(indent)+err.ByteOffset+1, problem(err))
	}
	return nil
}

// tooLong describes errTooLong. It returns other errors as they are.
func (j *jsonRows) tooLong(err error) error {
	if err == errTooLong {
		return j.badByte(0, fmt.Sprintf("the line is longer than %d MiB", maxRecord>>20))
	}
	return err
}

// badByte returns an error about one byte of the current line, or about the whole line if the number of the byte is 0.
func (j *jsonRows) badByte(number int64, problem string) error {
	bad := j.bad(problem, "write one JSON object in UTF-8 on each line")
	if number > 0 {
		bad.Column = strconv.FormatInt(number, 10)
	}
	return bad
}
