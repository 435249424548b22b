package records

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pkg/errors"
)

// parser parses one JSON text after another. It refuses letters that are not UTF-8.
type parser struct {
	*jsontext.Decoder
	text bytes.Reader
}

// begin makes a text the next one to parse, whose objects may have equal names.
func (p *parser) begin(text []byte, equal bool) {
	p.text.Reset(text)
	if p.Decoder == nil {
		p.Decoder = new(jsontext.Decoder)
	}
	p.Reset(&p.text, jsontext.AllowDuplicateNames(equal))
}

// check returns an error unless a text is one JSON value. An object may have equal names if that is said.
func (p *parser) check(text []byte, equal bool) *jsontext.SyntacticError {
	p.begin(text, equal)
	_, err := p.ReadValue()
	end := p.InputOffset()
	if err == nil {
		_, err = p.ReadToken()
	}
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil: // another value follows
		at := len(text) - len(bytes.TrimLeft(text[end:], " \t\r\n"))
		return &jsontext.SyntacticError{ByteOffset: int64(at), Err: errors.Errorf("invalid character %q after top-level value", text[at])}
	case errors.As(err, &syntax):
		return syntax
	case err != io.EOF:
		return &jsontext.SyntacticError{ByteOffset: p.InputOffset(), Err: err}
	}
	return nil
}

// flatten calls field for each field of a checked object. Both slices are valid during the call. A field "a" that holds an object with
// "b" becomes the field "a.b".
func (j *jsonRows) flatten(object []byte, field func(name, value []byte)) {
	p := &j.line
	p.begin(object, true)
	_, _ = p.ReadToken() // no error, as of all that follows: the object was checked
	for p.PeekKind() != '}' {
		j.name = p.appendName(j.name[:0])
		if p.PeekKind() != '{' {
			value, _ := p.ReadValue()
			field(j.name, value)
			continue
		}
		_, _ = p.ReadToken()
		for outer := len(j.name); p.PeekKind() != '}'; {
			j.name = p.appendName(append(j.name[:outer], '.'))
			value, _ := p.ReadValue()
			field(j.name, value)
		}
		_, _ = p.ReadToken()
	}
}

// appendName appends the name that comes next.
func (p *parser) appendName(to []byte) []byte {
	quoted, _ := p.ReadValue()
	to, _ = jsontext.AppendUnquote(to, quoted)
	return to
}

// appendText appends a value as the text of a field. A string is appended without quotes, null as nothing, a number as it is
// written, and an array with a bar between its elements. An object, and an array that holds one or another array, keep
// their JSON text.
func (j *jsonRows) appendText(to, value []byte) []byte {
	switch value[0] {
	case '"':
		to, _ = jsontext.AppendUnquote(to, value)
		return to
	case 'n':
		return to
	case '[':
		return j.appendArray(to, value)
	}
	return append(to, value...)
}

func (j *jsonRows) appendArray(to, array []byte) []byte {
	before := len(to)
	j.list.begin(array, true)
	_, _ = j.list.ReadToken()
	for n := 0; j.list.PeekKind() != ']'; n++ {
		if kind := j.list.PeekKind(); kind == '[' || kind == '{' {
			return append(to[:before], array...)
		}
		if n > 0 {
			to = append(to, '|')
		}
		value, _ := j.list.ReadValue()
		to = j.appendText(to, value)
	}
	return to
}
