package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// The folder figures/out holds exactly the pictures of the results in experiments/out. Each is there once, as an SVG.
func TestCommittedPictures(t *testing.T) {
	t.Parallel()
	committed, made := filepath.Join("..", "..", "..", "figures", "out"), t.TempDir()
	r := call(t, "", "figure", "all", "--out", filepath.Join("..", "..", "..", "experiments", "out"), "--to", made).prints(t)
	t.Log(r.stderr)
	const redraw = "redraw the pictures by `make figures`, look at them, and commit them"
	want, got := filesIn(t, committed), filesIn(t, made)
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("no figure makes figures/out/%s: remove it, or bring back its result", name)
		}
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
