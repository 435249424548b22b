// Package sweep searches hyperparameters on a validation part of a spec's initial rows, as the paper did before its experiments
// (Supp. G.3 and G.5). No row of the stream is looked at.
//
// A sweep is an ordinary spec: each method comes once for each point of the grid, and a share of the initial rows replaces the
// stream. So it runs, stops and continues as every spec does. Call ParseAxis for each parameter, then New and Grid.Run.
package sweep

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/learn"
	"gophe/phe/remedy/nearest"
)

// Axis is one hyperparameter with the values to try.
type Axis struct {
	Path   string   // "model.learning_rate"; "update_epochs" is a field of the methods
	Values []string // as JSON
}

// updateEpochs is the hyperparameter that is a field of methods. The others are of the model.
const updateEpochs = "update_epochs"

// excluded are fields of the model that methods say, that are counted in the data, or that JSON has no values of.
var excluded = []string{"model.encoder.rows", "model.encoder.estimate", "model.encoder.capacity", "model.encoder.prior"}

// parameter is a hyperparameter that can be tried, by its JSON path.
type parameter struct {
	path string
	kind reflect.Kind // of its values
}

// parameters lists the hyperparameters.
func parameters() []parameter {
	list := leaves(reflect.TypeFor[learn.Config](), "model.")
	isExcluded := func(p parameter) bool { return slices.Contains(excluded, p.path) }
	return append(slices.DeleteFunc(list, isExcluded), parameter{updateEpochs, reflect.Int})
}

// leaves lists the fields of a struct that are no structs.
func leaves(t reflect.Type, prefix string) (list []parameter) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if own := f.Type; own.Implements(reflect.TypeFor[encoding.TextMarshaler]()) { // a value with a name
			list = append(list, parameter{prefix + name, reflect.String})
		} else if own.Kind() == reflect.Struct {
			list = append(list, leaves(own, prefix+name+".")...)
		} else {
			list = append(list, parameter{prefix + name, own.Kind()})
		}
	}
	return list
}

// leaf is the last word of a path, by which people know it.
func leaf(path string) string { return path[strings.LastIndex(path, ".")+1:] }

// ParseAxis reads a hyperparameter and its values, such as "model.learning_rate=0.001,0.01". The front of the path may be left
// out: "learning_rate" is enough.
func ParseAxis(text string) (Axis, error) {
	name, list, found := strings.Cut(text, "=")
	if !found || name == "" || list == "" {
		return Axis{}, errors.Errorf("--try is %q; write a parameter and its values, such as model.learning_rate=0.001,0.01,0.1", text)
	}
	p, err := find(name)
	if err != nil {
		return Axis{}, err
	}
	a := Axis{Path: p.path}
	for _, word := range strings.Split(list, ",") {
		value, err := p.parse(strings.TrimSpace(word))
		if err != nil {
			return Axis{}, err
		}
		if slices.Contains(a.Values, value) {
			return Axis{}, errors.Errorf("--try %s lists %s twice", name, value)
		}
		a.Values = append(a.Values, value)
	}
	if p.kind != reflect.String { // neighbours are next to each other
		slices.SortFunc(a.Values, func(x, y string) int {
			v, _ := strconv.ParseFloat(x, 64) // both are numbers
			w, _ := strconv.ParseFloat(y, 64)
			return cmp.Compare(v, w)
		})
	}
	return a, nil
}

// find returns the hyperparameter that a name means.
func find(name string) (parameter, error) {
	all := parameters()
	var paths, leaves []string
	for _, p := range all {
		if p.path == name || strings.HasSuffix(p.path, "."+name) {
			return p, nil
		}
		paths, leaves = append(paths, p.path), append(leaves, leaf(p.path))
	}
	if at := slices.Index(leaves, nearest.Name(leaf(name), leaves)); at >= 0 {
		return parameter{}, errors.Errorf("--try names %q, which is no parameter; did you mean %q?", name, paths[at])
	}
	return parameter{}, errors.Errorf("--try names %q, which is no parameter; choose from %s", name, strings.Join(paths, ", "))
}

// parse returns a value as JSON.
func (p parameter) parse(word string) (string, error) {
	switch p.kind {
	case reflect.String:
		quoted, err := json.Marshal(word)
		return string(quoted), err
	case reflect.Float64:
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return "", errors.Errorf("--try %s lists %q, which is no number", p.path, word)
		}
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
	v, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		return "", errors.Errorf("--try %s lists %q, which is no whole number", p.path, word)
	}
	return fmt.Sprint(v), nil
}

// defaultAxes is the grid of a sweep that names none: the learning rates that the paper searched on Adult (Supp. G.3), by table
// sizes of the paper's small and large models and one between them.
func defaultAxes() []Axis {
	return []Axis{
		{"model.learning_rate", []string{"0.001", "0.005", "0.01", "0.05", "0.1"}},
		{"model.encoder.num_buckets", []string{"7", "23", "109"}},
	}
}
