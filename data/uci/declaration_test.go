package uci

import (
	"testing"
)

// TestDeclarations compares declarations with their sources. Tests of Load compare them with the files.
func TestDeclarations(t *testing.T) {
	for _, d := range Tables() {
		source := d.source()
		if source.Name != d.Source {
			t.Fatalf("%s: no source %q", d.Name, d.Source)
		}
		if len(d.header()) != source.Columns || d.CompleteRows > source.Rows {
			t.Errorf("%s: %d columns and %d complete rows, source has %d and %d",
				d.Name, len(d.header()), d.CompleteRows, source.Columns, source.Rows)
		}
		labels := 0
		incremental := false
		for _, c := range d.Columns {
			incremental = incremental || c.Name == d.Incremental && (c.Kind == categorical || c.Kind == oneHot)
			if c.Kind == label {
				labels++
			}
		}
		if labels != 1 || len(d.Classes) < 2 || !incremental {
			t.Errorf("%s: %d labels, %d classes, incremental column %q", d.Name, labels, len(d.Classes), d.Incremental)
		}
	}
}
