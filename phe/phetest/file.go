package phetest

import (
	"os"
	"testing"

	"gophe/phe/learn"
)

// Save writes a learner to a file.
func Save(t testing.TB, l *learn.Learner, path string) {
	t.Helper()
	f, err := os.Create(path)
	Check(t, err)
	_, err = l.WriteTo(f)
	Check(t, err)
	Check(t, f.Close())
}

// Load reads a learner from a file.
func Load(t testing.TB, l *learn.Learner, path string) {
	t.Helper()
	f, err := os.Open(path)
	Check(t, err)
	defer f.Close()
	_, err = l.ReadFrom(f)
	Check(t, err)
}
