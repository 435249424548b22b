package spec

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strings"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pkg/errors"

	"gophe/experiments/result"
	"gophe/experiments/spec/ownfile"
	"gophe/phe"
	"gophe/phe/disk"
	"gophe/phe/disk/outfile"
	"gophe/phe/models/dkf"
	"gophe/phe/models/ncf"
	"gophe/phe/models/tabular"
	"gophe/phe/remedy/nearest"
)

// Load reads a spec: one of Names, or a file whose path ends in .json.
func Load(name string) (Spec, error) {
	if strings.HasSuffix(name, ".json") {
		return read(name)
	}
	path := "specs/" + name + ".json"
	content, err := files.ReadFile(path)
	if err != nil {
		return Spec{}, errors.Errorf("no spec is called %q; %s (`phe list` lists all; a file of yours needs a path that ends in .json)",
			name, nearest.Choose(name, Names()))
	}
	return Parse(path, content)
}

// Write writes a spec as a file that Load reads, in place of one that is there.
func (s Spec) Write(path string) error {
	if err := s.Validate(); err != nil {
		return errors.WithMessagef(err, "spec %s", s.Name)
	}
	if s.Source != nil {
		moved, err := s.Source.From(filepath.Dir(path))
		if err != nil {
			return err
		}
		s.Source = moved
	}
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return errors.Wrapf(err, "encoding spec %s", s.Name)
	}
	own := outfile.Kind{Name: "the spec " + s.Name, Begins: `\{\s*"name":\s*"` + s.Name + `",\s*"title":`}
	return errors.WithMessagef(result.WriteWhole(path, own, append(content, '\n')), "writing spec %s", s.Name)
}

// maxSpecBytes bounds the size of a spec file, because each result repeats the spec and is written often.
const maxSpecBytes = 1 << 20

func read(path string) (Spec, error) {
	content, err := disk.ReadSettings(context.Background(), path, maxSpecBytes)
	if err != nil {
		return Spec{}, errors.WithMessage(err, "cannot read the spec, a file of a few kB; `phe list` lists the specs that come "+
			"with the program")
	}
	spec, err := Parse(path, content)
	if err == nil && spec.Source != nil {
		err = spec.locate(path, content)
	}
	return spec, err
}

// Parse decodes and validates a spec. Errors name file, line and column.
func Parse(file string, content []byte) (Spec, error) {
	spec := defaults(content)
	if err := strict.Unmarshal(content, &spec, strict.RejectUnknownMembers(true)); err != nil {
		return Spec{}, decodeError(file, content, err)
	}
	if err := spec.Validate(); err != nil {
		return Spec{}, errors.Errorf("%s: %s", position(file, content, findPlaces(content).of(err)), err)
	}
	return spec, nil
}

// defaults returns the defaults of the kind of model that a spec has.
func defaults(content []byte) Spec {
	var kind struct{ Filter, Recommender, Source, Model map[string]json.RawMessage }
	_ = json.Unmarshal(content, &kind) // Parse reports the error
	switch {
	case kind.Filter != nil:
		c := dkf.Paper()
		return Spec{Model: c.Config, Filter: &c.Filter}
	case kind.Recommender != nil:
		c := ncf.Paper()
		return Spec{Model: c.Config, Recommender: &Recommender{c.Hidden, c.StdDev, c.LabelInput}}
	}
	s, own := Spec{Model: tabular.Paper().Config}, Spec{Source: new(ownfile.Source)}
	_ = json.Unmarshal(kind.Model["encoder"], &own.Model.Encoder)
	if kind.Source != nil && (kind.Model["encoder"] == nil || own.Model.Encoder.HashDraws != 0 && own.Unsized()) {
		s.Model.Encoder, s.Model.Scope = phe.Config{}, "" // see [Spec.Sized]
	}
	return s
}

// decodeError adds to a decoding error its position in the file.
func decodeError(file string, content []byte, err error) error {
	var syntactic *jsontext.SyntacticError
	var semantic *strict.SemanticError
	switch {
	case bytes.HasPrefix(content, []byte("\xef\xbb\xbf")):
		return errors.Errorf("%s:1:1: the file begins with a byte-order mark; save it as UTF-8 without one", file)
	case len(bytes.TrimSpace(content)) == 0:
		return errors.Errorf("%s:1:1: the file is empty; copy a spec that `phe list` names and change it", file)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.Errorf("%s: not valid JSON: the file ends early; close every brace, bracket and quote",
			position(file, content, int64(len(content))))
	case errors.As(err, &syntactic) && errors.Is(err, jsontext.ErrDuplicateName):
		return errors.Errorf("%s: %s is there twice; leave one out",
			position(file, content, begin(content, syntactic.ByteOffset)), syntactic.JSONPointer.LastToken())
	case errors.As(err, &syntactic):
		hint := ""
		if strings.HasSuffix(syntactic.Err.Error(), "after top-level value") {
			hint = "; one file holds one spec"
		}
		return errors.Errorf("%s: not valid JSON: %s%s", position(file, content, syntactic.ByteOffset), syntactic.Err, hint)
	case !errors.As(err, &semantic):
		return errors.Errorf("%s: %s", position(file, content, 0), err)
	}
	path, places := pathOf(semantic.JSONPointer), findPlaces(content)
	at := places[path]
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.Is(err, strict.ErrUnknownName):
		name, hint := semantic.JSONPointer.LastToken(), ""
		if best := nearest.Name(name, fieldsOf(semantic.GoType)); best != "" {
			hint = fmt.Sprintf("did you mean %q? Else ", best)
		}
		return errors.Errorf("%s: unknown field %q; %sthe fields are those of specs/adult-online.json, "+
			"specs/retail-forecast.json and specs/movielens-small.json",
			position(file, content, at.name), name, hint)
	case errors.As(err, &wrongType): // of a type that reads its own JSON
		path += "." + wrongType.Field
		return errors.Errorf("%s: %s is a JSON %s where %s belongs", position(file, content, cmp.Or(places[path], at).value), path,
			wrongType.Value, kindOf(wrongType.Type))
	case semantic.Err != nil && semantic.JSONValue == nil: // of such a type, too
		return errors.Errorf("%s: %s: %s", position(file, content, at.value), path, strings.TrimPrefix(semantic.Err.Error(), "json: "))
	}
	return errors.Errorf("%s: %s is a JSON %s where %s belongs", position(file, content, at.value), cmp.Or(path, "the spec"),
		strings.TrimSpace(kinds[semantic.JSONKind]+" "+string(semantic.JSONValue)), kindOf(semantic.GoType))
}

// kinds holds the names of JSON's kinds of values.
var kinds = map[jsontext.Kind]string{'n': "null", 'f': "boolean", 't': "boolean", '"': "string", '0': "number", '{': "object", '[': "array"}

// fieldsOf returns the names of a struct's fields in JSON.
func fieldsOf(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// kindOf returns the name of a Go type for authors of specs.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	}
	if _, named := t.MethodByName("MarshalText"); named {
		return "a string"
	}
	return "an object"
}
