package records

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Broken returns the index of the first byte of a JSON value that no text has: a byte that is not UTF-8, or the escape of half a
// surrogate pair. It returns −1 if there is none, or if it is not one value. encoding/json puts one letter in the place of each, and
// two names become one.
func Broken(b []byte) int {
	if utf8.Valid(b) && bytes.IndexByte(b, '\\') < 0 { // most texts, which need no parser
		return -1
	}
	var p parser
	err := p.check(b, true)
	if err == nil || !isValue(b) {
		return -1
	}
	return int(err.ByteOffset)
}

// isValue reports whether a text is one JSON value, perhaps with broken letters.
func isValue(text []byte) bool {
	return jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}
