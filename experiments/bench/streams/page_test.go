package main

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"

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
	filetest.WantEqual(t, strings.Count(fresh, "<!-- streams "), 5+len(streams()), "blocks")
	for _, line := range strings.Split(fresh, "\n") {
		filetest.Want(t, !strings.HasPrefix(line, "|") || strings.Count(line, "|") <= 6, "more than five columns: %s", line)
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
	filetest.Want(t, len(r.Streams) == len(streams()), "%d streams", len(r.Streams))
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
