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
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for key, child := range value {
				walk(strings.TrimPrefix(path+"."+key, "."), child)
			}
			return
		case []any:
			if path == "methods" {
				for _, child := range value {
					child := child.(map[string]any)
					own := path + "." + child["name"].(string)
					all[own] = there
					walk(own, child)
				}
				return
			}
		}
		all[path] = string(encode(value))
	}
	var tree map[string]any
	if err := json.Unmarshal(encode(s), &tree); err != nil {
		panic(err) // it was encoded one line above
	}
	walk("", tree)
	return all
}
