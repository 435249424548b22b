package spec

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/remedy/nearest"
)

//go:embed studies.json
var studiesJSON []byte

// StudyMembers returns the names of the specs of each study, in the order in which they run.
func StudyMembers() (all map[string][]string) {
	if err := json.Unmarshal(studiesJSON, &all); err != nil {
		panic(err) // embedded, and tested
	}
	return all
}

// Studies lists the names of the studies.
func Studies() []string { return slices.Sorted(maps.Keys(StudyMembers())) }

// LoadStudy reads the specs of a study.
func LoadStudy(name string) (specs []Spec, err error) {
	names, ok := StudyMembers()[name]
	if !ok {
		return nil, errors.Errorf("no study is called %q; %s", name, nearest.Choose(name, Studies()))
	}
	for _, n := range names {
		spec, err := Load(n)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	return specs, nil
}
