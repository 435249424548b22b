// Package nettest supports the project's own tests of networks: references in plain Go, calls of small graphs, and learners that two
// processes share.
package nettest

import (
	"math"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
	"gophe/phe/learn/learntest"
)

// Brief tells whether a test takes only a few of its cases. It does so on a backend that compiles, because each case costs seconds
// there, unless the long form is asked for. The pure-Go backend takes all cases.
func Brief(t testing.TB) bool {
	t.Helper()
	return learntest.Backend(t).Name() == "xla" && !filetest.Long()
}

// Near compares a float32 result with the float64 truth. It allows for a few roundings of numbers of size scale.
func Near(t testing.TB, what string, got float32, want, scale float64) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= 1e-6*max(1, scale)) {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

// Between lists the records from … to−1.
func Between(from, to int32) (records []int32) {
	for r := from; r < to; r++ {
		records = append(records, r)
	}
	return
}

// Predict returns what l's method does. An error ends the test.
func Predict(t testing.TB, l learntest.Led, records []int32, draw int) []float32 {
	t.Helper()
	return filetest.Must(l.Predict(records, draw))(t)
}

// Snapshot returns the learner's. An error ends the test.
func Snapshot(t testing.TB, l learntest.Led) learn.Snapshot {
	t.Helper()
	return filetest.Must(l.Snapshot())(t)
}
