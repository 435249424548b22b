package learn

import (
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
)

// Internals for the tests of this package.
var (
	NewLoop   = newLoop
	RoomFor   = roomFor
	NewCourse = newCourse
	Followed  = followed
)

const CourseDone, CourseEpochs = courseDone, courseEpochs

// Uploads calls f with the bytes that each call of a program sends to the device.
func Uploads(t testing.TB, f func(bytes int)) {
	watch = func(args []*tensors.Tensor) {
		for _, a := range args {
			if !a.IsOnAnyDevice() {
				f(int(a.Shape().ByteSize()))
			}
		}
	}
	t.Cleanup(func() { watch = nil })
}

// OnDevice keeps the tables of a learner on the device, as on a GPU.
func OnDevice(l *Learner) { l.rows = l.device }

// PutFails is OnDevice with a program for putting rows that fails.
func PutFails(l *Learner) {
	l.rows = deviceRows{l.graph, l.device.taking, l.predict} // which reads other arguments
}
