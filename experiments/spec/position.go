package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// position turns a byte offset into file:line:column; lines and columns count from 1, and columns count bytes.
func position(file string, content []byte, offset int64) string {
	before := content[:max(0, min(int(offset), len(content)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", file, line, column)
}

// places says where in a spec file everything stands, as byte offsets.
type places struct {
	keys    map[string]int64 // of known fields, by path: "model.encoder.num_buckets", "methods.2.rows"; and elements, "methods.2"
	values  []int64          // of every value, in order
	unknown int64            // of the first key that Spec does not have; -1 without
	loose   []looseKey       // what encoding/json lets pass
}

// looseKey is a key that a reader and encoding/json would take for different things.
type looseKey struct {
	at    int64
	fault string
}

// findPlaces walks through a file that is valid JSON.
func findPlaces(content []byte) places {
	p := places{keys: map[string]int64{}, unknown: -1}
	d := json.NewDecoder(bytes.NewReader(content))
	next := func() int64 { // where the next token begins
		at := d.InputOffset()
		return at + int64(len(content[at:])-len(bytes.TrimLeft(content[at:], " \t\r\n,:")))
	}
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		p.values = append(p.values, next())
		token, err := d.Token()
		delimiter, nested := token.(json.Delim)
		if err != nil || !nested {
			return
		}
		seen := map[string]bool{}
		for i := 0; d.More(); i++ {
			at := next()
			if delimiter == '[' {
				element := fmt.Sprint(path, i)
				p.keys[element] = at
				walk(elementOf(t), element+".")
				continue
			}
			key, err := d.Token()
			if err != nil {
				return
			}
			name, field := fieldOf(t, key.(string))
			switch {
			case seen[name]:
				p.loose = append(p.loose, looseKey{at, fmt.Sprintf("%s is there twice; leave one out", name)})
			case field != nil && name != key:
				p.loose = append(p.loose, looseKey{at, fmt.Sprintf("unknown field %q; it is written %q", key, name)})
			}
			seen[name] = true
			if field != nil {
				p.keys[path+name] = at
			} else if p.unknown < 0 {
				p.unknown = at
			}
			walk(field, path+name+".")
		}
		_, _ = d.Token() // the closing delimiter
	}
	walk(reflect.TypeFor[Spec](), "")
	return p
}

// fieldOf finds the field that encoding/json fills from a key: its own name, and its type, nil where there is none.
func fieldOf(t reflect.Type, key string) (string, reflect.Type) {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return key, nil
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "-" && strings.EqualFold(name, key) {
			return name, t.Field(i).Type
		}
	}
	return key, nil
}

func elementOf(t reflect.Type) reflect.Type {
	if t == nil || t.Kind() != reflect.Slice {
		return nil
	}
	return t.Elem()
}

// value is where the value that ends at or surrounds an offset begins.
func (p places) value(offset int64) int64 {
	start := int64(0)
	for _, v := range p.values {
		if v < offset {
			start = v
		}
	}
	return start
}

// methodError is an error of one method, by its number.
type methodError struct {
	method int
	error
}

// of is where the field stands that the error is about: the first word of its first clause that is one. Where the file
// leaves the field out, it is where it could have been.
func (p places) of(err error) int64 {
	clause, _, _ := strings.Cut(err.Error(), ";")
	prefixes, otherwise := []string{"", "protocol.", "source.", "model.", "model.encoder.", "filter.", "recommender."}, ""
	if m, ok := err.(methodError); ok {
		otherwise = fmt.Sprint("methods.", m.method)
		prefixes = []string{otherwise + ".", "model.", "model.encoder.", "filter.", "recommender."}
	}
	for _, word := range regexp.MustCompile(`\w+(\.\w+)*`).FindAllString(clause, -1) {
		for _, prefix := range prefixes {
			if at, ok := p.keys[prefix+word]; ok {
				return at
			}
		}
	}
	if at, ok := p.keys[otherwise]; ok {
		return at
	}
	return p.value(0)
}
