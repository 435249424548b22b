package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// Numbers of the page, computed once more from the series without this package's metrics: the mean over steps, then the mean
// and deviation over seeds.
func TestReportByHand(t *testing.T) {
	pages := filetest.Must(committedPages())(t)
	page := pages[topicFolder+"/cells.html"] + pages[topicFolder+"/retail.md"]
	accuracy := func(run result.Run) float64 { return 100 * stat.Mean(run.Accuracy, nil) }
	for _, c := range []struct {
		spec, method, want string
		of                 func(run result.Run) float64
	}{
		{"adult-online", "PHE", "<td>Table 1<td>adult<td>PHE<td>accuracy<td>84.1 ± 0.2<td>%.2f ± %.2f<td>", accuracy},
		{"covertype-full-online", "SlowAda", "<td>Table 1<td>covertype<td>SlowAda<td>accuracy<td>63.5 ± 0.5<td>%.2f ± %.2f<td>", accuracy},
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
	folder := synthetic(t, "adult-online")
	page := "# A\n\n<!-- {{contents}} -->\nold\n<!-- end -->\n## B: c's (d)\n" +
		"<!-- {{grid \"1\"}} -->\nold\n\n| old |\n<!-- end -->\nafter\n<!-- {{grid \"5\"}} -->\n<!-- end -->"
	got, blocks, err := refill(page, folder)
	if err != nil || blocks != 3 {
		t.Fatalf("%d blocks, error %v", blocks, err)
	}
	filetest.WantWords(t, got, "# A\n\n<!-- {{contents}} -->\n- [B: c's (d)](#b-cs-d)\n<!-- end -->\n## B",
		"## B: c's (d)\n<!-- {{grid \"1\"}} -->\n| data set | PHE |", "\n<!-- end -->\nafter",
		"-->\n*Not here: "+folder.Path()+" holds no result of adult-group;")
	if strings.Contains(got, "\nold") || strings.Contains(got, "| old") {
		t.Errorf("what was there is still there:\n%s", got)
	}
	if again, _, err := refill(got, folder); err != nil || again != got {
		t.Errorf("filled twice it differs, or error %v", err)
	}
	for call, want := range map[string][]string{
		`{{tabel "1"}}`:   {`{{tabel "1"}}`, `"tabel" not defined`},
		`{{table "99"}}`:  {`no table "99"`},
		`{{grid "pays"}}`: {`"pays" has no grid`},
	} {
		_, _, err := refill("<!-- "+call+" -->\n<!-- end -->", folder)
		filetest.WantError(t, err, want...)
	}
}

// A page chooses from a table: columns, rows, one of several tables. Notes follow their cells.
func TestShaping(t *testing.T) {
	folder := synthetic(t, "adult-online")
	withReasons(t, reason{"adult-online", []string{"PHE"}, "made up"}, reason{"adult-online", []string{"SlowAda"}, "its own"})
	wantFilled(t, folder, map[string]string{
		`{{grid "1" | rows "adult" | columns "SlowAda" "PHE (f…"}}`: "| data set | SlowAda | PHE (frozen) |\n|---|---:|---:|\n" +
			"| adult | 75.00 [1] (n = 1)<br>(82.2 ± 0.7) | 60.00 (n = 1) |\n\n[1] its own",
		`{{grid "4" | rows "adu…" | transpose}}`: "| data set | adult |\n|---|---:|\n" +
			"| PHE | 346<br>(346) |\n| P-EE | –<br>(3920) |\n| PHE / P-EE | –<br>(0.09) |",
		`{{grid "4" | columns "PHE" | without "…32m" "adult" "bank" "covertype" "retail"}}`: "| data set | PHE |\n|---|---:|\n" +
			"| mushroom | –<br>(56) |",
		`{{grid "4" | part 1 | rows "mush…" | columns "PHE…" "PHE…"}}`: "| data set | PHE | PHE / P-EE |\n|---|---:|---:|\n" +
			"| mushroom | –<br>(56) | –<br>(0.62) |",
		// A typo, or a result that is missing: the test of the committed pages tells.
		`{{grid "4" | rows "mush…" "x" | columns "PHE" "EEE" "Ada"}}`: "| data set | PHE |\n|---|---:|\n| mushroom | –<br>(56) |\n\n" +
			notHereMark + "no row x; results are missing.*\n\n" + notHereMark + "no column EEE, Ada; results are missing.*",
		`{{result "bank-online" | columns "accuracy %"}}`: missing(folder, "bank-online"),
		`{{verdict "Table 4" "adult"}}`:                   "1 of 3",
	})
	wantFilled(t, committedResults(), map[string]string{`{{verdict "Table 5" "retail"}}`: "4 of 5 (2 at any small error)"})
	wantRefused(t, folder, map[string][]string{
		`{{grid "1" | part 2}}`: {"no table 2", "1 tables"},
		`{{verdict "Table 9"}}`: {`no cell of "Table 9"`},
	})
}

func fill(page string, folder *result.Folder) (string, error) {
	return (&source{page: page, folder: folder}).fill(page)
}

// wantFilled fails a test for each page that is not filled as wanted.
func wantFilled(t *testing.T, folder *result.Folder, pages map[string]string) {
	t.Helper()
	for page, want := range pages {
		if got, err := fill(page, folder); err != nil || got != want {
			t.Errorf("%s, error %v:\n%s\nwant\n%s", page, err, got, want)
		}
	}
}

// wantRefused fails a test for each page whose error lacks one of some words.
func wantRefused(t *testing.T, folder *result.Folder, pages map[string][]string) {
	t.Helper()
	for page, words := range pages {
		filetest.WantError(t, filetest.Failure(fill(page, folder)), words...)
	}
}

// missing is what a page says in place of a part that needs a result which is not there.
func missing(folder *result.Folder, spec string) string {
	return fmt.Sprintf("*Not here: %[1]s holds no result of %[2]s; make it with `phe run %[2]s --out %[1]s`.*", folder.Path(), spec)
}

// A run that was stopped makes no page: the seeds that it has would pass for all.
func TestReportUnfinished(t *testing.T) {
	folder := synthetic(t, "adult-online")
	filetest.Must(folder.Find("adult-online"))(t).Status = result.Partial
	filetest.WantError(t, filetest.Failure(Report(folder)), "adult-online is partial", "phe run adult-online --resume")
}

// Numbers in sentences come from the results. A wrong call gets an error with the reason.
func TestProse(t *testing.T) {
	folder := synthetic(t, "adult-online") // 80 and 90
	wantFilled(t, folder, map[string]string{
		`{{cell "adult-online" "PHE" "accuracy"}}`:                   "85.00 ± 7.07",
		`{{mean "adult-online" "PHE" "accuracy" 0}}`:                 "85",
		`{{seeds "adult-online" "PHE" "accuracy" 1}}`:                "80.0 and 90.0",
		`{{least "adult-online" "PHE" "accuracy"}}`:                  "80.00",
		`{{most "adult-online" "PHE" "accuracy"}}`:                   "90.00",
		`{{apart "adult-online" "PHE (frozen)" "PHE" "accuracy" 1}}`: "25.0",
		`{{size "adult-online" "PHE"}}`:                              "346",
		`{{paper "Table 1" "adult" "PHE"}}`:                          "84.1 ± 0.2",
		`{{took "speed"}}`:                                           "0 minutes",
		"Of {{mean \"adult-online\" \"PHE\" \"accuracy\" 0}}.\n\n- one {{size \"bank-online\" \"PHE\"}}\n" +
			"- two {{size \"bank-online\" \"PHE\"}}\n- three\n\n{{grid \"5\"}}\n": "Of 85.\n\n" +
			missing(folder, "bank-online") + "\n- three\n" + missing(folder, "adult-group") + "\n",
	})
	wantRefused(t, folder, map[string][]string{
		`{{cell "adult-online" "EE" "accuracy"}}`:                 {"adult-online has no EE"},
		`{{cell "adult-online" "PHE" "accurracy"}}`:               {"PHE of adult-online has no accurracy"},
		`{{mean "adult-online" "FastAda" "accuracy"}}`:            {"FastAda of adult-online has no accuracy"}, // it diverged
		`{{stands "adult-online" "PHE" "EE" "accuracy"}}`:         {"has no EE"},
		`{{stands "adult-online" "PHE" "PHE (frozen)" "regret"}}`: {"cannot be paired"},
		`{{tally "adult-online" "PHE" "film first" 0}}`:           {`no tally "film first"`},
		`{{paper "Table 1" "adult" "Majority"}}`:                  {"the paper has no number of Majority, adult"},
		`{{took "nothing"}}`:                                      {`no study is called "nothing"`},
		`{{sell "adult-online" "PHE" "accuracy"}}`:                {"a page's template", `"sell" not defined`},
		`{{cell "adult-online" "PHE"`:                             {"a page's template"},
	})
	s := &source{folder: folder}
	got := s.note(`it errs by {{mean "adult-online" "PHE" "accuracy" 0}}, not {{mean "adult-online" "EE" "accuracy"}}`)
	if got != "it errs by 85, not –" {
		t.Errorf("a reason of results that are not all there: %q", got)
	}
}

// A substitute fills a cell whose data cannot be had. The cell says so, and counts neither as reproduced nor as different; the
// result of the paper's own data takes its place.
func TestSubstitute(t *testing.T) {
	of := func(dataset string, value float64) []result.Method {
		run := result.Run{Status: result.Complete, Rows: []int{1}, Scores: map[string][]float64{measure.SampleError: {value}}}
		method := result.Method{Name: "PHE", Dataset: dataset, Protocol: protocol.Recommend, Convention: protocol.Authors,
			Runs: []result.Run{run}}
		frozen := method
		frozen.Frozen = true
		return []result.Method{method, frozen}
	}
	find := func(folder *result.Folder, item, dataset, method, spec string) Cell {
		t.Helper()
		cells := filetest.Must(Compare(folder))(t)
		at := slices.IndexFunc(cells, func(c Cell) bool {
			return c.Item == item && c.Dataset == dataset && c.Method == method && c.Spec == spec
		})
		if at < 0 {
			t.Fatalf("no %s %s %s of %s", item, dataset, method, spec)
		}
		return cells[at]
	}
	all := results{"movielens-small-wide": of("ml-latest-small", 0.5)} // far from the paper's 14.7
	small := all.open(t)
	for _, dataset := range []string{"ml-32m", "ml-latest-small"} {
		c := find(small, "Table 1", dataset, "PHE", "movielens-small-wide")
		if c.deviations() != nil || c.differs() || c.outcome() != otherData || c.Substitute != "ml-latest-small" || *c.Measured != 50 {
			t.Errorf("%+v", c)
		}
		filetest.WantWords(t, c.Note, "not the paper's data")
	}
	if c := find(small, "Double memory", "ml-32m", "PHE", "movielens-small-wide"); c.Substitute != "ml-latest-small" {
		t.Errorf("%+v", c)
	}
	c := find(small, "Table 1", "ml-32m", "PHE (frozen)", "movielens-small-wide")
	if c.Substitute != "ml-latest-small" || c.InPaper || c.outcome() != notInPaper {
		t.Errorf("%+v", c)
	}
	cells := filetest.Must(TableCells("1", small))(t)
	filetest.WantWords(t, Grid(cells).String(),
		"| ml-32m | 50.00 on ml-latest-small [1]<br>(14.7 ± 0.0) |",
		"| ml-latest-small, beliefs that start wide | 50.00 [1]<br>(14.7 ± 0.0) |")
	filetest.WantWords(t, CellTable(cells).String(),
		"| Table 1 | ml-32m | PHE | sample_error | 14.7 ± 0.0 | 50.00 on ml-latest-small | +35.30 | other data | other data [1] |")

	all["movielens-32m"] = of("ml-32m", 0.147)
	c = find(all.open(t), "Table 1", "ml-32m", "PHE", "movielens-32m")
	if c.Substitute != "" || c.outcome() != comesOut || *c.Measured != 14.7 || c.Note != "" {
		t.Errorf("the paper's own data: %+v", c)
	}
	all["movielens-32m"] = of("ml-32m", 0.5)
	if c := find(all.open(t), "Table 1", "ml-32m", "PHE", "movielens-32m"); !c.differs() || c.outcome() != doesDiffer {
		t.Errorf("the paper's own data, far away: %+v", c)
	}
}

// Cells of the paper are counted once, by the first run and by the best; what differs is listed by the reason.
func TestOutcomes(t *testing.T) {
	of := func(item, method string) Quantity { return Quantity{Item: item, Method: method} }
	cells := []Cell{
		{Quantity: of("Table 1", "PHE"), Spec: "first", InPaper: true, Paper: p(80), PaperSD: p(1), Measured: p(90), Note: "why"},
		{Quantity: of("Table 1", "PHE"), Spec: "second", InPaper: true, Paper: p(80), PaperSD: p(1), Measured: p(80)},
		{Quantity: of("Table 1", "EE"), Spec: "first", InPaper: true, Paper: p(80), PaperSD: p(1), Measured: p(99), MeasuredSD: p(100)},
		{Quantity: of("Table 1", "FastAda"), Spec: "first", InPaper: true, Measured: p(1), Diverged: 2, Seeds: 3},
		{Quantity: of("Table 1", "PHE (frozen)"), Spec: "first", Measured: p(1)},
		{Quantity: Quantity{Item: "Table 4", Metric: measure.CompressionRatio}, InPaper: true, Paper: p(1), Measured: p(1)},
		{Quantity: of("Double memory", "PHE"), InPaper: true, Paper: p(80), PaperSD: p(1), Measured: p(80)},
		{Quantity: of("Table 1", "PHE"), InPaper: true, Paper: p(80), PaperSD: p(1), Measured: p(80), Reading: textReading},
	}
	got := Outcomes(cells).String()
	filetest.WantWords(t, got,
		"**3 of 5 cells of the paper come out** in at least one run.", "Counted once, 1 of 3 come out.",
		"| come out | 3 | 2 | 3 |", "| differ | 1 | 2 | 2 |", "| measured, but a dash in the paper | 1 | 1 | 1 |", "| all | 5 | 5 | 6 |",
		"\n1. why\n    - Table 1 `first` PHE: 90.00 against 80.0 ± 1.0, comes out in `second`\n",
		"\n2. Not explained.\n    - Table 1 `first` EE: 99.00 ± 100.00 against 80.0 ± 1.0\n",
		"left out of the mean: Table 1 `first` FastAda (2 of 5 seeds).", "larger than they are: Table 1 `first` EE 99.00 ± 100.00.")
	got = Outcomes(cells[1:2]).String()
	filetest.WantWords(t, got, "No seed of these results diverged")
	filetest.True(t, !strings.Contains(got, "These cells differ"), "nothing to explain:\n%s", got)
}

// Of a draw whose seeds have all diverged, or that has not run yet, nothing is said.
func TestOverDrawsWithoutScores(t *testing.T) {
	method := func(name, status string, accuracy float64) result.Method {
		return result.Method{Name: name, Runs: []result.Run{{Status: status, Rows: []int{10}, Accuracy: []float64{accuracy}}}}
	}
	s := &source{folder: results{"adult-draws": {
		method("PHE h1", result.Complete, 0.8), method("PHE h2", result.Complete, 0.5), method("SlowAda h1", result.Complete, 0.7),
		method("SlowAda h2", result.Diverged, 0.1), method("FastAda h1", result.Diverged, 0.1),
		method("PHE remedy h1", result.Complete, 0.6), method("SlowAda remedy h1", result.Complete, 0.6),
		method("PHE remedy h2", result.Complete, 0.5), method("SlowAda remedy h2", result.Complete, 0.6)}}.open(t)}
	shown := s.drawsTable("paper=Table 1/adult", "text=adult-draws", "whole=covertype-draws").String()
	filetest.WantWords(t, shown, "| method | paper | text | text: worst draw, worst run |", "| SlowAda | 82.2 ± 0.7 | 70.00 | –, 70.00 |",
		"| PHE | 84.1 ± 0.2 | 65.00 ± 21.21 (15.00) | 50.00, 50.00 |", "| -5.00 ± 63.53, undecided | 2 × 1 | waits |",
		"*Waits for `phe run covertype-draws`.*")
	if strings.Contains(shown, "FastAda") {
		t.Errorf("a method without scores has a row:\n%s", shown)
	}
	// PHE is at 80 and 50, and the only Ada at 70 in draw 1: a single pair has no interval, and so no verdict.
	if said := s.over("adult-draws", "PHE", "less the best Ada"); said != "–" || s.err != nil {
		t.Errorf("PHE against the best Ada of one draw: %s, %v", said, s.err)
	}
	one := &overDraws{name: "PHE", metric: &measure.Metric{Digits: 2, Less: true}, draws: map[string][]float64{"1": {0.2}, "2": {0.25}}}
	ada := &overDraws{name: "SlowAda", metric: one.metric, draws: map[string][]float64{"1": {0.3}, "2": {0.31}}}
	worse := &overDraws{name: "FastAda", metric: one.metric, draws: map[string][]float64{"1": {0.4}, "2": {0.4}}}
	// The best Ada errs least. −.1 and −.06 make t = 4 of one degree of freedom, so p = 1 − (2/π) atan 4 = .16.
	all := []*overDraws{worse, ada, one}
	if judge([][]*overDraws{all}); one.ofAda != "-0.08 ± 0.25, undecided" {
		t.Errorf("PHE against the best Ada: %s", one.ofAda)
	}
	ada.draws["2"][0] = 0.3499 // −.1 and −.0999 make t = 1,999
	if judge([][]*overDraws{all}); one.ofAda != "-0.10 ± 0.00, ahead" {
		t.Errorf("PHE against the best Ada: %s", one.ofAda)
	}
	ada.name, one.name = one.name, ada.name // swapped
	delete(worse.draws, "1")
	delete(worse.draws, "2")
	if judge([][]*overDraws{all}); ada.ofAda != "+0.10 ± 0.00, behind" {
		t.Errorf("swapped: %s", ada.ofAda)
	}
	if s.over("adult-draws", "FastAda", "less the best Ada"); s.err == nil {
		t.Error("a method without scores has a cell")
	}
}
