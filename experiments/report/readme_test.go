package report

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gophe/experiments/compare"
	"gophe/experiments/result"
)

// No table between markers has a number of its own: each is what the named command prints.
func TestReadmeTables(t *testing.T) {
	for path, least := range map[string]int{"../../README.md": 3, "../../docs/one-pass.md": 1} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fresh, blocks, err := fillBlocks(string(content), result.OpenFolder("../out"), false)
		if err != nil {
			t.Fatal(err)
		}
		if blocks < least {
			t.Errorf("%s has %d marked tables, want at least %d", path, blocks, least)
		}
		holds(t, path, string(content), fresh)
	}
}

// The committed REPRODUCTION.md is what `phe report` makes of the committed results.
func TestReport(t *testing.T) {
	fresh, err := Report(result.OpenFolder("../out"))
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("../../REPRODUCTION.md")
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "../../REPRODUCTION.md", string(content), fresh)
	complete(t, fresh)
	links(t, fresh)
}

// holds compares a page with what it should be, or rewrites it.
func holds(t *testing.T, path, content, fresh string) {
	t.Helper()
	if content == fresh {
		return
	}
	if !*update {
		t.Errorf("%s differs from the result files; run `go test ./experiments -run 'TestReadmeTables|TestReport' -update`", path)
	} else if err := os.WriteFile(path, []byte(fresh), 0o644); err != nil {
		t.Fatal(err)
	}
}

// complete fails on an empty cell anywhere, and in the table of every cell on one without a number or a word. There, all of
// the paper's cells are.
func complete(t *testing.T, page string) {
	t.Helper()
	before, cells, found := strings.Cut(page, "## Every cell\n")
	if !found {
		t.Fatal("no section lists every cell")
	}
	if strings.Contains(page, "{{") || strings.Contains(page, "<no value>") {
		t.Error("a number is not filled in")
	}
	width := 0
	rows := func(text string, check func(line, cell string)) (n int) {
		for _, line := range strings.Split(text, "\n") {
			if !strings.HasPrefix(line, "|") {
				width = 0
				continue
			}
			columns := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
			if width == 0 {
				width = len(columns)
			}
			if len(columns) != width {
				t.Errorf("%d cells in a table of %d columns: %s", len(columns), width, line)
			}
			for _, c := range columns {
				check(line, strings.TrimSpace(c))
			}
			n++
		}
		return n
	}
	rows(before, func(line, cell string) {
		if cell == "" {
			t.Errorf("an empty cell: %s", line)
		}
	})
	n := rows(cells, func(line, cell string) {
		if cell == "" || cell == "–" || cell == "-" || cell == string(compare.NotRun) {
			t.Errorf("cell %q of %s", cell, line)
		}
	})
	if want := len(paperNumbers()) + 2; n != want {
		t.Errorf("%d lines list every cell, want %d", n, want)
	}
}

var linked = regexp.MustCompile(`\]\(([^)]+)\)`)

// links lead to headings and files that are there.
func links(t *testing.T, page string) {
	t.Helper()
	anchors := map[string]bool{}
	for _, h := range headings.FindAllStringSubmatch(page, -1) {
		if anchors[anchor(h[2])] {
			t.Errorf("two headings are called %q", h[2])
		}
		anchors[anchor(h[2])] = true
	}
	for _, link := range linked.FindAllStringSubmatch(page, -1) {
		if name, inside := strings.CutPrefix(link[1], "#"); inside {
			if !anchors[name] {
				t.Errorf("no heading is called #%s", name)
			}
		} else if _, err := os.Stat(filepath.Join("..", "..", link[1])); err != nil {
			t.Errorf("link %s: %v", link[1], err)
		}
	}
}
