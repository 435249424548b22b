package records

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/pkg/errors"
)

const (
	columnRecords = 1000   // number of records whose fields become columns
	maxColumns    = 10_000 // largest number of columns
)

// jsonRows reads the records of JSON lines.
type jsonRows struct {
	*text
	Object
	names  []string
	comma  []bool         // columns whose numbers get a decimal comma
	places map[string]int // index of each name
	fields []string
}

// newJSON detects the columns. The text's position is then before the first record.
func newJSON(t *text, o Options) (*jsonRows, error) {
	j := &jsonRows{text: t, names: o.Columns, places: map[string]int{}}
	t.whole = func(line []byte) bool {
		object := bytes.TrimSpace(line)
		return len(object) > 0 && object[0] == '{' && isValue(object)
	}
	if j.names == nil {
		if err := j.findColumns(o); err != nil {
			return nil, err
		}
	}
	for i, name := range j.names {
		j.places[name] = i
	}
	j.fields, j.comma = make([]string, len(j.names)), o.commas(j.names)
	return j, nil
}

// findColumns takes the names of fields from the first records. Bad records do not count here: read reports them.
func (j *jsonRows) findColumns(o Options) error {
	known := map[string]bool{}
	add := func(name, _ []byte) {
		if !known[string(name)] {
			known[string(name)] = true
			j.names = append(j.names, string(name))
		}
	}
	for n := 0; n < columnRecords && len(j.names) <= maxColumns && !o.enough(j.names); {
		line, err := j.next()
		if err == io.EOF || err != nil && len(j.names) > 0 {
			break
		} else if err != nil {
			return j.tooLong(err)
		}
		if object := bytes.TrimSpace(line); len(object) > 0 && object[0] == '{' && j.line.check(object, false) == nil {
			j.flatten(object, add)
			n++
		}
	}
	j.rewind()
	switch _, err := j.nextObject(); {
	case err == io.EOF && j.half:
		return j.incomplete()
	case len(j.names) == 0 && err != nil && err != io.EOF:
		return err
	case len(j.names) == 0:
		return errors.Errorf("the first records of %s have no fields; write one JSON object with fields on each line", j.in.name)
	case len(j.names) > maxColumns:
		return errors.Errorf("the first records of %s have more than %d different fields; name the fields to read in Columns", j.in.name, maxColumns)
	}
	j.rewind()
	return nil
}

func (j *jsonRows) columns() []string { return j.names }

// read returns the next record.
func (j *jsonRows) read() ([]string, error) {
	clear(j.fields)
	object, err := j.nextObject()
	if err == nil {
		j.flatten(object, func(name, value []byte) {
			if place, ok := j.places[string(name)]; ok {
				if j.fields[place] != "" { // as "a.b" and {"a": {"b"}}
					err = j.badByte(0, comesTwice(j.names[place]))
				}
				j.value = j.appendText(j.value[:0], value)
				if j.comma[place] && value[0] != '"' {
					withComma(j.value)
				}
				j.fields[place] = string(j.value)
			}
		})
	}
	if errors.As(err, new(*RecordError)) {
		j.dropLine()
	}
	if err != nil {
		return nil, err
	}
	j.accept()
	return j.fields, nil
}

// nextObject returns the object of the next line that is not empty. The object is valid.
func (j *jsonRows) nextObject() ([]byte, error) {
	var object []byte
	for len(object) == 0 {
		j.skip()
		line, err := j.next()
		if err != nil {
			return nil, j.tooLong(err)
		}
		object = bytes.TrimSpace(line)
	}
	if object[0] != '{' {
		return nil, j.badByte(0, "expected a JSON object that begins with a brace")
	}
	if err := j.line.check(object, false); err != nil {
		return nil, j.badByte(j.indent()+err.ByteOffset+1, problem(err))
	}
	return object, nil
}

// indent returns the number of spaces before the object of the current line.
func (j *jsonRows) indent() int64 {
	line := j.buffer[j.start:j.scan]
	return int64(len(line) - len(bytes.TrimLeft(line, " \t\r\n")))
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
