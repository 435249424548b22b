package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// From a spec that takes no time to its table and its figure.
func TestTwoItems(t *testing.T) {
	out := t.TempDir()
	r := call(t, "", "run", "two-items", "--out", out, "--backend", "go").prints(t, "| Ada |")
	r.prints(t, call(t, "", "table", "two-items", "--out", out).prints(t).stdout)
	table := call(t, "", "table", "two-items", "--csv", "--out", out).prints(t).stdout
	rows := filetest.Must(csv.NewReader(strings.NewReader(table)).ReadAll())(t)
	filetest.Want(t, len(rows), 1+4, "lines of the table")
	filetest.Want(t, []string{rows[0][0], rows[1][0], rows[1][2]}, []string{"item", "two-items", "Observation"}, "cells of the table")

	pictures := filepath.Join(out, "made", "pictures")
	path := filepath.Join(pictures, "fig05-two-items.svg")
	drawn := call(t, "", "figure", "5", "--out", out, "--to", pictures).prints(t)
	filetest.Want(t, drawn.stdout, path+"\n", "output")
	filetest.True(t, filetest.Must(os.Stat(path))(t).Size() >= 1000, "%s is too small", path)
	refused(t, "", []string{"figure", "11", "--spec", "two-items", "--out", out})
}

// What shows ratings is drawn from a recommender's result, and its picture named after it where there may be several.
func TestFiguresOfRatings(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	run := result.Run{Status: result.Complete, Rows: []int{1, 2}, Calibration: []float64{1, 2},
		Memory: []result.Memory{{Step: 1, Megabytes: 500}, {Step: 2, Megabytes: 510}},
		Scores: map[string][]float64{"rating_error": {0.2, 0.1}}, Tallies: map[string][]result.Tally{}}
	for _, name := range []string{"user first", "film first", "user learned", "film learned"} {
		run.Tallies[name] = []result.Tally{{Rows: 2, Error: 0.3}, {}, {}, {}, {Rows: 1, Error: 0.1}}
	}
	m := result.Method{Name: "PHE", Dataset: "ml-latest-small", Protocol: protocol.Recommend, Convention: protocol.Paper, Parameters: 346,
		Runs: []result.Run{run}}
	f := &result.File{Name: "mine", Status: result.Complete, Methods: []result.Method{m}}
	f.Stream.Days, f.Stream.Users = []string{"2000-01-01", "2000-01-03"}, []int{3, 4}
	filetest.Check(t, f.Write(filepath.Join(out, "mine.json")))
	for name, file := range map[string]string{
		"6": "fig06-online", "7": "fig07-first-days", "calibration": "calibration-mine", "cold-start": "cold-start-mine",
		"memory": "memory-mine",
	} {
		call(t, "", "figure", name, "--spec", "mine", "--out", out, "--to", out).prints(t, filepath.Join(out, file+".svg"))
	}
}

// The command writes the pages. Without results it returns an error of one line and writes no file.
func TestReportCommand(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	to := filepath.Join(out, "pages")
	report := func(folder string, more ...string) ran {
		return call(t, "", append([]string{"report", "--out", folder}, more...)...)
	}
	r := report(out, "--to", to).ends(t, exitError, out+" holds no result of ", "phe reproduce ")
	filetest.Want(t, r.stdout, "", "output without results")
	filetest.Want(t, len(lines(r.stderr)), 1, "lines of the error")
	filetest.WantFiles(t, out)
	real := report(filepath.Join("..", "..", "..", "experiments", "out")).prints(t, "\n## The verdict\n")
	filetest.True(t, strings.HasPrefix(real.stdout, "<!-- `phe report` made"), "the page begins with %.100q", real.stdout)

	// Someone who ran one study gets pages too. They name what is missing.
	writeAdult(t, out)
	r = report(out, "--to", to).prints(t)
	for _, path := range []string{"REPRODUCTION.md", "docs/reproduction/table-1.md", "docs/reproduction/cells.csv",
		"docs/reproduction/cells.html"} {
		path = filepath.Join(to, path)
		r.prints(t, path+"\n")
		filetest.True(t, filetest.Must(os.Stat(path))(t).Size() > 0, "%s is empty", path)
	}
	page := filetest.Must(os.ReadFile(filepath.Join(to, "docs", "reproduction", "retail.md")))(t)
	filetest.WantWords(t, string(page),
		"*Not here: "+out+" holds no result of retail-online; make it with `phe run retail-online --out "+out+"`.*")
	report(out, "--to", filepath.Join(out, "page.md")).ends(t, exitError, "name the folder")
	report(out, "--to", filepath.Join(to, "REPRODUCTION.md", "no")).ends(t, exitError, "--to")
	call(t, "", "compare", "--summary", "--out", out).prints(t, " cells of the paper come out** ")
	call(t, "", "compare", "--summary", "--csv", "--out", out).ends(t, exitError, "summary")
}

// writeAdult copies the committed result of Adult's stream into a folder.
func writeAdult(t *testing.T, folder string) {
	t.Helper()
	for _, ext := range []string{".json", ".series"} {
		content := filetest.Must(os.ReadFile(filepath.Join("..", "..", "..", "experiments", "out", "adult-online"+ext)))(t)
		filetest.Check(t, os.WriteFile(filepath.Join(folder, "adult-online"+ext), content, 0o644))
	}
}

// The folder figures/out holds exactly the pictures of the results in experiments/out. Each is there once, as an SVG.
func TestCommittedPictures(t *testing.T) {
	t.Parallel()
	committed, made := filepath.Join("..", "..", "..", "figures", "out"), t.TempDir()
	r := call(t, "", "figure", "all", "--out", filepath.Join("..", "..", "..", "experiments", "out"), "--to", made).prints(t)
	t.Log(r.stderr)
	const redraw = "redraw the pictures by `make figures`, look at them, and commit them"
	want, got := filesIn(t, committed), filesIn(t, made)
	for _, name := range want {
		filetest.True(t, slices.Contains(got, name), "no figure makes figures/out/%s: remove it, or bring back its result", name)
	}
	for _, name := range got {
		filetest.True(t, strings.Contains(r.stdout, filepath.Join(made, name)+"\n"), "%s was made and not named", name)
		if !slices.Contains(want, name) {
			t.Errorf("figures/out has no %s: %s", name, redraw)
			continue
		}
		old := filetest.Must(os.ReadFile(filepath.Join(committed, name)))(t)
		anew := filetest.Must(os.ReadFile(filepath.Join(made, name)))(t)
		filetest.True(t, bytes.Equal(old, anew), "figures/out/%s differs from the program's picture of the results: %s", name, redraw)
	}
}

// Diagrams need no results; what does need them is named and left out.
func TestAllFiguresWithoutResults(t *testing.T) {
	made := t.TempDir()
	r := call(t, "", "figure", "all", "--out", t.TempDir(), "--to", made)
	r.ends(t, 0, "left out fig01-group-update: ", "left out fig03-right-retail-forecast: ", "left out calibration-movielens-small-wide: ",
		"left out memory-movielens-generated: ", "left out pays: ")
	filetest.WantFiles(t, made, "fig02-encoder.svg", "fig04-sequence-model.svg")
	filetest.Want(t, len(lines(r.stdout)), 2, "lines of output")
	out := write(t, "adult-online.json", []byte("damaged"))
	call(t, "", "figure", "all", "--out", out, "--to", made).ends(t, exitError, "adult-online.json is not a result file")
}
