package data

import (
	"testing"
)

// TestDeclarations compares declarations with their sources. Tests of Load compare them with the files.
func TestDeclarations(t *testing.T) {
	for _, d := range tableDeclarations() {
		source := d.file()
		if source.Name != d.source {
			t.Fatalf("%s: no source %q", d.name, d.source)
		}
		if len(d.columns) != source.Columns || d.completeRows > source.Rows {
			t.Errorf("%s: %d columns and %d complete rows, source has %d and %d",
				d.name, len(d.columns), d.completeRows, source.Columns, source.Rows)
		}
		labels := 0
		incremental := false
		for _, c := range d.kept() {
			incremental = incremental || c.field == field{d.incremental, categorical}
			if c.kind == label {
				labels++
			}
		}
		if labels != 1 || len(d.classes) < 2 || !incremental {
			t.Errorf("%s: %d labels, %d classes, incremental column %q", d.name, labels, len(d.classes), d.incremental)
		}
	}
}
