package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// synthetic opens a folder with results of round, made-up numbers: PHE measures 80 and 90 %, SlowAda has one complete seed and one that was
// stopped, FastAda diverged, and EE is missing.
func synthetic(t *testing.T, names ...string) *result.Folder {
	t.Helper()
	run := func(seed int64, status string, accuracy ...float64) result.Run {
		r := result.Run{Seed: seed, Status: status, Seconds: result.Seconds{Initial: 1, Predict: 2, Update: 3, Compile: 4}}
		for _, a := range accuracy {
			r.Rows, r.Accuracy, r.LogLikelihood = append(r.Rows, 80), append(r.Accuracy, a), append(r.LogLikelihood, -a)
		}
		return r
	}
	method := func(name string, frozen bool, runs ...result.Run) result.Method {
		m := result.Method{Name: name, Frozen: frozen, Dataset: "adult", Protocol: "online", Runs: runs}
		m.Convention, m.Scheme, m.Parameters = "authors", "local", 346
		return m
	}
	all := results{}
	for _, name := range names {
		all[name] = []result.Method{
			method("PHE", false, run(0, result.Complete, 0.7, 0.9), run(1, result.Complete, 0.85, 0.95)),
			method("SlowAda", false, run(0, result.Complete, 0.75), run(1, result.Partial, 0.1)),
			method("FastAda", false, run(0, result.Diverged, 0.1)),
			method("PHE", true, run(0, result.Complete, 0.6)),
		}
	}
	return all.open(t)
}

func p(v float64) *float64 { return &v }

// show renders a cell's measurements.
func show(c Cell) string {
	return fmt.Sprintf("%s %s: paper %s, measured %s of %d, %s s", c.Item, c.Method, measure.Estimate{Mean: c.Paper, SD: c.PaperSD}.Text(2),
		measure.Estimate{Mean: c.Measured, SD: c.MeasuredSD}.Text(3), c.Seeds, measure.Optional(c.Seconds, 1))
}

func TestCompare(t *testing.T) {
	cells := filetest.Must(Compare(synthetic(t, "adult-online")))(t)
	var got []string
	for _, c := range cells {
		if c.Dataset == "adult" && (c.Item == "Table 1" || c.Item == "Table 4") {
			got = append(got, show(c))
		} else if c.Measured != nil && c.Spec != "" && c.Spec != "adult-online" { // "Double memory" repeats its PHE
			t.Errorf("only adult-online was run: %s of %s", show(c), c.Spec)
		}
	}
	want := []string{
		"Table 1 PHE: paper 84.10 ± 0.20, measured 85.000 ± 7.071 of 2, 10.0 s", // 80 and 90: 10/√2
		"Table 1 EE: paper 84.20 ± 0.00, measured – of 0, – s",
		"Table 1 P-EE: paper 84.80 ± 0.00, measured – of 0, – s",
		"Table 1 SlowAda: paper 82.20 ± 0.70, measured 75.000 of 1, 10.0 s", // the stopped seed does not count
		"Table 1 MediumAda: paper 74.80 ± 4.50, measured – of 0, – s",
		"Table 1 FastAda: paper 71.10 ± 4.00, measured – of 0, – s", // nor does one that diverged
		"Table 1 PHE (frozen): paper –, measured 60.000 of 1, 10.0 s",
		"Table 1 PHE / P-EE: paper 0.09, measured – of 0, – s", // no P-EE was run
		"Table 4 PHE: paper 346.00, measured 346.000 of 2, – s",
		"Table 4 P-EE: paper 3920.00, measured – of 0, – s",
		"Table 4 PHE / P-EE: paper 0.09, measured – of 0, – s",
	}
	if !slices.Equal(got, want) {
		t.Errorf("cells\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	filetest.Want(t, cells[0].Quantity, Quantity{"Table 1", "adult", "PHE", "online", "authors", "accuracy"}, "the quantity of PHE's cell")
	filetest.Want(t, cells[0].Backend+", "+cells[0].Spec, "synthetic, adult-online", "the backend and the spec of PHE's cell")
}

// Without results every cell of the paper is there and empty, except the sizes that are computed.
func TestCompareWithoutResults(t *testing.T) {
	cells := filetest.Must(Compare(results{}.open(t)))(t)
	var computed []string
	for _, c := range cells {
		if !c.InPaper || c.Seconds != nil || c.Seeds != 0 || c.Note != "" || c.differs() {
			t.Errorf("nothing was run: %s", show(c))
		}
		if c.Measured != nil {
			computed = append(computed, fmt.Sprint(c.Item, " ", c.Dataset, " ", c.Method, " ", *c.Measured))
		}
	}
	if len(computed) != len(computedSizes()) {
		t.Errorf("computed without a run: %q", computed)
	}
	if len(cells) != paperCells {
		t.Errorf("%d cells, want the paper's %d", len(cells), paperCells)
	}
	if !strings.Contains(CellTable(cells).String(), "| 84.1 ± 0.2 | not run | not run |") {
		t.Errorf("a cell not measured yet should say so:\n%s", CellTable(cells).String())
	}
}

// scored returns a method whose seeds scored these accuracies.
func scored(name string, accuracies ...float64) result.Method {
	m := result.Method{Name: name, Dataset: "adult-48842", Protocol: "online"}
	for seed, accuracy := range accuracies {
		m.Runs = append(m.Runs, result.Run{Seed: int64(seed), Status: result.Complete, Rows: []int{1}, Accuracy: []float64{accuracy}})
	}
	return m
}

// By the text a cell has a mean over draws: of 80 and 50 it is 65 ± 30/√2. A method without hash functions has one over seeds. The remedy
// has no cell.
func TestCompareByTheText(t *testing.T) {
	all := []result.Method{scored("PHE h1", 0.7, 0.9), scored("PHE h2", 0.5, 0), scored("PHE converged h1", 0.8), scored("PHE h1", 0.6),
		scored("PHE remedy h1", 0.9), scored("EE", 0.8, 0.82), scored("Majority", 0.7)}
	all[1].Runs[1].Status, all[3].Frozen = result.Diverged, true
	var got []string
	for _, c := range filetest.Must(Compare(results{"adult-draws": all}.open(t)))(t) {
		if c.Reading == textReading {
			got = append(got, fmt.Sprint(show(c), ", draws ", c.Draws, ", diverged ", c.Diverged, ", ", c.outcome(), ", ", c.Note != ""))
		}
	}
	filetest.Want(t, strings.Join(got, "\n"), strings.Join([]string{
		"Table 1 PHE: paper 84.10 ± 0.20, measured 65.000 ± 21.213 of 1, 0.0 s, draws 2, diverged 1, differs, true",
		"Table 1 PHE converged: paper 84.10 ± 0.20, measured 80.000 of 1, 0.0 s, draws 0, diverged 0, differs, true",
		"Table 1 PHE (frozen): paper –, measured 60.000 of 1, 0.0 s, draws 0, diverged 0, not in the paper, false",
		"Table 1 EE: paper 84.20 ± 0.00, measured 81.000 ± 1.414 of 2, 0.0 s, draws 0, diverged 0, differs, true",
	}, "\n"), "cells by the text")
}

// A method repeats to the digit if no seed that both folders have is apart, and else by the seed that is most apart. Draws are one method.
// Results of the user's own specs count too.
func TestRepeats(t *testing.T) {
	old := results{"adult-online": {scored("PHE h1", 0.5, 1), scored("PHE h2", 0.2), scored("EE", 0.5, 0.25), scored("P-EE", 0.5)}}.open(t)
	now := results{"adult-online": {scored("PHE h1", 0.5), scored("PHE h2", 0.2), scored("EE", 0.625, 0), scored("P-EE", 0.5-1e-9)}}.open(t)
	filetest.WantWords(t, filetest.Must(Repeats(now, old))(t).String(), "| PHE | accuracy | to the digit | 2 |\n"+
		"| EE | accuracy | differs by up to 25 a seed | 2 |\n| P-EE | accuracy | differs by up to 1e-07 a seed | 1 |\n")
	own := results{"shop-online": {scored("PHE", 0.5)}}.open(t)
	filetest.Check(t, os.WriteFile(filepath.Join(own.Path(), "shop.json"), []byte(`{"name": "shop-online"}`), 0o644)) // its spec
	filetest.WantWords(t, filetest.Must(Repeats(own, own))(t).String(), "| PHE | accuracy | to the digit | 1 |\n")
	_, err := Repeats(now, results{"bank-online": {scored("PHE", 1)}}.open(t))
	filetest.WantError(t, err, now.Path(), "no seed of a result in", "the same specs")
}

func TestCompareDamagedResult(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "adult-online.json")
	filetest.Check(t, os.WriteFile(path, []byte("half a fi"), 0o644))
	_, err := Compare(result.OpenFolder(folder))
	filetest.WantError(t, err, path, "not a result file")
	_, err = markdown("1", result.OpenFolder(folder))
	filetest.WantError(t, err, path, "not a result file")
}

// A cell differs by more than two of the paper's deviations and at least half a point, either way; of errors a twentieth of a unit, and of
// sizes by the rounding. Some cells come out although they are outside two deviations, although their means are not equal, or although
// every small number would, which is vague. The paper rounds by up to 0.05 here.
func TestCells(t *testing.T) {
	none := math.NaN()
	by := func(metric string, c Cell) Cell {
		c.Metric = metric
		return c
	}
	kinds := []struct {
		name string
		is   func(Cell) bool
	}{{"outside", Cell.isOutside}, {"unequal", Cell.isUnequal}, {"vague", Cell.isVague}}
	for _, c := range []struct {
		name       string
		cell       Cell
		deviations float64
		want       string // the outcome, and kinds
	}{
		{"both", Cell{Paper: p(80), PaperSD: p(0.25), Measured: p(80.75)}, 3, "differs [outside]"},
		{"below", Cell{Paper: p(80), PaperSD: p(0.25), Measured: p(79.25)}, -3, "differs [outside]"},
		{"just two deviations", Cell{Paper: p(80), PaperSD: p(0.25), Measured: p(80.5)}, 2, "comes out []"},
		{"two below", Cell{Paper: p(80), PaperSD: p(0.5), Measured: p(79)}, -2, "comes out []"},
		{"half above", Cell{Paper: p(80), PaperSD: p(4), Measured: p(82)}, 0.5, "comes out []"},
		{"many points, few deviations", Cell{Paper: p(80), PaperSD: p(4), Measured: p(72.5)}, -1.875, "comes out []"},
		{"many deviations, few points", Cell{Paper: p(80), PaperSD: p(0.125), Measured: p(80.375)}, 3, "comes out [outside]"},
		{"the paper's rounds to 0, half a point", Cell{Paper: p(80), PaperSD: p(0), Measured: p(80.5)}, none, "differs [outside]"},
		{"the paper's rounds to 0, less", Cell{Paper: p(80), PaperSD: p(0), Measured: p(80.25)}, none, "comes out [outside]"},
		{"equal", Cell{Paper: p(80), PaperSD: p(0), Measured: p(80)}, none, "comes out []"},
		{"errors: both", by(measure.AbsoluteError, Cell{Paper: p(3), PaperSD: p(0.1), Measured: p(3.25)}), 2.5, "differs [outside]"},
		{"errors: far, little", by(measure.FinalError, Cell{Paper: p(3), PaperSD: p(0.01), Measured: p(3.04)}), 4, "comes out [outside]"},
		{"errors: few deviations", by(measure.WholeError, Cell{Paper: p(3), PaperSD: p(0.2), Measured: p(3.25)}), 1.25, "comes out []"},
		{"no deviation", Cell{Paper: p(346), Measured: p(20)}, none, "comes out []"},
		{"a size", by(measure.Parameters, Cell{Paper: p(346), Measured: p(346)}), none, "comes out []"},
		{"another size", by(measure.Parameters, Cell{Paper: p(346), Measured: p(347)}), none, "differs []"},
		{"a ratio, rounded", by(measure.CompressionRatio, Cell{Paper: p(0.02), Measured: p(0.0151)}), none, "comes out []"},
		{"another ratio", by(measure.CompressionRatio, Cell{Paper: p(0.02), Measured: p(0.026)}), none, "differs []"},
		{"a dash", Cell{PaperSD: p(1), Measured: p(80), MeasuredSD: p(1)}, none, "not published []"},
		{"not run", Cell{Paper: p(80), PaperSD: p(90)}, none, "not run []"},
		{"other data", Cell{Paper: p(80), PaperSD: p(0), Measured: p(80.3), MeasuredSD: p(0), Substitute: "x"}, none, "other data []"},
		{"by half a point", Cell{Paper: p(80), PaperSD: p(0.1), Measured: p(80.3), MeasuredSD: p(0.1)}, 3, "comes out [outside unequal]"},
		{"by its rounding", Cell{Paper: p(80), PaperSD: p(0), Measured: p(80.04), MeasuredSD: p(0)}, none, "comes out [outside]"},
		{"two standard errors are 2", Cell{Paper: p(80), PaperSD: p(1), Measured: p(82), MeasuredSD: p(2)}, 2, "comes out []"},
		{"a little more", Cell{Paper: p(80), PaperSD: p(1), Measured: p(78 - 0.06), MeasuredSD: p(2)}, -2.06, "differs [outside unequal]"},
		{"as wide as its number", Cell{Paper: p(8), PaperSD: p(4), Measured: p(1), MeasuredSD: p(4)}, -1.75, "comes out [unequal vague]"},
	} {
		cell := c.cell
		cell.InPaper, cell.Seeds = true, 5
		var of []string
		for _, kind := range kinds {
			if kind.is(cell) {
				of = append(of, kind.name)
			}
		}
		if got := fmt.Sprint(cell.outcome(), " ", of); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if got := cell.deviations(); (got == nil) != math.IsNaN(c.deviations) || got != nil && math.Abs(*got-c.deviations) > 1e-12 {
			t.Errorf("%s: %s deviations, want %v", c.name, measure.Optional(got, 3), c.deviations)
		}
		if cell.InPaper = false; cell.outcome() != notInPaper {
			t.Errorf("%s: %s, and the paper has no such cell", c.name, cell.outcome())
		}
	}
}

// withReasons puts reasons in place of reasons.json for one test.
func withReasons(t *testing.T, own ...reason) {
	t.Helper()
	real := reasons
	t.Cleanup(func() { reasons = real })
	reasons = func() []reason { return own }
}

// A cell that differs says so, and why where reasons.json knows it; no other cell has a note.
func TestNotes(t *testing.T) {
	folder := synthetic(t, "adult-online") // PHE and SlowAda differ
	withReasons(t, reason{"adult-online", []string{"EE", "PHE"}, "made up"}, reason{"bank-online", []string{"SlowAda"}, "of another"})
	for method, want := range map[string]string{
		"PHE": "+0.90 | +4.5 | differs [1]", "SlowAda": "-7.20 | -10.3 | differs",
	} {
		table := filetest.Must(markdown("1", folder))(t)
		filetest.WantWords(t, table, "| Table 1 | adult | "+method+" |", "| "+want+" |")
		if !strings.HasSuffix(table, "|\n\n[1] made up\n") {
			t.Errorf("the note is missing below the table:\n%s", table)
		}
	}

	withReasons(t, reason{"adult-online", []string{"SlowAda"}, "its own"}, reason{"adult-online", nil, `for all "others", of them`})
	cells := filetest.Must(Compare(folder))(t)
	for _, c := range cells {
		want := ""
		if c.Spec == "adult-online" && c.Metric == measure.Accuracy && c.Paper != nil {
			want = map[string]string{"PHE": `for all "others", of them`, "SlowAda": "its own"}[c.Method]
		}
		if c.Note != want {
			t.Errorf("%s: note %q, want %q", show(c), c.Note, want)
		}
	}
	markdown := CellTable(append(cells, cells[0])).String() // the same note twice: one number
	filetest.WantWords(t, markdown, "| differs [1] |", "| differs [2] |", "\n\n[1] for all \"others\", of them\n\n[2] its own\n")
	if n := strings.Count(markdown, "[1]"); n != 4 {
		t.Errorf("note 1 is named %d times, want three times in the table and once below", n)
	}
}

// Every reason is about cells of the paper's, and every difference of the results in out has its reason.
func TestReasons(t *testing.T) {
	cells := map[string]bool{} // of the paper's
	for _, table := range filetest.Some(t, paperTables(), "tables of the paper") {
		cells[table.Spec] = true
		for _, c := range table.Cells {
			cells[table.Spec+" "+c.Method] = true
		}
	}
	for _, r := range filetest.Some(t, reasons(), "reasons") {
		if !cells[r.Spec] || r.Why == "" {
			t.Errorf("no cell of the paper for %+v, or no reason", r)
		}
		text, err := (&source{folder: committedResults()}).fill(r.Why)
		if err != nil || strings.Contains(text, notHereMark) { // a page would show a dash
			t.Errorf("a number of the reason for %s: %v", r.Spec, err)
		}
		for _, m := range r.Methods {
			if !cells[r.Spec+" "+m] {
				t.Errorf("the paper has no %s of %s", m, r.Spec)
			}
		}
	}
	measured := filetest.Must(Compare(committedResults()))(t)
	for _, c := range filetest.Some(t, measured, "measured cells") {
		if c.differs() && c.Note == "" {
			t.Errorf("nothing in reasons.json says why %s of %s differs", show(c), c.Spec)
		}
	}
}

func TestCSV(t *testing.T) {
	cells := []Cell{
		{Quantity: Quantity{"Table 1", "adult", "PHE", "online", "authors", "accuracy"}, Paper: p(84.1), PaperSD: p(0),
			Measured: p(1. / 3), Seeds: 5, Backend: "go", Seconds: p(12.5), Spec: "adult-online", InPaper: true, Substitute: "other",
			Diverged: 2, Note: "one, \"two\"\nthree", Reading: textReading, Draws: 20},
		{Quantity: Quantity{"Table 1", "bank", "PHE", "", "", "accuracy"}, Paper: p(89.5), PaperSD: p(0.25), Measured: p(90), Seeds: 1,
			InPaper: true},
		{Quantity: Quantity{"Table 4", "", "P-EE", "", "", "parameters"}, Paper: p(11541320)},
	}
	rows := filetest.Must(csv.NewReader(strings.NewReader(CSV(cells))).ReadAll())(t)
	want := [][]string{
		{"item", "dataset", "method", "protocol", "metric", "paper", "paper_sd", "measured", "measured_sd", "difference", "deviations",
			"outcome", "seeds", "seconds", "convention", "backend", "spec", "in_paper", "substitute", "diverged", "note", "reading",
			"draws"},
		{"Table 1", "adult", "PHE", "online", "accuracy", "84.1", "0", "0.3333333333333333", "", "-83.76666666666667", "", "other data",
			"5", "12.5", "authors", "go", "adult-online", "true", "other", "2", "one, \"two\"\nthree", "text", "20"},
		{"Table 1", "bank", "PHE", "", "accuracy", "89.5", "0.25", "90", "", "0.5", "2", "comes out", "1", "", "", "", "", "true", "", "0",
			"", "", "1"},
		{"Table 4", "", "P-EE", "", "parameters", "1.154132e+07", "", "", "", "", "", "not in the paper", "0", "", "", "", "", "false", "",
			"0", "", "", "1"},
	}
	if !slices.EqualFunc(rows, want, slices.Equal[[]string]) {
		t.Errorf("rows\n%q, want\n%q", rows, want)
	}
}

// Whoever reads `phe compare --json` relies on these names. A number that does not exist is null, and there may be no note.
func TestCellJSON(t *testing.T) {
	const want = `{"item":"","dataset":"","method":"","protocol":"","convention":"","metric":"","paper":null,"paper_sd":null,` +
		`"measured":null,"measured_sd":null,"seeds":0,"backend":"","seconds":null,"spec":"","in_paper":false`
	for note, end := range map[string]string{"": "}", "why it differs": `,"note":"why it differs"}`} {
		if got := filetest.Must(json.Marshal(Cell{Note: note}))(t); string(got) != want+end {
			t.Errorf("%s, want %s%s", got, want, end)
		}
	}
}

func TestTables(t *testing.T) {
	folder := results{}.open(t)
	for _, name := range filetest.Some(t, Tables(), "tables") {
		_, err := markdown(name, folder)
		filetest.WantError(t, err, folder.Path(), "holds no result of", "phe run ", "--out "+folder.Path())
		filetest.WantError(t, filetest.Failure(TableCells(name, folder)))
		missing := regexp.MustCompile(`phe run (\S+)`).FindStringSubmatch(err.Error())[1]
		if !slices.Contains(spec.Names(), missing) {
			t.Errorf("table %s needs %s, which no spec makes", name, missing)
		}
	}
	for _, table := range filetest.Some(t, tables, "tables") {
		for _, s := range strings.Fields(table.results) {
			if !slices.Contains(spec.Names(), s) {
				t.Errorf("table %s shows %s, which no spec makes", table.name, s)
			}
		}
	}
	_, err := markdown("99", folder)
	filetest.WantError(t, filetest.Failure(TableCells("99", folder)))
	filetest.WantError(t, err, `"99"`, "choose one of 1, 4, 5, 6, double, buckets, hash-functions, claims, pays, speed, hours, one-pass, "+
		"late-column, late-items, adaptation, assembly, by-group,")

	folder = synthetic(t, "adult-online", "adult-schemes", "retail-demo")
	for name, want := range map[string]string{
		"1": "| Table 1 | adult | PHE | accuracy | 84.1 ± 0.2 | 85.00 ± 7.07 | +0.90 | +4.5 | differs | authors | 2 | 10.0 | synthetic | " +
			"adult-online |",
		"4": "| Table 4 | adult | PHE | parameters | 346 | 346 | +0 | no sd: a count | comes out | authors | 2 | none: a count | " +
			"synthetic | adult-online |",
		"schemes": "| PHE (frozen) | local |",
		"demo":    "| PHE | – | 60.00 | 85.00 ± 7.07 | 346 |",
	} {
		table := filetest.Must(markdown(name, folder))(t)
		filetest.WantWords(t, table, want)
		table, _, _ = strings.Cut(table, "\n\n") // the text below
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
	folder := synthetic(t, "adult-online", "retail-demo")
	for name, want := range map[string]int{
		"1":    13*6 + 6 + 1, // thirteen specs of six methods, six ratios, and one frozen model
		"4":    6 * 3,        // two of them computed
		"demo": 4 * 2,        // four methods, two metrics
	} {
		cells, err := TableCells(name, folder)
		if err != nil || len(cells) != want {
			t.Errorf("table %s: %d cells, error %v; want %d", name, len(cells), err, want)
		}
	}
	filetest.WantError(t, filetest.Failure(TableCells("5", folder)), "holds no result of adult-group")
	for _, name := range []string{"speed", "pays", "one-pass"} {
		filetest.WantError(t, filetest.Failure(TableCells(name, folder)), name, "Markdown only", "leave out --json, --csv and --grid")
	}
}

// The paper's layout: a row a data set, a column a method, and in each cell the measured number above the paper's.
func TestGrid(t *testing.T) {
	withReasons(t, reason{"adult-online", []string{"SlowAda"}, "made up"})
	folder := synthetic(t, "adult-online")
	cells := filetest.Must(TableCells("1", folder))(t)
	grid := Grid(cells).String()
	const heading = "| data set | PHE | EE | P-EE | SlowAda | MediumAda | FastAda | PHE / P-EE | PHE (frozen) |\n"
	if !strings.HasPrefix(grid, heading) {
		t.Errorf("the table does not begin by %s:\n%s", heading, grid)
	}
	filetest.WantWords(t, grid,
		"| adult | 85.00 ± 7.07 (differs)<br>(84.1 ± 0.2) | –<br>(84.2 ± 0.0) | –<br>(84.8 ± 0.0) | 75.00 [1] (n = 1)<br>(82.2 ± 0.7) | "+
			"–<br>(74.8 ± 4.5) | –<br>(71.1 ± 4.0) | –<br>(0.09) | 60.00 (n = 1) |\n",
		"\n| covertype-49999 | –<br>(64.3 ± 0.2) |", "\n| mushroom-8124 |", "\n\n[1] made up\n",
	)
	// Results of one table and data set have rows of their own.
	p5 := About(filetest.Must(Compare(folder))(t), "Table 5")
	specs := map[string]bool{}
	for _, c := range p5 {
		specs[c.Spec] = true
	}
	if rows := strings.Count(Grid(p5).String(), "\n") - 2; rows != len(specs) {
		t.Errorf("%d rows of %d results:\n%s", rows, len(specs), Grid(p5).String())
	}
}

// Each method stands next to the same one of the paper and of the other result, over all its seeds and over the same ones. A method
// that one result lacks has no number there.
func TestAgainst(t *testing.T) {
	file := func(name string, methods ...result.Method) *result.File {
		return &result.File{Name: name, Methods: methods}
	}
	method := func(name string, frozen bool, accuracies ...float64) result.Method {
		m := result.Method{Name: name, Frozen: frozen, Protocol: protocol.Online}
		for seed, a := range accuracies {
			m.Put(result.Run{Seed: int64(seed), Status: result.Complete, Rows: []int{80}, Accuracy: []float64{a / 100}})
		}
		return m
	}
	other := file("adult-online", method("PHE", false, 80, 82, 90), method("EE", false, 70, 72, 74), method("PHE", true, 81, 83, 85))
	own := file("mine", method("PHE", false, 60, 64), method("PHE", true, 61), method("Mine", false, 75, 75))
	want := []string{
		"PHE: paper 84.1 ± 0.2, other 84.0 ± 5.3, same seeds 81.0 ± 1.4, own 62.0 ± 2.8",
		"PHE (frozen): paper –, other 83.0 ± 2.0, same seeds 81.0, own 61.0",
		"Mine: paper –, other –, same seeds –, own 75.0 ± 0.0",
		"EE: paper 84.2 ± 0.0, other 72.0 ± 2.0, same seeds –, own –",
	}
	rows := Against(own, other)
	if len(rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(rows), len(want))
	}
	for i, r := range rows {
		got := fmt.Sprintf("%s: paper %s, other %s, same seeds %s, own %s", r.Method, r.Paper.Text(1), r.Other.Text(1),
			r.SameSeeds.Text(1), r.Own.Text(1))
		if got != want[i] {
			t.Errorf("got  %s\nwant %s", got, want[i])
		}
	}
}
