package report

import (
	"gophe/experiments/spec"
	"gophe/phe/disk/filetest"
	"slices"
	"testing"
)

// Each study's specs exist, none runs twice, and together the studies run all that the paper's tables and ours show.
func TestStudies(t *testing.T) {
	if got := spec.Studies(); !slices.Equal(got, []string{"classification", "covertype-whole", "growth", "limitations", "movielens", "movielens-whole", "one-pass", "one-pass-ratings", "retail", "speed"}) {
		t.Errorf("studies %q", got)
	}
	runs := map[string]string{}
	for _, study := range spec.Studies() {
		specs, err := spec.LoadStudy(study)
		if err != nil {
			t.Errorf("%s: %v", study, err)
			continue
		}
		for i, name := range spec.StudyMembers()[study] {
			if specs[i].Name != name {
				t.Errorf("%s: spec %d is %s, want %s", study, i, specs[i].Name, name)
			}
			if other, twice := runs[name]; twice {
				t.Errorf("%s is in %s and %s", name, other, study)
			}
			runs[name] = study
		}
	}
	for _, table := range paperTables() {
		if runs[table.Spec] == "" {
			t.Errorf("%s needs %s, which no study runs", table.Item, table.Spec)
		}
	}
	for name, specs := range resultTables {
		for _, spec := range specs {
			if runs[spec] == "" && name != "demo" {
				t.Errorf("table %s needs %s, which no study runs", name, spec)
			}
		}
	}
	_, err := spec.LoadStudy("regression")
	filetest.WantError(t, err, `"regression"`, "choose one of classification, covertype-whole")
}
