package tables

import (
	"testing"

	"gophe/data/files"
)

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
