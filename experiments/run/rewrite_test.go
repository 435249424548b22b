package run

import (
	"path/filepath"
	"reflect"
	"testing"

	"gophe/experiments/result"
)

// A result that is read and written again keeps every digit. Refresh does so with the methods that it keeps when a spec gains a method.
func TestRewriteKeepsResults(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "out", "*-one-pass.json"))
	if err != nil || len(paths) < 30 {
		t.Fatalf("%d results; %v", len(paths), err)
	}
	folder := t.TempDir()
	for _, path := range paths {
		before, err := result.Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		copied, err := result.Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		to := filepath.Join(folder, filepath.Base(path))
		if err := copied.Write(to); err != nil {
			t.Error(err)
			continue
		}
		after, err := result.Read(to)
		if err != nil {
			t.Error(err)
			continue
		}
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
