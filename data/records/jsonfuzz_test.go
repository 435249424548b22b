package records

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"gophe/phe/disk/filetest"
)

// FuzzJSONLines compares with the standard library's decoder.
func FuzzJSONLines(f *testing.F) {
	for _, text := range []string{
		`{"a":1,"b":"x"}`, `{"a":{"b":[1,null,"c"]},"d":{"e":{"f":1}}}`, `{"\u00e9\"":"\ud83d\ude00","\xff":"\xff"}`, `{"a":1,"a":2} `, ` {"a" : [ [ ] , { } ] }`, `{"a":tru}`, `[1]`,
		"{\"a\":\"\xe9\"}", `{"a\ud83d":"\\ud83d"}`, `{"a":"\ude00\ud83d\ude00"}`, `{"a":"\ud83d\ud83d\ude00"}`,
	} {
		f.Add([]byte(text + "\n" + `{"a":1e3}`))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		open := func() (*Reader, error) { return New(bytes.NewReader(text), "t.jsonl", Options{Format: JSONLines}) }
		all := checkResume(t, open, len(text))
		if len(all) == 0 {
			return
		}
		r := filetest.Must(open())(t)
		columns := r.Columns()
		text = bytes.TrimPrefix(text, byteOrderMark)
		i := 0
		for line := range bytes.SplitSeq(text, []byte("\n")) {
			if line = bytes.Trim(line, " \t\r\n\v\f\u0085\u00a0"); len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			want, ok := expected(line)
			if ok != (all[i].err == "") {
				t.Fatalf("%q: %v", line, all[i])
			}
			for c, name := range columns {
				if ok && all[i].fields[c] != want[name] {
					t.Fatalf("%q, %q: %q instead of %q", line, name, all[i].fields[c], want[name])
				}
			}
			i++
		}
		if i != len(all) {
			t.Fatalf("%d records of %d lines", len(all), i)
		}
	})
}

// halfPair finds the escape of half a surrogate pair where escaped backslashes and whole pairs are gone.
var (
	backslash = regexp.MustCompile(`\\\\`)
	wholePair = regexp.MustCompile(`(?i)\\ud[89ab]..\\ud[c-f]..`)
	halfPair  = regexp.MustCompile(`(?i)\\ud[89a-f]`)
)

// expected returns the fields of an object as the standard library's decoder finds them. It returns false if the line is not an object,
// or names a field twice.
func expected(line []byte) (map[string]string, bool) {
	half := halfPair.Match(wholePair.ReplaceAll(backslash.ReplaceAll(line, []byte("-")), []byte("-")))
	if !json.Valid(line) || line[0] != '{' || !utf8.Valid(line) || half {
		return nil, false
	}
	fields, once := map[string]string{}, jsontext.Value(line).IsValid()
	add := func(name string, value json.RawMessage) {
		once = once && fields[name] == ""
		fields[name] = expectedText(value)
	}
	eachMember(line, func(outer string, value json.RawMessage) {
		if value[0] != '{' {
			add(outer, value)
			return
		}
		eachMember(value, func(inner string, value json.RawMessage) { add(outer+"."+inner, value) })
	})
	return fields, once
}

func eachMember(object []byte, do func(string, json.RawMessage)) {
	d := json.NewDecoder(bytes.NewReader(object))
	d.Token()
	for d.More() {
		name, _ := d.Token()
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			panic(err)
		}
		do(name.(string), value)
	}
}

func expectedText(value json.RawMessage) string {
	var text string
	var items []json.RawMessage
	switch {
	case string(value) == "null":
		return ""
	case value[0] == '"':
		json.Unmarshal(value, &text)
		return text
	case value[0] == '[':
		json.Unmarshal(value, &items)
		texts := make([]string, len(items))
		for i, item := range items {
			if item[0] == '{' || item[0] == '[' {
				return string(value)
			}
			texts[i] = expectedText(item)
		}
		return strings.Join(texts, "|")
	}
	return string(value)
}
