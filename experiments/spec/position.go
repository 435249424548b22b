package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"gophe/phe/remedy/field"
	"reflect"
	"strings"
)

// position turns a byte offset into file:line:column. Lines and columns count from 1, and columns count bytes.
func position(file string, content []byte, offset int64) string {
	before := content[:max(0, min(int(offset), len(content)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", file, line, column)
}

// places holds the byte offsets of the keys and values of a spec file.
type places struct {
	keys    map[string]int64 // of known fields, by path: "model.encoder.num_buckets", "methods.2.rows"; and elements, "methods.2"
	values  []int64          // of every value, in order
	unknown int64            // of the first key that Spec does not have; -1 without
	loose   []looseKey       // what encoding/json lets pass
}

// looseKey is a key that encoding/json accepts and a reader would misread.
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

// fieldOf returns the name and the type of the field that encoding/json fills from a key. The type is nil if there is no field.
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

// value returns the offset at which the value begins that ends at an offset or surrounds it.
func (p places) value(offset int64) int64 {
	start := int64(0)
	for _, v := range p.values {
		if v < offset {
			start = v
		}
	}
	return start
}

// of returns the offset of the field that an error names. If the file leaves the field out, it returns the offset of the field
// that would hold it. A method inherits fields of the model, so its own setting is looked for first.
func (p places) of(err error) int64 {
	path := field.Path(err)
	candidates := upwards(path)
	if parts := strings.SplitN(path, ".", 3); parts[0] == "methods" && len(parts) == 3 && inherited(parts[2]) {
		own, path := "methods."+parts[1], parts[2]
		candidates = []string{own + path[strings.LastIndexByte(path, '.'):], own + "." + path, path, own}
	}
	for _, c := range candidates {
		if at, ok := p.keys[c]; ok {
			return at
		}
	}
	return p.value(0)
}

// inherited reports whether a path leads to a setting that all methods share.
func inherited(path string) bool {
	first, _, nested := strings.Cut(path, ".")
	return nested && (first == "model" || first == "filter" || first == "recommender")
}

// upwards returns a path and the paths of all that hold it, the innermost first.
func upwards(path string) (paths []string) {
	for path = strings.TrimSuffix(path, "."); path != ""; {
		paths = append(paths, path)
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return paths
}
