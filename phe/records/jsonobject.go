package records

import (
	"bytes"
	"fmt"
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

// check returns an error unless a text is one JSON value, whose objects have no equal names.
func (p *parser) check(text []byte) *jsontext.SyntacticError {
	p.begin(text, false)
	_, err := p.ReadValue()
	return p.end(text, err)
}

// end returns what is wrong with a text: the error of its value, or what follows the value.
func (p *parser) end(text []byte, err error) *jsontext.SyntacticError {
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

// Object reads JSON objects as a Reader reads those of JSON lines.
type Object struct {
	line  parser // of an object
	list  parser // of an array inside
	name  []byte // of a field
	value []byte // its text
}

// Fields calls field for each field of a JSON object. Both slices are valid during the call. The error says that a name comes twice.
func (o *Object) Fields(object []byte, field func(name, value []byte)) error {
	if err := o.flatten(object, field); err != nil {
		return errors.New(problem(err))
	}
	return nil
}

// problem says what is wrong with an object.
func problem(err *jsontext.SyntacticError) string {
	if err.Err == jsontext.ErrDuplicateName {
		return comesTwice(err.JSONPointer.LastToken())
	}
	return "invalid JSON: " + err.Err.Error()
}

func comesTwice(name string) string { return fmt.Sprintf("the field %.60q comes twice", name) }

// flatten calls field for each field of an object up to the first error. A field "a" that holds an object with "b" becomes the field "a.b".
func (o *Object) flatten(object []byte, field func(name, value []byte)) *jsontext.SyntacticError {
	p, outer := &o.line, 0 // length of the name of the object inside, with a point
	p.begin(object, false)
	_, err := p.ReadToken()
	for err == nil && p.StackDepth() > 0 {
		if p.PeekKind() == '}' {
			_, err = p.ReadToken()
			outer = 0
			continue
		}
		var value jsontext.Value
		if value, err = p.ReadValue(); err != nil {
			break
		}
		o.name, _ = jsontext.AppendUnquote(o.name[:outer], value)
		if outer == 0 && p.PeekKind() == '{' {
			_, err = p.ReadToken()
			o.name = append(o.name, '.')
			outer = len(o.name)
		} else if value, err = p.ReadValue(); err == nil {
			field(o.name, value)
		}
	}
	return p.end(object, err)
}

// Text returns a value as the text of a field, which is valid until the next call. A number gets a column's mark of decimals: a comma if
// the column's text has decimal commas, and 0 keeps the point.
func (o *Object) Text(value []byte, mark byte) []byte {
	o.value = o.appendText(o.value[:0], value)
	if value[0]-'-' <= '9'-'-' {
		o.value = withMark(o.value, mark)
	}
	return o.value
}

// appendText appends a value as the text of a field. A string is appended without quotes, null as nothing, a number as it is
// written, and an array with a bar between its elements. An object, and an array that holds one or another array, keep
// their JSON text.
func (o *Object) appendText(to, value []byte) []byte {
	switch value[0] {
	case '"':
		to, _ = jsontext.AppendUnquote(to, value)
		return to
	case 'n':
		return to
	case '[':
		return o.appendArray(to, value)
	}
	return append(to, value...)
}

func (o *Object) appendArray(to, array []byte) []byte {
	before := len(to)
	o.list.begin(array, true)
	_, _ = o.list.ReadToken()
	for n := 0; o.list.PeekKind() != ']'; n++ {
		if kind := o.list.PeekKind(); kind == '[' || kind == '{' {
			return append(to[:before], array...)
		}
		if n > 0 {
			to = append(to, '|')
		}
		value, _ := o.list.ReadValue()
		to = o.appendText(to, value)
	}
	return to
}
