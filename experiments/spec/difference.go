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
func Differences(before, after Spec) (all []Difference) {
	a, b := settings(before), settings(after)
	both := maps.Clone(a)
	maps.Copy(both, b)
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
	for _, m := range s.Methods {
		all["methods."+m.Name] = there
		addSettings(all, "methods."+m.Name, encode(m))
	}
	s.Methods = nil
	addSettings(all, "", encode(s))
	return all
}

// addSettings adds the settings in a JSON text to all, by their paths.
func addSettings(all map[string]string, path string, content []byte) {
	var value any
	if err := json.Unmarshal(content, &value); err != nil {
		panic(err) // it has just been encoded
	}
	node, inner := value.(map[string]any)
	if !inner {
		all[path] = string(encode(value))
	}
	for key, child := range node {
		addSettings(all, strings.TrimPrefix(path+"."+key, "."), encode(child))
	}
}
