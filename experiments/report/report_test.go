package report

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// Numbers of the page, computed once more from the series without this package's metrics: the mean over steps, then the mean
// and deviation over seeds.
func TestReportByHand(t *testing.T) {
	pages := filetest.Must(committedPages())(t)
	page := pages[topicFolder+"/cells.html"] + pages[topicFolder+"/retail.md"]
	for _, c := range []struct {
		spec, method, want string
		of                 func(run result.Run) float64
	}{
		{"adult-online", "PHE", "<td>Table 1<td>adult<td>PHE<td>accuracy<td>84.1 ± 0.2<td>%.2f ± %.2f<td>", func(run result.Run) float64 { return 100 * stat.Mean(run.Accuracy, nil) }},
		{"covertype-full-online", "SlowAda", "<td>Table 1<td>covertype<td>SlowAda<td>accuracy<td>63.5 ± 0.5<td>%.2f ± %.2f<td>",
			func(run result.Run) float64 { return 100 * stat.Mean(run.Accuracy, nil) }},
		{"movielens-small-wide", "PHE", "<td>Table 1<td>ml-32m<td>PHE<td>sample_error<td>14.7 ± 0.0<td>%.2f ± %.2f on ml-latest-small<td>",
			func(run result.Run) float64 { return 100 * stat.Mean(run.Scores["sample_error"], nil) }},
		{"retail-group", "PHE", "<td>Table 5<td>retail<td>PHE<td>final_absolute_error<td>2.73 ± 0.23<td>%.3f ± %.3f<td>", last10},
		{"retail-group", "PHE", "PHE errs by %.2f ± %.2f (published 2.73 ± 0.23)", last10}, // in a sentence
	} {
		file := filetest.Must(result.Read(filepath.Join("..", "out", c.spec+".json")))(t)
		var seeds []float64
		for _, run := range file.Method(c.method, false).Runs {
			seeds = append(seeds, c.of(run))
		}
		if mean, sd := stat.MeanStdDev(seeds, nil); len(seeds) != 5 || !strings.Contains(page, fmt.Sprintf(c.want, mean, sd)) {
			t.Errorf("%d seeds of %s; the page has no %q", len(seeds), c.spec, fmt.Sprintf(c.want, mean, sd))
		}
	}
}

// last10 averages the absolute errors of the ten groups' tests after the last group, which stand last.
func last10(run result.Run) float64 {
	sum := 0.0
	for _, test := range run.Tests[len(run.Tests)-10:] {
		sum += test.AbsoluteError
	}
	return sum / 10
}

// Blocks are filled in place; what cannot be filled says where and why.
func TestRefill(t *testing.T) {
	folder := t.TempDir()
	writeSynthetic(t, folder, "adult-online")
	page := "# A\n\n<!-- {{contents}} -->\nold\n<!-- end -->\n## B: c's (d)\n<!-- {{grid \"1\"}} -->\nold\n\n| old |\n<!-- end -->\nafter\n" +
		"<!-- {{grid \"5\"}} -->\n<!-- end -->"
	got, blocks, err := refill(page, result.OpenFolder(folder))
	if err != nil || blocks != 3 {
		t.Fatalf("%d blocks, error %v", blocks, err)
	}
	for _, want := range []string{"# A\n\n<!-- {{contents}} -->\n- [B: c's (d)](#b-cs-d)\n<!-- end -->\n## B",
		"## B: c's (d)\n<!-- {{grid \"1\"}} -->\n| data set | PHE |", "\n<!-- end -->\nafter", "-->\n*Not here: " + folder + " holds no result of adult-group;"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\nold") || strings.Contains(got, "| old") {
		t.Errorf("what was there is still there:\n%s", got)
	}
	if again, _, err := refill(got, result.OpenFolder(folder)); err != nil || again != got {
		t.Errorf("filled twice it differs, or error %v", err)
	}
	for page, want := range map[string][]string{
		"<!-- {{table \"1\"}} -->\n":                                          {"1 blocks begin", "0 end", "0 are whole"},
		"a\n<!-- {{table \"1\"}} -->\n<!-- {{table \"4\"}} -->\n<!-- end -->": {"2 blocks begin", "1 end"},
		"a\n<!-- end -->":                            {"0 blocks begin", "1 end"},
		"<!-- {{tabel \"1\"}} -->\n<!-- end -->":     {`{{tabel "1"}}`, `"tabel" not defined`},
		"<!-- {{table \"99\"}} -->\n<!-- end -->":    {`no table "99"`},
		"<!-- {{grid \"pays\"}} -->\n<!-- end -->":   {`"pays" has no grid`},
		"see <!-- {{table \"1\"}} -->\n<!-- end -->": {"1 blocks begin", "0 are whole", "a line of its own"},
		"<!-- {{table \"1\"}}-->\n<!-- end -->":      {"1 blocks begin", "0 are whole", "a line of its own"},
	} {
		_, _, err := refill(page, result.OpenFolder(folder))
		filetest.WantError(t, err, want...)
	}
}

// A page chooses from a table: columns, rows, one of several tables. Notes follow their cells.
func TestShaping(t *testing.T) {
	folder := t.TempDir()
	writeSynthetic(t, folder, "adult-online")
	withReasons(t, reason{"adult-online", []string{"PHE"}, "made up"}, reason{"adult-online", []string{"SlowAda"}, "its own"})
	for call, want := range map[string]string{
		`{{grid "1" | rows "adult" | columns "SlowAda" "PHE (f…"}}`:                         "| data set | SlowAda | PHE (frozen) |\n|---|---:|---:|\n| adult | 75.00 [1] (n = 1)<br>(82.2 ± 0.7) | 60.00 (n = 1) |\n\n[1] its own",
		`{{grid "4" | rows "adu…" | transpose}}`:                                            "| data set | adult |\n|---|---:|\n| PHE | 346<br>(346) |\n| P-EE | –<br>(3920) |\n| PHE / P-EE | –<br>(0.09) |",
		`{{grid "4" | columns "PHE" | without "…32m" "adult" "bank" "covertype" "retail"}}`: "| data set | PHE |\n|---|---:|\n| mushroom | –<br>(56) |",
		`{{grid "4" | part 1 | rows "mush…" | columns "PHE…" "PHE…"}}`:                      "| data set | PHE | PHE / P-EE |\n|---|---:|---:|\n| mushroom | –<br>(56) | –<br>(0.62) |",
	} {
		if got, err := fill(call, result.OpenFolder(folder)); err != nil || got != want {
			t.Errorf("%s, error %v:\n%s\nwant\n%s", call, err, got, want)
		}
	}
	for call, want := range map[string][]string{
		`{{grid "1" | part 2}}`: {"no table 2", "1 tables"},
		`{{verdict "Table 9"}}`: {`no cell of "Table 9"`},
	} {
		_, err := fill(call, result.OpenFolder(folder))
		filetest.WantError(t, err, want...)
	}
	for call, want := range map[string]string{ // a typo, or a result that is missing: the test of the committed pages tells
		`{{grid "4" | rows "mush…" "x" | columns "PHE" "EEE" "Ada"}}`: "| data set | PHE |\n|---|---:|\n| mushroom | –<br>(56) |\n\n" +
			notHereMark + "no row x; results are missing.*\n\n" + notHereMark + "no column EEE, Ada; results are missing.*",
		`{{result "bank-online" | columns "accuracy %"}}`: fmt.Sprintf("%s%s holds no result of bank-online; make it with `phe run bank-online --out %s`.*", notHereMark, folder, folder),
	} {
		if got, err := fill(call, result.OpenFolder(folder)); err != nil || got != want {
			t.Errorf("%s, error %v:\n%q\nwant\n%q", call, err, got, want)
		}
	}
	if got, err := fill(`{{verdict "Table 4" "adult"}}`, result.OpenFolder(folder)); err != nil || got != "1 of 3" {
		t.Errorf("verdict %q, error %v", got, err)
	}
}

func fill(page string, folder *result.Folder) (string, error) {
	return (&source{page: page, folder: folder}).fill(page)
}

// A run that was stopped makes no page: the seeds that it has would pass for all.
func TestReportUnfinished(t *testing.T) {
	folder := t.TempDir()
	writeSynthetic(t, folder, "adult-online")
	path := filepath.Join(folder, "adult-online.json")
	f := filetest.Must(result.Read(path))(t)
	f.Status = result.Partial
	filetest.Check(t, store(f, path))
	_, err := Report(result.OpenFolder(folder))
	filetest.WantError(t, err, "adult-online is partial", "phe run adult-online --resume")
}

// Numbers in sentences come from the results. A wrong call gets an error with the reason.
func TestProse(t *testing.T) {
	folder := t.TempDir()
	writeSynthetic(t, folder, "adult-online") // 80 and 90
	text, err := fill(`{{cell "adult-online" "PHE" "accuracy"}}; {{mean "adult-online" "PHE" "accuracy" 0}}; {{seeds "adult-online" "PHE" "accuracy" 1}}; `+
		`{{least "adult-online" "PHE" "accuracy"}}, {{most "adult-online" "PHE" "accuracy"}}; {{apart "adult-online" "PHE (frozen)" "PHE" "accuracy" 1}}; `+
		`{{size "adult-online" "PHE"}}; {{paper "Table 1" "adult" "PHE"}}; {{took "speed"}}`, result.OpenFolder(folder))
	if want := "85.00 ± 7.07; 85; 80.0 and 90.0; 80.00, 90.00; 25.0; 346; 84.1 ± 0.2; 0 minutes"; err != nil || text != want {
		t.Errorf("%q, error %v; want %q", text, err, want)
	}
	for page, want := range map[string][]string{
		`{{cell "adult-online" "EE" "accuracy"}}`:                {"adult-online has no EE"},
		`{{cell "adult-online" "PHE" "accurracy"}}`:              {"PHE of adult-online has no accurracy"},
		`{{mean "adult-online" "FastAda" "accuracy"}}`:           {"FastAda of adult-online has no accuracy"}, // it diverged
		`{{error "adult-online" "PHE" "EE" "accuracy"}}`:         {"has no EE"},
		`{{error "adult-online" "PHE" "PHE (frozen)" "regret"}}`: {"cannot be paired"},
		`{{tally "adult-online" "PHE" "film first" 0}}`:          {`no tally "film first"`},
		`{{paper "Table 1" "adult" "Majority"}}`:                 {"the paper has no number of Majority, adult"},
		`{{took "nothing"}}`:                                     {`no study is called "nothing"`},
		`{{sell "adult-online" "PHE" "accuracy"}}`:               {"a page's template", `"sell" not defined`},
		`{{cell "adult-online" "PHE"`:                            {"a page's template"},
	} {
		_, err := fill(page, result.OpenFolder(folder))
		filetest.WantError(t, err, want...)
	}
	page := "Of {{mean \"adult-online\" \"PHE\" \"accuracy\" 0}}.\n\n- one {{size \"bank-online\" \"PHE\"}}\n- two {{size \"bank-online\" \"PHE\"}}\n- three\n\n{{grid \"5\"}}\n"
	missing := func(spec string) string {
		return fmt.Sprintf("*Not here: %s holds no result of %s; make it with `phe run %s --out %s`.*", folder, spec, spec, folder)
	}
	want := "Of 85.\n\n" + missing("bank-online") + "\n- three\n" + missing("adult-group") + "\n"
	if text, err := fill(page, result.OpenFolder(folder)); err != nil || text != want {
		t.Errorf("with results missing, %v:\n%s\nwant\n%s", err, text, want)
	}
	s := &source{folder: result.OpenFolder(folder)}
	got := s.note(`it errs by {{mean "adult-online" "PHE" "accuracy" 0}}, not {{mean "adult-online" "EE" "accuracy"}}`)
	if got != "it errs by 85, not –" {
		t.Errorf("a reason of results that are not all there: %q", got)
	}
}

// A substitute fills a cell whose data cannot be had. The cell says so, and counts neither as reproduced nor as different; the
// result of the paper's own data takes its place.
func TestSubstitute(t *testing.T) {
	folder := t.TempDir()
	write := func(name, dataset string, value float64) {
		run := result.Run{Status: result.Complete, Rows: []int{1}, Scores: map[string][]float64{measure.SampleError: {value}}}
		f := &result.File{Name: name, Status: result.Complete, Manifest: result.Manifest{Spec: json.RawMessage("{}"), Backend: "synthetic"}, Methods: []result.Method{
			{Name: "PHE", Dataset: dataset, Protocol: protocol.Recommend, Convention: protocol.Authors, Runs: []result.Run{run}},
			{Name: "PHE", Frozen: true, Dataset: dataset, Protocol: protocol.Recommend, Convention: protocol.Authors, Runs: []result.Run{run}}}}
		filetest.Check(t, store(f, filepath.Join(folder, name+".json")))
	}
	find := func(item, dataset, method, spec string) Cell {
		t.Helper()
		cells := filetest.Must(Compare(result.OpenFolder(folder)))(t)
		at := slices.IndexFunc(cells, func(c Cell) bool {
			return c.Item == item && c.Dataset == dataset && c.Method == method && c.Spec == spec
		})
		if at < 0 {
			t.Fatalf("no %s %s %s of %s", item, dataset, method, spec)
		}
		return cells[at]
	}
	write("movielens-small-wide", "ml-latest-small", 0.5) // far from the paper's 14.7
	for _, dataset := range []string{"ml-32m", "ml-latest-small"} {
		c := find("Table 1", dataset, "PHE", "movielens-small-wide")
		if c.deviations() != nil || c.differs() || c.outcome() != otherData || c.Substitute != "ml-latest-small" || *c.Measured != 50 || !strings.Contains(c.Note, "not the paper's data") {
			t.Errorf("%+v", c)
		}
	}
	if c := find("Double memory", "ml-32m", "PHE", "movielens-small-wide"); c.Substitute != "ml-latest-small" {
		t.Errorf("%+v", c)
	}
	if c := find("Table 1", "ml-32m", "PHE (frozen)", "movielens-small-wide"); c.Substitute != "ml-latest-small" || c.InPaper || c.outcome() != notInPaper {
		t.Errorf("%+v", c)
	}
	cells := filetest.Must(TableCells("1", result.OpenFolder(folder)))(t)
	fixture.WantText(t, Grid(cells).String(), "| ml-32m | 50.00 on ml-latest-small [1]<br>(14.7 ± 0.0) |", "| ml-latest-small, beliefs that start wide | 50.00 [1]<br>(14.7 ± 0.0) |")
	fixture.WantText(t, CellTable(cells).String(), "| Table 1 | ml-32m | PHE | sample_error | 14.7 ± 0.0 | 50.00 on ml-latest-small | +35.30 | other data | other data [1] |")

	write("movielens-32m", "ml-32m", 0.147)
	c := find("Table 1", "ml-32m", "PHE", "movielens-32m")
	if c.Substitute != "" || c.outcome() != comesOut || *c.Measured != 14.7 || c.Note != "" {
		t.Errorf("the paper's own data: %+v", c)
	}
	write("movielens-32m", "ml-32m", 0.5)
	if c := find("Table 1", "ml-32m", "PHE", "movielens-32m"); !c.differs() || c.outcome() != doesDiffer {
		t.Errorf("the paper's own data, far away: %+v", c)
	}
}

func TestOutcome(t *testing.T) {
	for _, c := range []struct {
		name string
		cell Cell
		want outcome
	}{
		{"near", Cell{InPaper: true, Paper: p(80), PaperSD: p(1), Measured: p(81)}, comesOut},
		{"far", Cell{InPaper: true, Paper: p(80), PaperSD: p(1), Measured: p(83)}, doesDiffer},
		{"other data, near", Cell{InPaper: true, Paper: p(80), PaperSD: p(1), Measured: p(80), Substitute: "x"}, otherData},
		{"a dash", Cell{InPaper: true, Measured: p(80)}, notPublished},
		{"not run", Cell{InPaper: true, Paper: p(80), PaperSD: p(1)}, notRun},
		{"frozen", Cell{Measured: p(80)}, notInPaper},
		{"a size", Cell{InPaper: true, Metric: measure.Parameters, Paper: p(346), Measured: p(346)}, comesOut},
		{"another size", Cell{InPaper: true, Metric: measure.Parameters, Paper: p(346), Measured: p(347)}, doesDiffer},
		{"a ratio, rounded", Cell{InPaper: true, Metric: measure.CompressionRatio, Paper: p(0.02), Measured: p(0.0151)}, comesOut},
		{"another ratio", Cell{InPaper: true, Metric: measure.CompressionRatio, Paper: p(0.02), Measured: p(0.026)}, doesDiffer},
	} {
		if got := c.cell.outcome(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Some cells come out although their means are not equal, or although every small number would. The paper rounds by up to 0.05 here.
func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		name                    string
		cell                    Cell
		outside, unequal, vague bool
	}{
		{"by half a point", Cell{Paper: p(80), PaperSD: p(0.1), Measured: p(80.3), MeasuredSD: p(0.1)}, true, true, false},
		{"by its rounding", Cell{Paper: p(80), PaperSD: p(0), Measured: p(80.04), MeasuredSD: p(0)}, true, false, false},
		{"two standard errors are 2", Cell{Paper: p(80), PaperSD: p(1), Measured: p(82), MeasuredSD: p(2)}, false, false, false},
		{"and a little more", Cell{Paper: p(80), PaperSD: p(1), Measured: p(78 - 0.06), MeasuredSD: p(2)}, true, true, false},
		{"as wide as its number", Cell{Paper: p(8), PaperSD: p(4), Measured: p(1), MeasuredSD: p(4)}, false, true, true},
		{"other data", Cell{Paper: p(80), PaperSD: p(0), Measured: p(80.3), MeasuredSD: p(0), Substitute: "x"}, false, false, false},
		{"not run", Cell{Paper: p(80), PaperSD: p(90)}, false, false, false},
		{"a dash", Cell{Measured: p(80), MeasuredSD: p(1)}, false, false, false},
	} {
		cell := c.cell
		cell.InPaper, cell.Seeds, cell.Metric = true, 5, measure.Accuracy
		if got, want := []bool{cell.isOutside(), cell.isUnequal(), cell.isVague()},
			[]bool{c.outside, c.unequal, c.vague}; !slices.Equal(got, want) {
			t.Errorf("%s: outside, unequal and vague are %t, want %t", c.name, got, want)
		}
	}
	if got := (&source{folder: committedResults()}).verdict("Table 5", "retail"); got != "4 of 5 (2 at any small error)" {
		t.Errorf("the verdict is %q", got)
	}
}

// Cells of the paper are counted once, by the first run and by the best; what differs is listed by the reason.
func TestOutcomes(t *testing.T) {
	cells := []Cell{
		{Item: "Table 1", Dataset: "adult", Method: "PHE", Spec: "first", InPaper: true, Paper: p(80), PaperSD: p(1), Measured: p(90), Note: "why"},
		{Item: "Table 1", Dataset: "adult", Method: "PHE", Spec: "second", InPaper: true, Paper: p(80), PaperSD: p(1), Measured: p(80)},
		{Item: "Table 1", Dataset: "adult", Method: "EE", Spec: "first", InPaper: true, Paper: p(80), PaperSD: p(1), Measured: p(99), MeasuredSD: p(100)},
		{Item: "Table 1", Dataset: "adult", Method: "FastAda", Spec: "first", InPaper: true, Measured: p(1), Diverged: 2, Seeds: 3},
		{Item: "Table 1", Dataset: "adult", Method: "PHE (frozen)", Spec: "first", Measured: p(1)},
	}
	got := Outcomes(cells).String()
	fixture.WantText(t, got, "**1 of 3 cells of the paper come out** in at least one run.", "In the first of them 0 cells come out.", "In all there are 4 comparisons, and 1 come out.",
		"| come out | 1 | 0 | 1 |", "| differ | 1 | 2 | 2 |", "| measured, but a dash in the paper | 1 | 1 | 1 |", "| all | 3 | 3 | 4 |",
		"\n1. why\n    - Table 1 `first` PHE: 90.00 against 80.0 ± 1.0, comes out in `second`\n", "\n2. Not explained.\n    - Table 1 `first` EE: 99.00 ± 100.00 against 80.0 ± 1.0\n",
		"left out of the mean: Table 1 `first` FastAda (2 of 5 seeds).", "larger than they are: Table 1 `first` EE 99.00 ± 100.00.")
	if got := Outcomes(cells[1:2]).String(); !strings.Contains(got, "No seed of these results diverged") || strings.Contains(got, "These cells differ") {
		t.Errorf("nothing to explain:\n%s", got)
	}
}

// Of a draw whose seeds have all diverged, or that has not run yet, nothing is said.
func TestOverDrawsWithoutScores(t *testing.T) {
	method := func(name, status string, accuracy float64) result.Method {
		return result.Method{Name: name, Runs: []result.Run{{Status: status, Rows: []int{10}, Accuracy: []float64{accuracy}}}}
	}
	f := &result.File{Name: "adult-draws", Status: result.Complete, Manifest: result.Manifest{Spec: json.RawMessage("{}")},
		Methods: []result.Method{
			method("PHE h1", result.Complete, 0.8), method("PHE h2", result.Complete, 0.5), method("SlowAda h1", result.Complete, 0.7),
			method("SlowAda h2", result.Diverged, 0.1), method("FastAda h1", result.Diverged, 0.1),
			method("PHE remedy h1", result.Complete, 0.6), method("SlowAda remedy h1", result.Complete, 0.6),
			method("PHE remedy h2", result.Complete, 0.5), method("SlowAda remedy h2", result.Complete, 0.6)}}
	f.Stream.Steps = 1
	folder := t.TempDir()
	filetest.Check(t, store(f, filepath.Join(folder, "adult-draws.json")))
	s := &source{folder: result.OpenFolder(folder)}
	shown := drawsTable(s, "paper=Table 1/adult", "text=adult-draws", "whole=covertype-draws").String()
	for _, want := range []string{"| method | paper | text | text: worst draw, worst run |", "| SlowAda | 82.2 ± 0.7 | 70.00 | –, 70.00 |", "| PHE | 84.1 ± 0.2 | 65.00 ± 21.21 | 50.00, 50.00 |", "| 2 of 2 | 2 × 1 | waits |", "| 1 of 2 | 2 × 1 | waits |", "*Waits for `phe run covertype-draws`.*"} {
		if !strings.Contains(shown, want) || strings.Contains(shown, "FastAda") {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	if said := s.over("adult-draws", "PHE", "level with Ada"); said != "2 of 2" || s.err != nil {
		t.Errorf("PHE is not behind in %s draws, %v", said, s.err)
	}
	one := &overDraws{name: "PHE", metric: &measure.Metric{}, draws: map[string][]float64{"1": {0.2}, "2": {0.25}}}
	ada := &overDraws{name: "SlowAda", draws: map[string][]float64{"1": {0.3}, "2": {0.3}}}
	one.metric.Less = true // an error
	if alone, level := one.notBehind(nil), one.notBehind([]*overDraws{ada, one}); alone != "–" || level != "2 of 2" {
		t.Errorf("without an Ada %s; by errors %s", alone, level)
	}
	if s.over("adult-draws", "FastAda", "level with Ada"); s.err == nil {
		t.Error("a method without scores has a cell")
	}
}
