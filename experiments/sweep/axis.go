// Package sweep searches hyperparameters on a validation part of a spec's initial rows, as the paper did before its experiments
// (Supp. E.3 and E.5). No row of the stream is looked at.
//
// A sweep is an ordinary spec: each method comes once for each point of the grid, and a share of the initial rows stands in
// place of the stream. So it runs, stops and goes on as every spec does.
package sweep

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pkg/errors"

	"gophe/phe/learn"
	"gophe/phe/nearest"
)

// Axis is one hyperparameter with the values to try.
type Axis struct {
	Path   string   `json:"path"`   // "model.learning_rate"; "update_epochs" is a field of the methods
	Values []string `json:"values"` // as JSON
}

// updateEpochs is the hyperparameter that is a field of methods. The others are of the model.
const updateEpochs = "update_epochs"

// model is how the paths of the model's fields begin.
const model = "model."

// excluded are fields of the model that methods say, or that are counted in the data.
var excluded = []string{"model.encoder.rows", "model.encoder.estimate", "model.encoder.capacity"}

// Paths lists the hyperparameters that can be tried.
func Paths() []string {
	paths := leaves(reflect.TypeFor[learn.Config](), model)
	paths = slices.DeleteFunc(paths, func(p string) bool { return slices.Contains(excluded, p) })
	return append(paths, updateEpochs)
}

// leaves lists the fields of a struct that are no structs, by their JSON paths.
func leaves(t reflect.Type, prefix string) (paths []string) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if t.Field(i).Type.Kind() == reflect.Struct {
			paths = append(paths, leaves(t.Field(i).Type, prefix+name+".")...)
			continue
		}
		paths = append(paths, prefix+name)
	}
	return paths
}

// kindOf returns the kind of a path's values.
func kindOf(path string) reflect.Kind {
	if path == updateEpochs {
		return reflect.Int
	}
	t := reflect.TypeFor[learn.Config]()
	for _, name := range strings.Split(strings.TrimPrefix(path, model), ".") {
		i := 0
		for tag := ""; tag != name; i++ {
			tag, _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
		}
		t = t.Field(i - 1).Type
	}
	return t.Kind()
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
	path, err := find(name)
	if err != nil {
		return Axis{}, err
	}
	a := Axis{Path: path}
	for _, word := range strings.Split(list, ",") {
		value, err := parseValue(path, strings.TrimSpace(word))
		if err != nil {
			return Axis{}, err
		}
		if slices.Contains(a.Values, value) {
			return Axis{}, errors.Errorf("--try %s lists %s twice", name, value)
		}
		a.Values = append(a.Values, value)
	}
	if kindOf(path) != reflect.String { // neighbours are next to each other
		slices.SortFunc(a.Values, func(x, y string) int { return compare(x, y) })
	}
	return a, nil
}

// compare compares two numbers in JSON.
func compare(x, y string) int {
	a, _ := strconv.ParseFloat(x, 64)
	b, _ := strconv.ParseFloat(y, 64)
	if a < b {
		return -1
	}
	return 1
}

// find returns the path that a name means.
func find(name string) (string, error) {
	paths := Paths()
	for _, p := range paths {
		if p == name || strings.HasSuffix(p, "."+name) {
			return p, nil
		}
	}
	var leaves []string
	for _, p := range paths {
		leaves = append(leaves, leaf(p))
	}
	if at := slices.Index(leaves, nearest.Name(leaf(name), leaves)); at >= 0 {
		return "", errors.Errorf("--try names %q, which is no parameter; did you mean %q?", name, paths[at])
	}
	return "", errors.Errorf("--try names %q, which is no parameter; choose from %s", name, strings.Join(paths, ", "))
}

// parseValue returns a value as JSON.
func parseValue(path, word string) (string, error) {
	switch kindOf(path) {
	case reflect.String:
		quoted, err := json.Marshal(word)
		return string(quoted), errors.Wrap(err, "encoding a value")
	case reflect.Float64:
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return "", errors.Errorf("--try %s lists %q, which is no number", path, word)
		}
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
	v, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		return "", errors.Errorf("--try %s lists %q, which is no whole number", path, word)
	}
	return fmt.Sprint(v), nil
}

// DefaultAxes is the grid of a sweep that names none: the learning rates that the paper searched on Adult (Supp. E.3), by table
// sizes of the paper's small and large models and one between them.
func DefaultAxes() []Axis {
	return []Axis{
		{"model.learning_rate", []string{"0.001", "0.005", "0.01", "0.05", "0.1"}},
		{"model.encoder.num_buckets", []string{"7", "23", "109"}},
	}
}
