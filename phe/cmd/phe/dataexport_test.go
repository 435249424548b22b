package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// An export is a file that phe stream reads, or standard output. A failed one leaves nothing behind.
func TestDataExport(t *testing.T) {
	folder := t.TempDir()
	to := filepath.Join(folder, "mushroom.csv")
	if code, stdout, stderr := call(t, "", "data", "export", "mushroom", "--to", to); code != 0 || stdout != "" || !strings.Contains(stderr, "mushroom.csv: 8,416 rows") {
		t.Fatalf("%d %q %q", code, stdout, stderr)
	}
	written := filetest.Must(os.ReadFile(to))(t)
	code, stdout, stderr := call(t, "", "data", "export", "mushroom")
	if code != 0 || stdout != string(written) || !strings.HasPrefix(stdout, "label,cap_shape,") {
		t.Errorf("%d, %d bytes in place of %d, %q", code, len(stdout), len(written), stderr)
	}
	if code, _, stderr := call(t, "", "data", "export", "adult", "--to", to); code == 0 || !strings.Contains(stderr, "already exists") {
		t.Errorf("over another file: %d %q", code, stderr)
	}
	given := write(t, "mushroom.csv", written)
	source := filepath.Join(given, "mushroom.csv")
	if code, _, stderr := call(t, given, "data", "export", "mushroom", "--to", source, "--overwrite", "--allow-altered"); code == 0 || !strings.Contains(stderr, "would be written over") {
		t.Errorf("over its source: %d %q", code, stderr)
	}
	for _, path := range []string{to, source} {
		if now, err := os.ReadFile(path); err != nil || string(now) != string(written) {
			t.Errorf("%s changed: %v", path, err)
		}
	}
	altered := write(t, "mushroom.csv", written[:len(written)-200])
	if code, _, stderr := call(t, altered, "data", "export", "mushroom", "--to", filepath.Join(folder, "bad.csv")); code == 0 || !strings.Contains(stderr, "is altered") {
		t.Errorf("%d %q", code, stderr)
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "bad*")); len(files) > 0 {
		t.Errorf("a failed export left %q", files)
	}
	if code, _, stderr := call(t, "", "data", "export", "mushroms"); code == 0 || !strings.Contains(stderr, `there is no data set "mushroms"; did you mean "mushroom"? Else choose one of adult`) {
		t.Errorf("%d %q", code, stderr)
	}
}
