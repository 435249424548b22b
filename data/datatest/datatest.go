// Package datatest supports tests of packages that read data files.
package datatest

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"gophe/phe/disk/filetest"
)

// Write writes a file, makes its folder and returns the path.
func Write(t testing.TB, path, content string) string {
	t.Helper()
	filetest.Check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	filetest.Check(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

// Compress returns the content in gzip's format.
func Compress(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	filetest.Check(t, w.Close())
	return b.String()
}

// Counts returns the number of occurrences of each value.
func Counts[T comparable](values []T) map[T]int {
	n := make(map[T]int)
	for _, v := range values {
		n[v]++
	}
	return n
}
