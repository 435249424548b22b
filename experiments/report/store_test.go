package report

import (
	"path/filepath"
	"testing"

	"gophe/experiments/measure"
	"gophe/experiments/result"
	"gophe/phe/disk/filetest"
)

// store writes a result made up by a test, with the summaries that a run would write.
func store(f *result.File, path string) error {
	measure.Summarise(f)
	return f.Write(path)
}

// write puts a complete result of made-up methods into a folder.
func write(t *testing.T, folder, name string, methods ...result.Method) {
	t.Helper()
	f := &result.File{Name: name, Status: result.Complete, Methods: methods}
	filetest.Check(t, f.Write(filepath.Join(folder, name+".json")))
}
