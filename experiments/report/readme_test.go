package report

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/spec"
	"gophe/phe/disk/filetest"
)

// The blocks of a page that a person edits hold what their comments call.
func TestReadmeTables(t *testing.T) {
	const path = "../../docs/backends.md"
	content := string(filetest.Must(os.ReadFile(path))(t))
	fresh, blocks, err := refill(content, committedResults())
	if err != nil || blocks == 0 {
		t.Fatalf("%d blocks of %s, error %v", blocks, path, err)
	}
	holds(t, path, content, fresh)
	complete(t, path, fresh)
}

// What the README says of PHE as published, at equal memory: a regression is ahead of it, and one pass too, but in one case.
func TestReadmeOfPHE(t *testing.T) {
	for _, f := range (&source{folder: committedResults()}).results(lateSpecs) {
		for _, kilobytes := range []int{4, 32, 256} {
			accuracy := func(method string) float64 {
				return *measure.Find(f, fmt.Sprintf("%s, %d KB", method, kilobytes)).Mean(measure.Accuracy)
			}
			phe, except := accuracy("PHE"), f.Name == "retail-late" && kilobytes == 4
			if accuracy("FTRL") <= phe || accuracy("One pass Stream") <= phe != except {
				t.Errorf("%s, %d KB: the README is wrong", f.Name, kilobytes)
			}
		}
	}
}

// The committed pages are what `phe report` makes of the committed results, and no others are there.
func TestReport(t *testing.T) {
	pages := filetest.Must(committedPages())(t)
	for path, fresh := range pages {
		path = filepath.Join("../..", path)
		content, err := os.ReadFile(path)
		if err != nil && !*update {
			t.Error(err)
		}
		holds(t, path, string(content), fresh)
		complete(t, path, fresh)
		if strings.HasSuffix(path, ".md") {
			namesOnce(t, path, fresh)
		}
	}
	files := filetest.Must(os.ReadDir("../../" + topicFolder))(t)
	if len(files) != len(pages)-2 {
		t.Errorf("%d files in %s, want %d", len(files), topicFolder, len(pages)-2)
	}
}

// holds compares a page with the fresh one, or rewrites it.
func holds(t *testing.T, path, content, fresh string) {
	t.Helper()
	if content == fresh {
		return
	}
	if !*update {
		t.Errorf("%s differs from the result files; run `go test ./experiments/report -run 'TestReadmeTables|TestReport' -update`", path)
	} else if err := os.WriteFile(path, []byte(fresh), 0o644); err != nil {
		t.Fatal(err)
	}
}

// complete fails on a missing result, on a number that is not filled in, and on an empty cell.
func complete(t *testing.T, path, page string) {
	t.Helper()
	if strings.Contains(page, notHereMark) {
		t.Errorf("%s: a result is missing", path)
	}
	calls := regexp.MustCompile(`<!-- \{\{.*\}\} -->`)
	if strings.Contains(calls.ReplaceAllString(page, ""), "{{") || strings.Contains(page, "<no value>") {
		t.Errorf("%s: a number is not filled in", path)
	}
	for _, waits := range regexp.MustCompile("aits for (`phe run [^)*]*)").FindAllStringSubmatch(page, -1) {
		for _, name := range regexp.MustCompile("phe run ([^`]*)").FindAllStringSubmatch(waits[1], -1) {
			if !slices.Contains(spec.Names(), name[1]) {
				t.Errorf("%s waits for %s, which is no spec", path, name[1])
			}
		}
	}
	if !strings.HasSuffix(path, ".md") {
		return
	}
	width := 0
	for _, line := range strings.Split(page, "\n") {
		if !strings.HasPrefix(line, "|") {
			width = 0
			continue
		}
		columns := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
		if width == 0 {
			width = len(columns)
		}
		if len(columns) != width {
			t.Errorf("%s: %d cells in a table of %d columns: %s", path, len(columns), width, line)
		}
		for _, c := range columns {
			if strings.TrimSpace(c) == "" {
				t.Errorf("%s: an empty cell: %s", path, line)
			}
		}
	}
}

// The page of all cells and its CSV have every cell of the paper, with a number or a word in each column.
func TestEveryCell(t *testing.T) {
	pages := filetest.Must(committedPages())(t)
	records := filetest.Must(csv.NewReader(strings.NewReader(pages[cellsFile])).ReadAll())(t)
	column := func(name string) int { return slices.Index(records[0], name) }
	inPaper, outcome, reading := column("in_paper"), column("outcome"), column("reading")
	page := pages[topicFolder+"/cells.html"]
	rows := regexp.MustCompile(`(?m)^<tr><td>(.*)$`).FindAllStringSubmatch(page, -1)
	if len(rows) != len(records)-1 {
		t.Fatalf("%d rows of HTML, and %d lines of CSV", len(rows), len(records)-1)
	}
	published := 0
	for i, record := range records[1:] {
		if record[inPaper] == "true" && record[reading] == programReading {
			published++
		}
		cells := strings.Split(rows[i][1], "<td>")
		if len(cells) != 10 || !strings.HasPrefix(cells[7], record[outcome]) || cells[9] != record[reading] {
			t.Errorf("cells %q of %q", cells, record)
		}
		for _, c := range cells {
			if c == "" || c == "–" || c == "-" || c == string(notRun) {
				t.Errorf("cell %q of %s", c, rows[i][1])
			}
		}
	}
	if published != paperCells {
		t.Errorf("%d lines of the CSV are the paper's, want %d", published, paperCells)
	}
	if n := strings.Count(page[strings.Index(page, "<script>"):strings.Index(page, "</script>")], "\n"); n > 60 {
		t.Errorf("%d lines of JavaScript", n)
	}
}

// The verdicts of the index count each cell of the paper once.
func TestVerdicts(t *testing.T) {
	cells := filetest.Must(Compare(committedResults()))(t)
	page := string(filetest.Must(templates.ReadFile("pages/" + index))(t))
	var came, all int
	for _, call := range regexp.MustCompile(`\{\{verdict "([^"]*)"((?: "[^"]+")*)\}\}`).FindAllStringSubmatch(page, -1) {
		c, n := cameOut(About(cells, call[1], strings.Fields(strings.ReplaceAll(call[2], `"`, ""))...))
		came, all = came+c, all+n
	}
	if wantCame, want := cameOut(cells); came != wantCame || all != want {
		t.Errorf("the index counts %d of %d, want %d of %d", came, all, wantCame, want)
	}
}

// namesOnce fails where two headings of a page have one name, so that a link would miss the second. Package docs tests all links.
func namesOnce(t *testing.T, path, page string) {
	t.Helper()
	anchors := map[string]bool{}
	for _, h := range headings.FindAllStringSubmatch(page, -1) {
		if anchors[anchor(h[1])] {
			t.Errorf("two headings of %s are called %q", path, h[1])
		}
		anchors[anchor(h[1])] = true
	}
}
