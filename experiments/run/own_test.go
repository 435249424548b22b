package run

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec"
	"gophe/experiments/spec/ownfile"
	"gophe/experiments/spec/protocol"
	"gophe/experiments/spec/protocol/protocoltest"
	"gophe/experiments/task"
	"gophe/phe"
	"gophe/phe/disk/filetest"
)

// visits is a file of rows in which one in three visitors buys, and numbers grow along the file.
func visits(rows int) string {
	var b strings.Builder
	b.WriteString("visitor,city,basket,buys\n")
	for i := range rows {
		fmt.Fprintf(&b, "v%d,c%d,%d.5,%s\n", i*i%(5+i/40), i%3, 1+i, []string{"no", "yes", "no"}[i%(5+i/40)%3])
	}
	return b.String()
}

// ownSpec is tiny on a file of visits.
func ownSpec(t *testing.T, rows int) (s spec.Spec, folder string) {
	t.Helper()
	folder = t.TempDir()
	filetest.Check(t, os.WriteFile(filepath.Join(folder, "visits.csv"), []byte(visits(rows)), 0o644))
	s = tiny(t)
	s.Dataset = "visits"
	s.Source = &ownfile.Source{File: "visits.csv", Target: "buys", Incremental: "visitor", Number: []string{"basket"}}
	filetest.Check(t, s.Source.Locate(folder))
	s.Protocol = protocol.Spec{Name: protocol.InOrder, InitialFraction: 0.3, InitialEpochs: 2, ChunkRows: 30, MaxChunks: 3}
	return s, folder
}

// writeSpec writes a spec as a file, changed as a text.
func writeSpec(t *testing.T, spec spec.Spec, folder string, oldNew ...string) string {
	t.Helper()
	content := filetest.Must(json.MarshalIndent(spec, "", "  "))(t)
	text := strings.NewReplacer(oldNew...).Replace(string(content))
	if len(oldNew) > 0 && text == string(content) {
		t.Fatalf("the spec has no %s", oldNew[0])
	}
	path := filepath.Join(folder, "visits.json")
	filetest.Check(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// Every kind of method runs on a person's own file, and every rule.
func TestOwnFile(t *testing.T) {
	s, folder := ownSpec(t, 300)
	s.Methods = append(s.Methods,
		spec.Method{Name: "EE", Rows: phe.Vocabulary, Estimate: phe.Point, UpdateEpochs: 1},
		spec.Method{Name: "P-EE", Rows: phe.Vocabulary, Estimate: phe.Posterior, UpdateEpochs: 1},
		spec.Method{Name: "One pass", Rows: phe.Hashed, Estimate: phe.Posterior, Rule: spec.OnePass},
		spec.Method{Name: "AdPredictor", Rows: phe.Vocabulary, Estimate: phe.Posterior, Rule: spec.AdPredictor},
		spec.Method{Name: "Bayesian", Rows: phe.Vocabulary, Estimate: phe.Posterior, Rule: spec.BayesianLogistic},
		spec.Method{Name: "Refitted", Rows: phe.Vocabulary, Estimate: phe.Point, Rule: spec.RefittedLogistic})
	s, err := spec.Load(writeSpec(t, s, folder))
	filetest.Check(t, err)
	o := options(t, t.TempDir())
	said := ""
	o.Say = func(note string) { said += note + "\n" }
	f := mustRun(t, s, o)
	filetest.WantEqual(t, f.Status, result.Complete, "status")
	filetest.WantEqual(t, len(f.Methods), 9+8+2, "number of methods")
	filetest.WantEqual(t, f.Manifest.DataSHA256, filetest.Must(s.Source.Checksum())(t), "checksum")
	filetest.WantEqual(t, f.Manifest.Dataset, "visits", "dataset")
	table := f.Manifest.Table
	filetest.WantEqual(t, table.Incremental, "visitor", "incremental column")
	filetest.WantEqual(t, table.Rows, 300, "number of rows")
	filetest.WantEqual(t, table.Numeric, []string{"basket"}, "numbers")
	again := filetest.Must(spec.Parse("manifest", f.Manifest.Spec))(t)
	filetest.WantEqual(t, again.Fingerprint(), s.Fingerprint(), "the manifest's spec")
	fixture.WantText(t, said, `the probability of buys: "yes"`, `column "visitor"`)
}

// A person's file is cut by the protocols of the paper, and the plan's initial rows decide the unit of its numbers.
func TestOwnFileProtocols(t *testing.T) {
	for name, p := range protocoltest.Full {
		if !tinyOf(t, name).OfTable() {
			continue
		}
		s, _ := ownSpec(t, 900)
		s.Protocol = p
		s.Protocol.Groups = min(p.Groups, 2)
		if name == protocol.Growing { // one visitor appears after the other
			s.Protocol.MaxChunks = 0
		}
		_, plan := loaded(t, s)
		largest := 0.0
		for _, row := range plan.Initial {
			largest = max(largest, plan.Table.Numeric[0].Values[row])
		}
		filetest.WantEqual(t, largest, 1, "%s: the largest initial number", name)
		for i, v := range task.Itemise(plan.Table).Numbers { // the file's numbers are 1.5, 2.5, …
			if want := (1.5 + float64(i)) / (1.5 + float64(slices.Max(plan.Initial))); name == protocol.InOrder {
				filetest.WantEqual(t, v, float32(want), "row %d", i)
			}
		}
	}
}

// An identity depends on how the file is read, and not on its place.
func TestOwnFileIdentity(t *testing.T) {
	source := func(c func(*ownfile.Source)) change {
		return func(s *spec.Spec, _ *spec.Method) {
			other := *s.Source
			c(&other)
			s.Source = &other
		}
	}
	s, _ := ownSpec(t, 30)
	wantIdentities(t, func() spec.Spec { return s }, map[string]change{
		"path":     source(func(s *ownfile.Source) { s.File = "elsewhere/visits.csv" }),
		"checksum": source(func(s *ownfile.Source) { s.SHA256 = strings.Repeat("a", 64) }),
	}, map[string]change{
		"target":    source(func(s *ownfile.Source) { s.Target = "city=c0" }),
		"condition": source(func(s *ownfile.Source) { s.Where = "city=c0" }),
		"column":    source(func(s *ownfile.Source) { s.Drop = []string{"city"} }),
	})
}

// A file that has changed is neither resumed nor taken for a finished result's file.
func TestOwnFileChanged(t *testing.T) {
	spec, folder := ownSpec(t, 300)
	o := options(t, t.TempDir())
	mustRun(t, spec, o)
	mustRun(t, spec, o) // the finished result is there
	filetest.Check(t, os.WriteFile(filepath.Join(folder, "visits.csv"), []byte(visits(301)), 0o644))
	for _, o.Existing = range []Existing{Keep, Resume} {
		filetest.WantError(t, filetest.Failure(Execute(context.Background(), spec, o)), "visits.csv has changed", "--force")
	}
	o.Existing = Replace
	filetest.WantEqual(t, mustRun(t, spec, o).Manifest.Table.Rows, 301, "number of rows")
}

// Errors in a spec's source say where it is wrong.
func TestOwnFileSpecErrors(t *testing.T) {
	s, folder := ownSpec(t, 30)
	lone := s // without the fields that a schema file replaces
	lone.Source = &ownfile.Source{File: "visits.csv", Target: "buys"}
	for _, c := range []struct {
		spec     spec.Spec
		old, new string
		want     []string
	}{
		{s, `"dataset": "visits"`, `"dataset": "adult"`, []string{"visits.json:4:3: ", "which the program knows"}},
		{s, `"dataset": "visits"`, `"dataset": "My visits"`, []string{"visits.json:4:3: ", "lower-case"}},
		{s, `"target": "buys"`, `"taget": "buys"`, []string{"visits.json:59:5: ", `unknown field "taget"`}},
		{s, `"target": "buys"`, `"target": ""`, []string{"visits.json:57:3: ", "source.target is missing"}},
		{lone, `"target": "buys"`, `"schema_file": "no.json"`, []string{"visits.json:59:5: ", "source.schema_file cannot be read"}},
		{s, `"target": "buys"`, `"target": "buys", "bad": "ignore"`, []string{"visits.json:59:23: ", `source.bad is "ignore"`}},
		{s, `"name": "in-order"`, `"name": "two-items"`, []string{"visits.json:57:3: ", "source is a table"}},
	} {
		_, err := spec.Load(writeSpec(t, c.spec, folder, c.old, c.new))
		filetest.WantError(t, err, c.want...)
	}
}
