// Package filetest supports tests: folders that are fast, disks that are full, values as wanted, and errors that help.
package filetest

import (
	"compress/gzip"
	"io"
	"os"
	"slices"
	"testing"

	"gophe/phe/remedy"
)

// Long reports whether the tests run in their long form.
func Long() bool { return os.Getenv("GOPHE_TEST") == "long" }

// Make makes a folder, in memory if the system can. Each sync to a disk is slow, and a test that kills a process hits the moment
// between two steps more often if the steps are fast. The long form of the tests uses the disk.
func Make() (string, error) {
	if !Long() {
		if folder, err := os.MkdirTemp("/dev/shm", "gophe-test-"); err == nil {
			return folder, nil
		}
	}
	return os.MkdirTemp("", "gophe-test-")
}

// Folder returns a folder of Make's that ends with the test.
func Folder(t testing.TB) string {
	t.Helper()
	folder, err := Make()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// WantFiles demands that a folder holds just these files, in alphabetical order, hidden ones included.
func WantFiles(t testing.TB, folder string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	Check(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, names) {
		t.Errorf("%s holds %q, want %q", folder, got, names)
	}
}

// WantError checks that an error's text holds all words. The text ends by "remedy: " and the name of the error's remedy, if it has one.
func WantError(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", words)
	}
	WantWords(t, err.Error()+"; remedy: "+remedy.Of(err), words...)
}

// Unzip returns the content of a file that gzip has packed.
func Unzip(t testing.TB, path string) []byte {
	t.Helper()
	file := Must(os.Open(path))(t)
	defer file.Close()
	return Must(io.ReadAll(Must(gzip.NewReader(file))(t)))(t)
}

// Check ends the test on an error. The message has the error's stack, if it has one.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v", err)
	}
}

// Must returns the value of a call that prepares a test, and ends the test on its error: Must(os.Open("rows.csv"))(t).
func Must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Check(t, err)
		return value
	}
}

// Failure returns the error of a call without its value: WantError(t, Failure(os.Open("rows.csv")), "no such file").
func Failure[T any](_ T, err error) error { return err }
