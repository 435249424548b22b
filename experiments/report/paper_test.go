package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// paperCells is the number of cells of the paper. TestReport holds their values to docs/reproduction/cells.csv.
const paperCells = 219

// A paper's cell names the spec that measures it: of its data set and protocol, and with its method.
func TestPaperSpecs(t *testing.T) {
	for _, table := range filetest.Some(t, paperTables(), "tables of the paper") {
		s, err := spec.Load(table.Spec)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Dataset != table.Dataset || s.Protocol.Name != table.Protocol {
			t.Errorf("%s: spec %s runs %s %s, the cell says %s %s", table.Item, table.Spec, s.Dataset, s.Protocol.Name, table.Dataset,
				table.Protocol)
		}
		isCounted := table.Metric == measure.Parameters || table.Metric == measure.CompressionRatio
		metrics := measure.Metrics(&result.Method{Protocol: table.Protocol, Convention: s.Convention()})
		if !isCounted && !slices.Contains(metrics, table.Metric) {
			t.Errorf("%s: protocol %s has no %s", table.Item, table.Protocol, table.Metric)
		}
		substitute := s
		if table.Substitute != "" {
			if substitute, err = spec.Load(table.Substitute); err != nil {
				t.Error(err)
			}
		}
		for _, c := range filetest.Some(t, table.Cells, "cells of "+table.Item) {
			for _, filling := range []spec.Spec{s, substitute} {
				hasMethod := slices.ContainsFunc(filling.Methods, func(m spec.Method) bool { return m.Name == c.Method })
				if table.Metric != measure.CompressionRatio && !hasMethod {
					t.Errorf("%s: spec %s has no method %s to fill the cell", table.Item, filling.Name, c.Method)
				}
			}
		}
		isWhole := table.Dataset == "ml-32m"
		isCut := table.Protocol == protocol.Recommend && !isWhole
		if isWhole != (table.Substitute != "") || isCut != (table.For == "ml-32m") {
			t.Errorf("%s of %s: substitute %q, for %q", table.Spec, table.Dataset, table.Substitute, table.For)
		}
		if cut := s.Protocol.Cut; strings.HasSuffix(table.Spec, "-stratified") != (cut == "stratified") {
			t.Errorf("%s cuts %s", table.Spec, cut)
		}
	}
}

// committedNames are the names of the committed results.
func committedNames(t *testing.T) (names []string) {
	for _, file := range filetest.Some(t, filetest.Must(filepath.Glob("../out/*.json"))(t), "results") {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	return names
}

// Each study's specs exist, none runs twice, and together the studies run all specs but the demo's and make all committed results. The
// index tells the time of each study whose data can be had.
func TestStudies(t *testing.T) {
	runs := map[string]string{}
	for _, study := range filetest.Some(t, spec.Studies(), "studies") {
		specs, err := spec.LoadStudy(study)
		if err != nil {
			t.Errorf("%s: %v", study, err)
			continue
		}
		for i, name := range filetest.Some(t, spec.StudyMembers()[study], "specs of the study "+study) {
			if specs[i].Name != name {
				t.Errorf("%s: spec %d is %s, want %s", study, i, specs[i].Name, name)
			}
			if other, twice := runs[name]; twice {
				t.Errorf("%s is in %s and %s", name, other, study)
			}
			runs[name] = study
		}
	}
	for _, table := range filetest.Some(t, paperTables(), "tables of the paper") {
		if runs[table.Spec] == "" {
			t.Errorf("%s needs %s, which no study runs", table.Item, table.Spec)
		}
	}
	for _, table := range filetest.Some(t, tables, "tables") {
		for _, spec := range strings.Fields(table.results) {
			if runs[spec] == "" && table.name != "demo" {
				t.Errorf("table %s needs %s, which no study runs", table.name, spec)
			}
		}
	}
	for _, name := range slices.Concat(spec.Names(), committedNames(t)) {
		if runs[name] == "" && name != "retail-demo" {
			t.Errorf("no study runs %s", name)
		}
	}
	index := string(filetest.Must(templates.ReadFile("pages/REPRODUCTION.md"))(t))
	for _, study := range spec.Studies() {
		if !strings.Contains(index, fmt.Sprintf("{{took %q}}", study)) && study != "movielens-whole" {
			t.Errorf("the index does not tell the time of %s", study)
		}
	}
	_, err := spec.LoadStudy("regression")
	filetest.WantError(t, err, `"regression"`, "choose one of classification, covertype-whole")
}
