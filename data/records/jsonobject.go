package records

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// flattener finds the fields of a JSON object that json.Valid has checked, so it checks nothing itself. Decoding the object
// into a map would take several times as long.
type flattener struct {
	field func(name, value []byte) // takes a field; both slices are valid during the call
	name  []byte                   // name of a field of a nested object, such as a.b
}

// object calls field for each field. A field "a" that holds an object with "b" becomes the field "a.b".
func (f *flattener) object(object []byte) {
	members(object, func(outer, value []byte) {
		if value[0] != '{' {
			f.field(outer, value)
			return
		}
		members(value, func(inner, value []byte) {
			f.name = append(append(append(f.name[:0], outer...), '.'), inner...)
			f.field(f.name, value)
		})
	})
}

// members calls do for each member of an object.
func members(object []byte, do func(name, value []byte)) {
	for i := pass(object, 1); object[i] != '}'; {
		end := valueEnd(object, i)
		name := unquote(object[i:end])
		i = pass(object, pass(object, end)+1) // to the colon and past it
		end = valueEnd(object, i)
		do(name, object[i:end])
		if i = pass(object, end); object[i] == ',' {
			i = pass(object, i+1)
		}
	}
}

// pass returns the index of the next byte that is not white space.
func pass(text []byte, i int) int {
	for text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r' {
		i++
	}
	return i
}

// valueEnd returns the index after the value that begins at i.
func valueEnd(text []byte, i int) int {
	switch text[i] {
	case '"':
		return stringEnd(text, i)
	case '{', '[':
		return groupEnd(text, i)
	}
	for i < len(text) && bytes.IndexByte([]byte(",]} \t\r\n"), text[i]) < 0 {
		i++
	}
	return i
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// groupEnd returns the index after the object or array that begins at i.
func groupEnd(text []byte, i int) int {
	for depth := 0; ; i++ {
		switch text[i] {
		case '"':
			i = stringEnd(text, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// unquote returns the text of a JSON string.
func unquote(quoted []byte) []byte {
	inside := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return inside
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return inside // a valid string always decodes
	}
	return []byte(text)
}

// appendText appends a value as the text of a field. A string is appended without quotes, null as nothing, a number as it is
// written, and an array with a bar between its elements. An object, and an array that holds one or another array, keep
// their JSON text.
func appendText(to, value []byte) []byte {
	switch value[0] {
	case '"':
		return append(to, unquote(value)...)
	case 'n':
		return to
	case '[':
		return appendArray(to, value)
	}
	return append(to, value...)
}

func appendArray(to, array []byte) []byte {
	before := len(to)
	for i := pass(array, 1); array[i] != ']'; {
		if array[i] == '[' || array[i] == '{' {
			return append(to[:before], array...)
		}
		end := valueEnd(array, i)
		to = appendText(to, array[i:end])
		if i = pass(array, end); array[i] == ',' {
			to = append(to, '|')
			i = pass(array, i+1)
		}
	}
	return to
}
