package study

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/spec"
	"gophe/phe/disk/filetest"
)

// Each figure says which result it lacks, and draws nothing.
func TestFiguresWithoutResults(t *testing.T) {
	for name, d := range drawings {
		for _, s := range slices.Concat(d.specs, d.also, slices.Concat(d.beside...)) {
			filetest.True(t, slices.Contains(spec.Names(), s), "figure %s needs %s, which no spec makes", name, s)
		}
		if d.specs == nil {
			continue // a diagram
		}
		_, err := pictures{results: result.OpenFolder(t.TempDir())}.resultsOf(d)
		filetest.WantError(t, err, "holds no result of "+d.specs[0], "phe run")
	}
	seen := map[string]string{}
	for name, d := range drawings {
		filetest.Want(t, seen[d.file], "", "another figure in the file of figure %s", name)
		seen[d.file] = name
	}
}

// A figure can add other results to its own: the first of each list that is there.
func TestFigureBeside(t *testing.T) {
	out := t.TempDir()
	d := drawing{specs: []string{"own"}, beside: [][]string{{"first", "second"}, {"another"}}}
	for _, next := range []struct{ file, want string }{{"own", "own"}, {"second", "own second"}, {"first", "own first"},
		{"another", "own first another"}} {
		filetest.Check(t, (&result.File{Name: next.file}).Write(filepath.Join(out, next.file+".json")))
		files := filetest.Must(pictures{results: result.OpenFolder(out)}.resultsOf(d))(t)
		var names []string
		for _, f := range files {
			names = append(names, f.Name)
		}
		filetest.Want(t, strings.Join(names, " "), next.want, "results that were read")
	}
	filetest.Check(t, os.WriteFile(filepath.Join(out, "first.json"), []byte("damaged"), 0o644))
	_, err := pictures{results: result.OpenFolder(out)}.resultsOf(d)
	filetest.WantError(t, err, "first.json is not a result file")
}
