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

// begin makes a text the next one to parse. equal lets an object have equal names.
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

// Bounds of objects in objects. A deeper object stays JSON text.
const (
	maxDepth   = 64   // objects in objects
	maxName    = 1000 // bytes of the name of an object inside
	maxWithins = 16   // lists of objects, and texts of objects, in each other
)

// Nested lists the columns inside each object by the object's name, and the column of that name if there is one.
type Nested map[string][]string

// Nest returns the objects that the names of columns show: the column user.geo.zip is inside user.geo and user.
func Nest(columns []string) Nested {
	n := Nested{}
	for _, name := range columns {
		for at, dots := 0, 0; at < min(len(name), maxName) && dots < maxDepth; at++ {
			if name[at] == '.' {
				n[name[:at]] = append(n[name[:at]], name)
				dots++
			}
		}
	}
	for _, name := range columns {
		if n[name] != nil {
			n[name] = append(n[name], name)
		}
	}
	return n
}

// Object reads JSON objects as a Reader reads JSON lines.
type Object struct {
	Nested Nested  // of the columns that are read; nil reads as Options.OneLevel says
	looks  bool    // for columns: each text that is an object is taken apart
	level  int     // number of objects that this one is within
	inside *Object // reader of the objects inside
	line   parser  // of an object
	list   parser  // of an array inside
	name   []byte  // of a field
	ends   []int   // length of the name, with a point, of each object around
	value  []byte  // its text
}

func (o *Object) within() *Object {
	if o.inside == nil {
		o.inside = new(Object)
	}
	o.inside.Nested, o.inside.looks, o.inside.level = o.Nested, o.looks, o.level+1
	return o.inside
}

// Fields calls field for each field of a JSON object. Both slices are valid during the call. The error says that a name comes twice.
func (o *Object) Fields(object []byte, field func(name, value []byte)) error {
	if err := o.flatten("", object, field); err != nil {
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

// flatten calls field for each field of an object up to the first error, as "a.b" for a "b" in an object "a". before begins all names.
func (o *Object) flatten(before string, object []byte, field func(name, value []byte)) *jsontext.SyntacticError {
	p := &o.line
	p.begin(object, false)
	o.name, o.ends = append(o.name[:0], before...), append(o.ends[:0], len(before))
	_, err := p.ReadToken()
	for err == nil && p.StackDepth() > 0 {
		depth := len(o.ends)
		if p.PeekKind() == '}' {
			_, err = p.ReadToken()
			o.ends = o.ends[:depth-1]
			continue
		}
		var value jsontext.Value
		if value, err = p.ReadValue(); err != nil {
			break
		}
		o.name, _ = jsontext.AppendUnquote(o.name[:o.ends[depth-1]], value)
		if p.PeekKind() == '{' && (depth == 1 || o.Nested != nil && depth < maxDepth && len(o.name) < maxName) {
			_, err = p.ReadToken()
			o.name = append(o.name, '.')
			o.ends = append(o.ends, len(o.name))
		} else if value, err = p.ReadValue(); err == nil && !o.takeApart(value, field) {
			field(o.name, value)
		}
	}
	return p.end(object, err)
}

// takeApart calls field for each field inside a value: a list of objects, an object's text where the columns say that objects come, and
// nothing in place of such an object. It returns false if the value is one field.
func (o *Object) takeApart(value []byte, field func(name, value []byte)) bool {
	if o.Nested == nil || o.level == maxWithins || len(o.name) >= maxName {
		return false
	}
	inner := o.Nested[string(o.name)]
	switch {
	case value[0] == '[' && bytes.IndexByte(value, '{') > 0:
		o.gather(value, field)
		return true
	case inner == nil && !o.looks:
		return false
	case value[0] == '"' && value[1] == '{':
		text, _ := jsontext.AppendUnquote(nil, value)
		in := o.within()
		return in.line.check(text) == nil && in.flatten(string(o.name)+".", text, field) == nil
	case isNothing(value):
		for _, name := range inner {
			field([]byte(name), value)
		}
		return inner != nil
	}
	return false
}

// isNothing tells whether a value is null, an empty text, or a list without elements.
func isNothing(value []byte) bool {
	return value[0] == 'n' || string(value) == `""` || value[0] == '[' && len(bytes.TrimSpace(value[1:len(value)-1])) == 0
}

// gather calls field for each field of the objects in a list, with a list of the values. An object without the field has null there.
func (o *Object) gather(array []byte, field func(name, value []byte)) {
	var names []string
	lists, counts := map[string][]byte{}, map[string]int{}
	element := 0
	add := func(name, value []byte) {
		key := string(name)
		if counts[key] == 0 {
			names = append(names, key)
		}
		for ; counts[key] < element; counts[key]++ {
			lists[key] = append(lists[key], "null,"...)
		}
		lists[key] = append(append(lists[key], value...), ',')
		counts[key]++
	}
	in, p := o.within(), &o.list
	p.begin(array, true)
	for _, err := p.ReadToken(); err == nil && p.StackDepth() > 0; {
		if kind := p.PeekKind(); kind == '[' || kind == ']' {
			_, err = p.ReadToken()
			continue
		}
		var value jsontext.Value
		if value, err = p.ReadValue(); err == nil && value[0] == '{' {
			_ = in.flatten(string(o.name)+".", value, add) // it was checked with the whole
		} else if err == nil {
			add(o.name, value)
		}
		element++
	}
	for _, name := range names {
		for ; counts[name] < element; counts[name]++ {
			lists[name] = append(lists[name], "null,"...)
		}
		all := lists[name]
		field([]byte(name), append(append([]byte{'['}, all[:len(all)-1]...), ']'))
	}
}

// Text returns a value as the text of a field, which is valid until the next call. A number gets the column's mark, as withMark has it.
func (o *Object) Text(value []byte, mark byte) []byte {
	o.value = o.appendText(o.value[:0], value)
	if value[0]-'-' <= '9'-'-' {
		o.value = withMark(o.value, mark)
	}
	return o.value
}

// appendText appends a value as the text of a field. A string is appended without quotes, null as nothing, a number as it is
// written, and an array with a bar between its elements, and so are arrays inside. An object, and an array that holds one, keep their
// JSON text. So does an array of arrays with Options.OneLevel.
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
	before, first := len(to), true
	o.list.begin(array, true)
	for _, err := o.list.ReadToken(); err == nil && o.list.StackDepth() > 0; {
		kind := o.list.PeekKind()
		switch {
		case kind == '{' || kind == '[' && o.Nested == nil:
			return append(to[:before], array...)
		case kind == ']':
			_, err = o.list.ReadToken()
			first = false
			continue
		case !first:
			to = append(to, '|')
		}
		if first = kind == '['; first {
			_, err = o.list.ReadToken()
			continue
		}
		var value jsontext.Value
		if value, err = o.list.ReadValue(); err == nil {
			to = o.appendText(to, value)
		}
	}
	return to
}
