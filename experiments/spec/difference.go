package spec

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Difference is a setting that two specs have with different values.
type Difference struct {
	Setting       string // by its path, such as model.encoder.num_buckets, or methods.PHE.update_epochs
	Before, After string // as JSON; empty where a spec leaves the setting out
}

// there is the value of a method that a spec has.
const there = "there"

// Differences lists the settings in which two specs differ, sorted by their paths. Names and titles do not count. A method that only one
// of them has is one difference.
func Differences(before, after Spec) []Difference {
	a, b := settings(before), settings(after)
	both := maps.Clone(a)
	maps.Copy(both, b)
	var all []Difference
	skip := "\x00"
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if a[name] == b[name] || strings.HasPrefix(name, skip) {
			continue
		}
		all = append(all, Difference{name, a[name], b[name]})
		if a[name] == there || b[name] == there {
			skip = name + "."
		}
	}
	return all
}

// settings returns the JSON of each setting of a spec by its path.
func settings(s Spec) map[string]string {
	s.Name, s.Title, s.StreamOf = "", "", ""
	all := map[string]string{}
	tree := func(plain any) (t map[string]any) {
		if err := json.Unmarshal(encode(plain), &t); err != nil {
			panic(err) // it has just been encoded
		}
		return t
	}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		node, inner := value.(map[string]any)
		if !inner {
			all[path] = string(encode(value))
		}
		for key, child := range node {
			walk(strings.TrimPrefix(path+"."+key, "."), child)
		}
	}
	for _, m := range s.Methods {
		all["methods."+m.Name] = there
		walk("methods."+m.Name, tree(m))
	}
	s.Methods = nil
	walk("", tree(s))
	return all
}
