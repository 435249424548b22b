package tables

import (
	"testing"

	"gophe/data/datatest"
	"gophe/data/files"
)

// TestLoadMemory loads the whole Covertype. The columns kept weigh 67 MB; in one piece instead of blocks gota takes 670 MB.
func TestLoadMemory(t *testing.T) {
	datatest.LimitPeak(t, 300, func() {
		if table := loaded(t, "covertype"); table.NumRows() != 581012 {
			t.Errorf("%d rows", table.NumRows())
		}
	})
}

func BenchmarkLoadCovertype(b *testing.B) {
	b.Setenv(files.PathVariable, "")
	b.ReportAllocs()
	b.SetBytes(75170064)
	for b.Loop() {
		if _, err := Load("covertype", files.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
