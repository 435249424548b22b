package main

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"

	"gophe/experiments/result/fixture"
	"gophe/phe/disk/filetest"
)

var update = flag.Bool("update", false, "rewrite the page's tables from the results")

const (
	page, readme             = "../../../docs/streams-compared.md", "../../../README.md"
	committed, committedLate = "results.json", "results-late.json"
)

// The tables of the page and of the README are made of the committed results, and have five columns at most.
func TestPage(t *testing.T) {
	r, late := filetest.Must(read(committed))(t), filetest.Must(read(committedLate))(t)
	for _, path := range []string{page, readme} {
		holds(t, path, func(page string) (string, error) { return r.fill(page, late) })
	}
	fresh := string(filetest.Must(os.ReadFile(page))(t))
	if n := strings.Count(fresh, "<!-- streams "); n != 5+len(streams()) {
		t.Errorf("%d blocks", n)
	}
	for _, line := range strings.Split(fresh, "\n") {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|") > 6 {
			t.Errorf("more than five columns: %s", line)
		}
	}
}

// holds fails unless a page is as filled anew, or rewrites it.
func holds(t *testing.T, path string, fill func(page string) (string, error)) {
	t.Helper()
	content := string(filetest.Must(os.ReadFile(path))(t))
	fresh := filetest.Must(fill(content))(t)
	if *update {
		filetest.Check(t, os.WriteFile(path, []byte(fresh), 0o644))
	} else if fresh != content {
		t.Errorf("%s differs from the measurements; run `go test ./experiments/bench/streams -run %s -update`", path, t.Name())
	}
}

// Committed results are whole: every task of every stream, all of one measuring.
func TestResultsWhole(t *testing.T) {
	r := filetest.Must(read(committed))(t)
	if len(r.Runs) == 0 {
		t.Skip("nothing is measured yet")
	}
	if len(r.Streams) != len(streams()) {
		t.Errorf("%d streams", len(r.Streams))
	}
	for _, m := range r.Streams {
		for _, job := range jobsOf(&prepared{known: known{name: m.Name}, numeric: m.Numeric}) {
			run := r.find(job.task)
			if run == nil {
				t.Errorf("%+v is missing", job.task)
			} else if run.Version != r.Versions[run.Contender] || !(run.Score.Late > 0) || math.IsInf(run.Score.Late, 0) {
				t.Errorf("%s: version %q, now %q", run, run.Version, r.Versions[run.Contender])
			}
		}
	}
}

// given are results with two draws of gophe and one run of others.
func given() *results {
	own := func(contender, setting string, memory, seed int, late float64) run {
		return run{task: task{Stream: "toy", Contender: contender, Setting: setting, Memory: memory, Seed: seed}, cost: cost{CPU: 2, Peak: 3e6}, Score: scores{Late: late}}
	}
	return &results{Streams: []measured{{Name: "toy", Rows: 10}}, Runs: []run{
		own(gophe, "", large, 1, 0.5), own(gophe, "", large, 2, 0.52),
		own(wabbit, wabbitDefault, large, 1, 0.6), own(wabbit, wabbitDefault, large, 2, 0.64), own(wabbit, "linear", large, 1, 0.55),
		own(boosting, categories, 0, 0, 0.4), own(baseRate, "", 0, 0, 0.7),
	}}
}

// Differences are paired by seed, and the best setting is named.
func TestTables(t *testing.T) {
	got := filetest.Must(given().fill("a\n<!-- streams toy -->\nold\n<!-- end -->\nb\n<!-- streams summary 4M -->\n<!-- end -->\n", nil))(t)
	fixture.WantText(t, got,
		"| gophe, 4M | 0.5100 ± 0.0141 | – | 2.0 | 3 |\n",
		"| Vowpal Wabbit, pairs, 4M | 0.6200 ± 0.0283 | +0.1100 ± 0.0141 | 2.0 | 3 |\n",
		"| Vowpal Wabbit, best of 2: linear, 4M | 0.5500 | +0.0400 ± 0.0141 | 2.0 | 3 |\n",
		"| LightGBM, categories | 0.4000 | -0.1100 ± 0.0141 | 2.0 | 3 |\n",
		"| toy, log-loss | 0.5100 | 0.5500 | **0.4000** (LightGBM) | 0.7000 |\n",
	)
	if strings.Contains(got, "old") {
		t.Error("the old table is still there")
	}
	filetest.WantError(t, filetest.Failure(given().fill("<!-- streams typo -->\n<!-- end -->", nil)), `"typo"`)
}
