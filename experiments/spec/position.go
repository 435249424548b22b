package spec

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gophe/phe/remedy/fieldpath"
)

// position turns a byte offset into file:line:column. Lines and columns count from 1, and columns count bytes.
func position(file string, content []byte, offset int64) string {
	before := content[:max(0, min(int(offset), len(content)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", file, line, column)
}

// place holds the byte offsets of a field's name and of its value. They are the same of an element, and of the whole file.
type place struct{ name, value int64 }

// places holds the places of a file's fields and elements by their paths, such as "model.encoder.num_buckets" and "methods.2".
type places map[string]place

// findPlaces walks through a file as far as it is valid JSON.
func findPlaces(content []byte) places {
	p := places{}
	for d := jsontext.NewDecoder(bytes.NewReader(content)); ; {
		at := begin(content, d.InputOffset())
		token, err := d.ReadToken()
		if err != nil {
			return p
		}
		path := pathOf(d.StackPointer())
		if found, again := p[path]; !again {
			p[path] = place{at, at}
		} else if found.value == found.name && token.Kind() != '}' && token.Kind() != ']' {
			p[path] = place{found.name, at}
		}
	}
}

// begin returns where the next name or value begins.
func begin(content []byte, at int64) int64 {
	return at + int64(len(content[at:])-len(bytes.TrimLeft(content[at:], " \t\r\n,:")))
}

// pathOf writes a JSON pointer as errors name fields.
func pathOf(p jsontext.Pointer) string {
	var names []string
	for name := range p.Tokens() {
		names = append(names, name)
	}
	return strings.Join(names, ".")
}

// of returns the offset of the field that an error names. If the file leaves the field out, it returns the offset of the field
// that would hold it. A method inherits fields of the model, so its own setting is looked for first.
func (p places) of(err error) int64 {
	path := fieldpath.Path(err)
	candidates := upwards(path)
	if parts := strings.SplitN(path, ".", 4); len(parts) == 4 && parts[0] == "methods" && slices.Contains(shared, parts[2]) {
		own, path := "methods."+parts[1], parts[2]+"."+parts[3]
		candidates = []string{own + path[strings.LastIndexByte(path, '.'):], own + "." + path, path, own}
	}
	for _, c := range candidates {
		if at, ok := p[c]; ok {
			return at.name
		}
	}
	return p[""].name
}

// shared names the parts of a spec whose settings all methods share.
var shared = []string{"model", "filter", "recommender"}

// upwards returns a path and the paths of all that hold it, the innermost first.
func upwards(path string) (paths []string) {
	for path = strings.TrimSuffix(path, "."); path != ""; {
		paths = append(paths, path)
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return paths
}
