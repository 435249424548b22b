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
	code, stdout, stderr := call(t, "", "figure", "all", "--out", filepath.Join("..", "..", "..", "experiments", "out"), "--to", made)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, line := range strings.Split(strings.TrimSpace(stderr), "\n") {
		t.Log(line)
	}
	const redraw = "redraw the pictures by `make figures`, look at them, and commit them"
	want, got := filesIn(t, committed), filesIn(t, made)
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("no figure makes figures/out/%s: remove it, or bring back its result", name)
		}
	}
	for _, name := range got {
		if !strings.Contains(stdout, filepath.Join(made, name)+"\n") {
			t.Errorf("%s was made and not named", name)
		}
		if !slices.Contains(want, name) {
			t.Errorf("figures/out has no %s: %s", name, redraw)
			continue
		}
		old := filetest.Must(os.ReadFile(filepath.Join(committed, name)))(t)
		anew := filetest.Must(os.ReadFile(filepath.Join(made, name)))(t)
		if !bytes.Equal(old, anew) {
			t.Errorf("figures/out/%s differs from the program's picture of the results: %s", name, redraw)
		}
	}
}

// Diagrams need no results; what does need them is named and left out.
func TestAllFiguresWithoutResults(t *testing.T) {
	made := t.TempDir()
	code, stdout, stderr := call(t, "", "figure", "all", "--out", t.TempDir(), "--to", made)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	want := []string{"fig02-encoder.svg", "fig04-sequence-model.svg"}
	if got := filesIn(t, made); !slices.Equal(got, want) || strings.Count(stdout, "\n") != len(want) {
		t.Errorf("made %q, stdout %s", got, stdout)
	}
	for _, left := range []string{"fig01-group-update", "fig03-right-retail-forecast", "calibration-movielens-small-wide", "memory-movielens-generated", "pays"} {
		if !strings.Contains(stderr, "left out "+left+": ") {
			t.Errorf("%s is not named as left out:\n%s", left, stderr)
		}
	}
	out := write(t, "adult-online.json", []byte("damaged"))
	if code, _, stderr = call(t, "", "figure", "all", "--out", out, "--to", made); code != exitError || !strings.Contains(stderr, "adult-online.json is not a result file") {
		t.Errorf("a damaged result: exit code %d, %s", code, stderr)
	}
}
