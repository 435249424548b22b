package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// Each figure says which result it lacks, and draws nothing.
func TestFiguresWithoutResults(t *testing.T) {
	for name, d := range drawings {
		for _, s := range slices.Concat(d.specs, d.also, slices.Concat(d.beside...)) {
			if !slices.Contains(spec.Names(), s) {
				t.Errorf("figure %s needs %s, which no spec makes", name, s)
			}
		}
		if d.specs == nil {
			continue // a diagram
		}
		refused(t, "", []string{"figure", name}, "holds no result of "+d.specs[0], "phe run")
	}
	seen := map[string]string{}
	for name, d := range drawings {
		if other, twice := seen[d.file]; twice {
			t.Errorf("figures %s and %s are the same file", name, other)
		}
		seen[d.file] = name
	}
}

// A figure can add other results to its own: the first of each list that is there.
func TestFigureBeside(t *testing.T) {
	out := t.TempDir()
	d := drawing{specs: []string{"own"}, beside: [][]string{{"first", "second"}, {"another"}}}
	for _, next := range []struct{ file, want string }{{"own", "own"}, {"second", "own second"}, {"first", "own first"}, {"another", "own first another"}} {
		filetest.Check(t, (&result.File{Name: next.file}).Write(filepath.Join(out, next.file+".json")))
		files := filetest.Must(pictures{results: result.OpenFolder(out)}.resultsOf(d))(t)
		var names []string
		for _, f := range files {
			names = append(names, f.Name)
		}
		if got := strings.Join(names, " "); got != next.want {
			t.Errorf("read %s, want %s", got, next.want)
		}
	}
	filetest.Check(t, os.WriteFile(filepath.Join(out, "first.json"), []byte("damaged"), 0o644))
	if _, err := (pictures{results: result.OpenFolder(out)}).resultsOf(d); err == nil || !strings.Contains(err.Error(), "first.json is not a result file") {
		t.Errorf("a damaged file: error %v", err)
	}
}

// From a spec that takes no time to its table and its figure.
func TestTwoItems(t *testing.T) {
	out := t.TempDir()
	code, stdout, stderr := call(t, "", "run", "two-items", "--out", out, "--backend", "go")
	if code != 0 || !strings.Contains(stdout, "| Ada |") {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	code, table, stderr := call(t, "", "table", "two-items", "--out", out)
	if code != 0 || !strings.Contains(stdout, table) {
		t.Errorf("exit code %d, %s; table\n%s", code, stderr, table)
	}
	code, lines, stderr := call(t, "", "table", "two-items", "--csv", "--out", out)
	if code != 0 {
		t.Fatal(stderr)
	}
	rows, err := csv.NewReader(strings.NewReader(lines)).ReadAll()
	if err != nil || len(rows) != 1+4 || rows[0][0] != "item" || rows[1][0] != "two-items" || rows[1][2] != "Observation" {
		t.Errorf("%v, rows %q", err, rows)
	}

	pictures := filepath.Join(out, "made", "pictures")
	code, stdout, stderr = call(t, "", "figure", "5", "--out", out, "--to", pictures)
	if code != 0 {
		t.Fatal(stderr)
	}
	path := filepath.Join(pictures, "fig05-two-items.svg")
	if info, err := os.Stat(path); err != nil || info.Size() < 1000 || stdout != path+"\n" {
		t.Errorf("%s: %v; stdout %s", path, err, stdout)
	}
	code, _, stderr = call(t, "", "figure", "11", "--spec", "two-items", "--out", out, "--to", pictures)
	if code != exitError || strings.Contains(stderr, "panic") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("the wrong result for a figure: exit code %d, %s", code, stderr)
	}
}

// What shows ratings is drawn from a recommender's result, and its picture named after it where there may be several.
func TestFiguresOfRatings(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	run := result.Run{Status: result.Complete, Rows: []int{1, 2}, Memory: []result.Memory{{Step: 1, Megabytes: 500}, {Step: 2, Megabytes: 510}},
		Scores: map[string][]float64{"rating_error": {0.2, 0.1}}, Calibration: []float64{1, 2}, Tallies: map[string][]result.Tally{}}
	for _, name := range []string{"user first", "film first", "user learned", "film learned"} {
		run.Tallies[name] = []result.Tally{{Rows: 2, Error: 0.3}, {}, {}, {}, {Rows: 1, Error: 0.1}}
	}
	f := &result.File{Name: "mine", Status: result.Complete, Methods: []result.Method{
		{Name: "PHE", Dataset: "ml-latest-small", Protocol: protocol.Recommend, Convention: protocol.Paper, Parameters: 346, Runs: []result.Run{run}}}}
	f.Stream.Days, f.Stream.Users = []string{"2000-01-01", "2000-01-03"}, []int{3, 4}
	filetest.Check(t, f.Write(filepath.Join(out, "mine.json")))
	for name, file := range map[string]string{
		"6": "fig06-online", "7": "fig07-first-days", "calibration": "calibration-mine", "cold-start": "cold-start-mine", "memory": "memory-mine",
	} {
		code, stdout, stderr := call(t, "", "figure", name, "--spec", "mine", "--out", out, "--to", out)
		if code != 0 || !strings.Contains(stdout, filepath.Join(out, file+".svg")) {
			t.Errorf("figure %s: exit code %d, stdout %q, stderr %s", name, code, stdout, stderr)
		}
	}
}

// The command writes the pages. Without results it returns an error of one line and writes no file.
func TestReportCommand(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	to := filepath.Join(out, "pages")
	code, stdout, stderr := call(t, "", "report", "--out", out, "--to", to)
	if code != exitError || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, out+" holds no result of ") || !strings.Contains(stderr, "phe reproduce ") {
		t.Errorf("without results: exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("an error left a page")
	}
	real := filepath.Join("..", "..", "..", "experiments", "out")
	code, stdout, stderr = call(t, "", "report", "--out", real)
	if code != 0 || !strings.HasPrefix(stdout, "<!-- `phe report` made") || !strings.Contains(stdout, "\n## The verdict\n") {
		t.Errorf("exit code %d, stderr %s, stdout begins %.100q", code, stderr, stdout)
	}

	// Someone who ran one study gets pages too. They name what is missing.
	writeAdult(t, out)
	code, stdout, stderr = call(t, "", "report", "--out", out, "--to", to)
	for _, path := range []string{"REPRODUCTION.md", "docs/reproduction/table-1.md", "docs/reproduction/cells.csv", "docs/reproduction/cells.html"} {
		path = filepath.Join(to, path)
		if info, err := os.Stat(path); err != nil || info.Size() == 0 || !strings.Contains(stdout, path+"\n") {
			t.Errorf("exit code %d, stderr %s, stdout %s: no %s", code, stderr, stdout, path)
		}
	}
	page, err := os.ReadFile(filepath.Join(to, "docs", "reproduction", "retail.md"))
	if code != 0 || err != nil || !strings.Contains(string(page), "*Not here: "+out+" holds no result of retail-online; make it with `phe run retail-online --out "+out+"`.*") {
		t.Errorf("one result: exit code %d, stderr %s, %v\n%.2000s", code, stderr, err, page)
	}
	if code, _, stderr := call(t, "", "report", "--out", out, "--to", filepath.Join(out, "page.md")); code != exitError || !strings.Contains(stderr, "name the folder") {
		t.Errorf("a page in place of a folder: exit code %d, stderr %s", code, stderr)
	}
	if code, _, stderr := call(t, "", "report", "--out", out, "--to", filepath.Join(to, "REPRODUCTION.md", "no")); code != exitError || !strings.Contains(stderr, "--to") {
		t.Errorf("a folder that cannot be made: exit code %d, stderr %s", code, stderr)
	}

	code, stdout, _ = call(t, "", "compare", "--summary", "--out", out)
	if code != 0 || !strings.Contains(stdout, " cells of the paper come out** ") {
		t.Errorf("compare --summary: exit code %d\n%.300s", code, stdout)
	}
	if code, _, stderr := call(t, "", "compare", "--summary", "--csv", "--out", out); code != exitError || !strings.Contains(stderr, "summary") {
		t.Errorf("compare --summary --csv: exit code %d, %s", code, stderr)
	}
}

// writeAdult copies the committed result of Adult's stream into a folder.
func writeAdult(t *testing.T, folder string) {
	t.Helper()
	for _, ext := range []string{".json", ".series"} {
		content := filetest.Must(os.ReadFile(filepath.Join("..", "..", "..", "experiments", "out", "adult-online"+ext)))(t)
		filetest.Check(t, os.WriteFile(filepath.Join(folder, "adult-online"+ext), content, 0o644))
	}
}
