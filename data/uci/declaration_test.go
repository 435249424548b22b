package uci

import (
	"testing"

	"gophe/phe/disk/filetest"
)

// TestDeclarations compares declarations with their sources. Tests of Load compare them with the files.
func TestDeclarations(t *testing.T) {
	for _, d := range filetest.Some(t, Tables(), "tables") {
		source := d.source()
		filetest.Want(t, source.Name, d.Source, "the source of %s", d.Name)
		filetest.Want(t, len(d.header()), source.Columns, "%s: columns", d.Name)
		filetest.True(t, d.CompleteRows <= source.Rows, "%s: %d complete rows of %d", d.Name, d.CompleteRows, source.Rows)
		labels := 0
		incremental := false
		for _, c := range d.Columns {
			incremental = incremental || c.Name == d.Incremental && (c.Kind == categorical || c.Kind == oneHot)
			if c.Kind == label {
				labels++
			}
		}
		filetest.Want(t, labels, 1, "%s: labels", d.Name)
		filetest.True(t, len(d.Classes) >= 2, "%s: %d classes", d.Name, len(d.Classes))
		filetest.True(t, incremental, "%s: no column %s", d.Name, d.Incremental)
	}
}
