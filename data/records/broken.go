package records

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Broken returns the index of the first byte of JSON that no text has: a byte that is not UTF-8, or the escape of half a surrogate
// pair. It returns −1 if there is none. Go's decoder puts one letter in the place of each, and two names become one.
func Broken(b []byte) int {
	if !utf8.Valid(b) {
		at := 0
		for r, size := utf8.DecodeRune(b); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(b[at:]) {
			at += size
		}
		return at
	}
	for at := 0; at < len(b); at += 2 {
		next := bytes.IndexByte(b[at:], '\\')
		if next < 0 {
			break
		}
		at += next
		high := escaped(b[at:])
		if !utf16.IsSurrogate(high) {
			continue
		}
		if utf16.DecodeRune(high, escaped(b[at+escapeSize:])) == utf8.RuneError {
			return at
		}
		at += 2*escapeSize - 2
	}
	return -1
}

// escapeSize is the number of bytes of an escape such as \u00e9.
const escapeSize = 6

// escaped returns the character of an escape \u at the beginning of JSON; 0 if there is none.
func escaped(b []byte) rune {
	if len(b) < escapeSize || b[0] != '\\' || b[1] != 'u' {
		return 0
	}
	r, _ := strconv.ParseUint(string(b[2:escapeSize]), 16, 16) // 0 after an error
	return rune(r)
}
