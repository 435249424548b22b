package report

import (
	"testing"

	"gophe/experiments/result"
	"gophe/experiments/result/fixture"
	"gophe/experiments/spec/protocol"
	"gophe/phe/disk/filetest"
)

// The worth of a column is the difference of the same seeds, and a method that has no partner has no row.
func TestLateColumn(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "bank-growing-one-pass",
		methodWith(fromNothing, false, protocol.Growing, runOf(0, 0.8, 0.9), runOf(1, 0.7, 0.9)),
		methodWith(fromNothing+", without poutcome", false, protocol.Growing, runOf(0, 0.8, 0.8), runOf(1, 0.7, 0.8)),
		methodWith(refittedName, true, protocol.Growing, runOf(0, 0.8, 0.9)),
	)
	table := filetest.Must(markdown("late-column", result.OpenFolder(folder)))(t)
	fixture.WantText(t, table, "| bank, growing | One pass | 82.50 ± 3.54 | 77.50 ± 3.54 | 5.00 ± 0.00 |")
	if _, err := markdown("late-column", result.OpenFolder(t.TempDir())); err == nil {
		t.Error("a table without any result")
	}
}
