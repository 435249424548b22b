// Package text keeps a user's strings in JSON byte for byte.
//
// A JSON string is UTF-8. Go's encoder replaces every other byte by the same letter, so two items, ids or keys of another encoding
// become one. Here a string that is not UTF-8 is an object, {"base64": "..."}; every other string is written as always.
package text

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/pkg/errors"
)

// String is a string of any bytes.
type String string

// Decode reads a value of JSON that a program kept. A name that the value does not have is an error: a part would be lost.
func Decode(b []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return errors.WithStack(d.Decode(to))
}

// exact is the form of a string that is not UTF-8.
type exact struct {
	Bytes []byte `json:"base64"`
}

// MarshalJSON returns the string, or an object with its bytes.
func (s String) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(s)) {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false) // the caller decides
		err := encoder.Encode(string(s))
		return b.Bytes(), err
	}
	return json.Marshal(exact{[]byte(s)})
}

// UnmarshalJSON reads what MarshalJSON returned.
func (s *String) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '{' {
		return json.Unmarshal(b, (*string)(s))
	}
	var e exact
	if err := Decode(b, &e); err != nil {
		return errors.Wrap(err, "a string in base64")
	}
	*s = String(e.Bytes)
	return nil
}

// Strings is a list of strings of any bytes. It costs no more than a list of strings if all are UTF-8.
type Strings []string

// MarshalJSON returns the list of what String.MarshalJSON returns.
func (list Strings) MarshalJSON() ([]byte, error) {
	for _, s := range list {
		if !utf8.ValidString(s) {
			exact := make([]String, len(list))
			for i, s := range list {
				exact[i] = String(s)
			}
			return json.Marshal(exact)
		}
	}
	return json.Marshal([]string(list))
}

// UnmarshalJSON reads what MarshalJSON returned.
func (list *Strings) UnmarshalJSON(b []byte) error {
	if !bytes.Contains(b, []byte(`"base64"`)) {
		return json.Unmarshal(b, (*[]string)(list))
	}
	var exact []String
	if err := json.Unmarshal(b, &exact); err != nil {
		return err
	}
	*list = make(Strings, len(exact))
	for i, s := range exact {
		(*list)[i] = string(s)
	}
	return nil
}

// escape begins an escaped string.
const escape = "base64:"

// Escape returns a string of UTF-8 for a place where JSON takes nothing but a string, such as a name that a user may edit. Every
// string of UTF-8 stays as it is, except one that Unescape would change.
func Escape(s string) string {
	if utf8.ValidString(s) && Unescape(s) == s {
		return s
	}
	return escape + base64.StdEncoding.EncodeToString([]byte(s))
}

// Unescape returns the string that Escape was given.
func Unescape(s string) string {
	if in, found := strings.CutPrefix(s, escape); found {
		if b, err := base64.StdEncoding.DecodeString(in); err == nil && (!utf8.Valid(b) || Unescape(string(b)) != string(b)) {
			return string(b)
		}
	}
	return s
}

// Name is a string of any bytes that JSON has as Escape returns it.
type Name string

// MarshalText returns the name escaped.
func (n Name) MarshalText() ([]byte, error) { return []byte(Escape(string(n))), nil }

// UnmarshalText reads what MarshalText returned.
func (n *Name) UnmarshalText(b []byte) error {
	*n = Name(Unescape(string(b)))
	return nil
}
