package experiments

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
)

// The paper's numbers for Adult, typed once more from its text: Table 1 (accuracy in percent, mean ± deviation) and
// Table 4 (parameters in the embedding module; it has no other methods).
func TestPaperNumbers(t *testing.T) {
	type number struct {
		item, method string
		value, sd    float64 // sd < 0: none
	}
	want := []number{
		{"Table 1", "SlowAda", 82.2, 0.7},
		{"Table 1", "MediumAda", 74.8, 4.5},
		{"Table 1", "FastAda", 71.1, 4.0},
		{"Table 1", "PHE", 84.1, 0.2},
		{"Table 1", "EE", 84.2, 0.0},
		{"Table 1", "P-EE", 84.8, 0.0},
		{"Table 4", "PHE", 346, -1},
		{"Table 4", "P-EE", 3920, -1},
	}
	var got []number
	for _, table := range paperTables() {
		for _, c := range table.Cells {
			if table.Dataset != "adult" {
				continue
			}
			n := number{table.Item, c.Method, c.Value, -1}
			if c.SD != nil {
				n.sd = *c.SD
			}
			got = append(got, n)
		}
	}
	order := func(a, b number) int { return strings.Compare(a.item+a.method, b.item+b.method) }
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if !slices.Equal(got, want) {
		t.Errorf("paper.json has\n%v, the paper\n%v", got, want)
	}
	for _, table := range paperTables() {
		spec, err := LoadSpec(table.Spec)
		if err != nil {
			t.Error(err)
			continue
		}
		if spec.Dataset != table.Dataset || spec.Protocol.Name != table.Protocol {
			t.Errorf("%s: spec %s runs %s %s", table.Item, table.Spec, spec.Dataset, spec.Protocol.Name)
		}
		for _, c := range table.Cells {
			if !slices.ContainsFunc(spec.Methods, func(m Method) bool { return m.Name == c.Method }) {
				t.Errorf("%s: spec %s has no method %s to fill the cell", table.Item, table.Spec, c.Method)
			}
		}
	}
}

// writeSynthetic puts a result of round, made-up numbers into a folder: PHE measures 80 and 90 %, SlowAda has one
// complete seed and one that was stopped, FastAda diverged, and EE is missing.
func writeSynthetic(t *testing.T, folder, name string) {
	t.Helper()
	run := func(seed int64, status string, accuracy ...float64) result.Run {
		r := result.Run{Seed: seed, Status: status, Seconds: result.Seconds{Initial: 1, Predict: 2, Update: 3, Compile: 4}}
		for _, a := range accuracy {
			r.Rows, r.Accuracy, r.LogLikelihood = append(r.Rows, 80), append(r.Accuracy, a), append(r.LogLikelihood, -a)
		}
		return r
	}
	method := func(name string, frozen bool, runs ...result.Run) result.Method {
		return result.Method{Name: name, Frozen: frozen, Dataset: "adult", Protocol: "online", Convention: "authors", Scheme: "local", Parameters: 346, Runs: runs}
	}
	f := &result.File{Name: name, Status: result.Partial, Manifest: result.Manifest{Spec: json.RawMessage("{}"), Backend: "synthetic"}, Methods: []result.Method{
		method("PHE", false, run(0, result.Complete, 0.7, 0.9), run(1, result.Complete, 0.85, 0.95)),
		method("SlowAda", false, run(0, result.Complete, 0.75), run(1, result.Partial, 0.1)),
		method("FastAda", false, run(0, result.Diverged, 0.1)),
		method("PHE", true, run(0, result.Complete, 0.6)),
	}}
	if err := f.Write(filepath.Join(folder, name+".json")); err != nil {
		t.Fatal(err)
	}
}

// show writes out what a cell measured.
func show(c Cell) string {
	number := func(v *float64) string {
		if v == nil {
			return "nil"
		}
		return fmt.Sprintf("%.4g", *v)
	}
	return fmt.Sprintf("%s %s: paper %s sd %s, measured %s sd %s of %d, %s s", c.Item, c.Method, number(c.Paper), number(c.PaperSD),
		number(c.Measured), number(c.MeasuredSD), c.Seeds, number(c.Seconds))
}

func TestCompare(t *testing.T) {
	folder := t.TempDir()
	writeSynthetic(t, folder, "adult-online")
	cells, err := Compare(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cells {
		if c.Item == "Table 1" || c.Item == "Table 4" {
			got = append(got, show(c))
		}
	}
	want := []string{
		"Table 1 PHE: paper 84.1 sd 0.2, measured 85 sd 7.071 of 2, 10 s", // 80 and 90: sd 10/√2
		"Table 1 EE: paper 84.2 sd 0, measured nil sd nil of 0, nil s",
		"Table 1 P-EE: paper 84.8 sd 0, measured nil sd nil of 0, nil s",
		"Table 1 SlowAda: paper 82.2 sd 0.7, measured 75 sd nil of 1, 10 s", // the stopped seed does not count
		"Table 1 MediumAda: paper 74.8 sd 4.5, measured nil sd nil of 0, nil s",
		"Table 1 FastAda: paper 71.1 sd 4, measured nil sd nil of 0, nil s", // nor does one that diverged
		"Table 1 PHE (frozen): paper nil sd nil, measured 60 sd nil of 1, 10 s",
		"Table 4 PHE: paper 346 sd nil, measured 346 sd nil of 2, nil s",
		"Table 4 P-EE: paper 3920 sd nil, measured nil sd nil of 0, nil s",
	}
	if !slices.Equal(got, want) {
		t.Errorf("cells\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if c := cells[0]; c.Dataset != "adult" || c.Protocol != "online" || c.Convention != "authors" || c.Metric != "accuracy" || c.Backend != "synthetic" {
		t.Errorf("PHE's cell is %+v", c)
	}
}

func TestCompareWithoutResults(t *testing.T) {
	cells, err := Compare(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		if c.Paper == nil || c.Measured != nil || c.Seconds != nil || c.Seeds != 0 {
			t.Errorf("nothing was run: %s", show(c))
		}
	}
	if len(cells) < 8 {
		t.Errorf("%d cells; Tables 1 and 4 alone have 8", len(cells))
	}
	if !strings.Contains(Markdown(cells), "| 84.1 ± 0.2 | – |") {
		t.Errorf("a cell not measured yet should be a dash:\n%s", Markdown(cells))
	}
}

func TestCompareDamagedResult(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "adult-online.json")
	if err := result.WriteWhole(path, []byte("half a fi")); err != nil {
		t.Fatal(err)
	}
	_, err := Compare(folder)
	wantError(t, err, path, "not a result file")
	_, err = Table("1", folder)
	wantError(t, err, path, "not a result file")
}

func TestDeviations(t *testing.T) {
	p := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		name string
		cell Cell
		want float64 // NaN: there is none
	}{
		{"two below", Cell{Paper: p(80), PaperSD: p(0.5), Measured: p(79)}, -2},
		{"half above", Cell{Paper: p(80), PaperSD: p(4), Measured: p(82)}, 0.5},
		{"the paper's rounds to 0", Cell{Paper: p(80), PaperSD: p(0), Measured: p(82)}, math.NaN()},
		{"the paper has no deviation", Cell{Paper: p(80), Measured: p(82)}, math.NaN()},
		{"the paper has no number", Cell{PaperSD: p(1), Measured: p(82)}, math.NaN()},
		{"not measured", Cell{Paper: p(80), PaperSD: p(1)}, math.NaN()},
	} {
		got, ok := c.cell.Deviations()
		if ok == math.IsNaN(c.want) || ok && math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, %v; want %v", c.name, got, ok, c.want)
		}
	}
}

// Whoever reads `phe compare --json` relies on these names.
func TestCellJSON(t *testing.T) {
	content, err := json.Marshal(Cell{Spec: "not shown"})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(content, &fields); err != nil {
		t.Fatal(err)
	}
	var got []string
	for name := range fields {
		got = append(got, name)
	}
	want := []string{"item", "dataset", "method", "protocol", "convention", "metric", "paper", "paper_sd", "measured", "measured_sd", "seeds", "backend", "seconds"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("fields %q, want %q", got, want)
	}
	if fields["paper"] != nil || fields["measured_sd"] != nil {
		t.Errorf("a number that does not exist is %v, want null", fields["paper"])
	}
}

func TestTables(t *testing.T) {
	folder := t.TempDir()
	for _, name := range Tables() {
		_, err := Table(name, folder)
		wantError(t, err, folder, "holds no result of", "phe run adult-", "--out "+folder)
	}
	_, err := Table("99", folder)
	wantError(t, err, `"99"`, "choose one of 1, 4, schemes")

	for _, name := range []string{"adult-online", "adult-schemes", "adult-demo"} {
		writeSynthetic(t, folder, name)
	}
	for name, want := range map[string]string{
		"1":       "| Table 1 | adult | PHE | accuracy | 84.1 ± 0.2 | 85.00 ± 7.07 | +0.90 | +4.5 | 2 | 10.0 | authors | synthetic |",
		"4":       "| Table 4 | adult | PHE | parameters | 346 | 346 | +0 |  | 2 | – | authors | synthetic |",
		"schemes": "| PHE (frozen) | local |",
		"demo":    "| FastAda | local |",
	} {
		table, err := Table(name, folder)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(table, want) {
			t.Errorf("table %s has no row %s\n%s", name, want, table)
		}
		lines := strings.Split(strings.TrimSpace(table), "\n")
		for _, line := range lines {
			if strings.Count(line, "|") != strings.Count(lines[0], "|") {
				t.Errorf("table %s: a row of other width: %s", name, line)
			}
		}
	}
}

// TableCells is Table as data; it answers, or refuses, whatever Table does.
func TestTableCells(t *testing.T) {
	folder := t.TempDir()
	for _, name := range append(Tables(), "99") {
		if _, err := TableCells(name, folder); err == nil {
			t.Errorf("table %s: no error without results", name)
		}
	}
	writeSynthetic(t, folder, "adult-online")
	writeSynthetic(t, folder, "adult-demo")
	for name, want := range map[string]int{"1": 7, "4": 2, "demo": 8} { // demo: four methods, two metrics
		cells, err := TableCells(name, folder)
		if err != nil || len(cells) != want {
			t.Errorf("table %s: %d cells, error %v; want %d", name, len(cells), err, want)
		}
	}
}
