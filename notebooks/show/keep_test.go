package show

import (
	"path/filepath"
	"reflect"
	"testing"
)

// A later cell finds the value that an earlier cell kept.
func TestKeep(t *testing.T) {
	t.Setenv("GONB_DIR", filepath.Join(t.TempDir(), "notebooks"))
	want := map[string][]float64{"a": {1, 2}, "b": nil}
	Keep("trace", want)
	if got := Kept[map[string][]float64]("trace"); !reflect.DeepEqual(got, want) {
		t.Errorf("kept %v, got %v", want, got)
	}
}
