package spec

import (
	_ "embed"
	"encoding/json"
	"gophe/experiments/suggest"
	"maps"
	"slices"

	"github.com/pkg/errors"
)

//go:embed studies.json
var studiesJSON []byte

// StudyMembers are lists of specs that belong together, in the order in which they run.
func StudyMembers() map[string][]string {
	var all map[string][]string
	if err := json.Unmarshal(studiesJSON, &all); err != nil {
		panic(err) // embedded, and tested
	}
	return all
}

// Studies lists the names that LoadStudy takes.
func Studies() []string { return slices.Sorted(maps.Keys(StudyMembers())) }

// LoadStudy reads the specs of a study.
func LoadStudy(name string) ([]Spec, error) {
	names, ok := StudyMembers()[name]
	if !ok {
		return nil, errors.Errorf("no study is called %q; %s", name, suggest.Among(name, Studies()))
	}
	var specs []Spec
	for _, n := range names {
		spec, err := Load(n)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	return specs, nil
}
