package checkpoint

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
)

// BenchmarkSave measures a save with all its syncs, on the disk of the folder for temporary files.
func BenchmarkSave(b *testing.B) {
	for _, size := range []int{3 << 10, 512 << 10, 8 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			s := mustOpen(b, filepath.Join(b.TempDir(), "state"))
			payload := bytes.Repeat([]byte("gophe "), size/6)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				mustSave(b, s, payload)
			}
		})
	}
}

// BenchmarkPeek measures reading and verifying a file in the system's cache.
func BenchmarkPeek(b *testing.B) {
	for _, size := range []int{3 << 10, 512 << 10, 8 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "state")
			mustSave(b, mustOpen(b, path), make([]byte, size))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Peek(path, testKind); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
