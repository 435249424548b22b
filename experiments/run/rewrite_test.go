package run

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
)

// A result that is read and written again keeps every digit. Refresh does so with the methods that it keeps when a spec gains a method.
func TestRewriteKeepsResults(t *testing.T) {
	paths := slices.DeleteFunc(committed(t), func(path string) bool { return !strings.HasSuffix(path, "-one-pass.json") })
	if len(paths) < 30 {
		t.Fatalf("%d results", len(paths))
	}
	folder := t.TempDir()
	for i, path := range paths {
		if i%4 > 0 && !filetest.Long() {
			continue // each of these results has all kinds of scores
		}
		before, copied := filetest.Must(result.Read(path))(t), filetest.Must(result.Read(path))(t)
		to := filepath.Join(folder, filepath.Base(path))
		filetest.Check(t, copied.Write(to))
		after := filetest.Must(result.Read(to))(t)
		if what := firstDifference(before, after); what != "" {
			t.Errorf("%s is another result after it was read and written: %s", before.Name, what)
		}
	}
}

// firstDifference names the first part in which two results differ.
func firstDifference(a, b *result.File) string {
	for i := range a.Methods {
		for k := range a.Methods[i].Runs {
			x, y := a.Methods[i].Runs[k], b.Methods[i].Runs[k]
			if !reflect.DeepEqual(x, y) {
				return a.Methods[i].Label()
			}
		}
	}
	if len(a.Methods) != len(b.Methods) || !reflect.DeepEqual(a.Stream, b.Stream) {
		return "stream"
	}
	return ""
}
